"""Size: millions of instances, a thousand logs. Minutes; ``make scale`` runs it."""

import subprocess
import sys
import zipfile
from copy import deepcopy

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from capability_transfer.common.files import ROOT
from pyarrow import csv

pytestmark = pytest.mark.slow

MEASURED = """
import sys, time
from benchmarks.child import peak_mb
{imports}
began = time.monotonic()
number = {call}
print(number, time.monotonic() - began, peak_mb() / 1024)
"""


def measured(imports, call, *arguments):
    """Result, seconds and peak memory (GB) of an expression in a process of its own."""
    code = MEASURED.format(imports=imports, call=call)
    command = [sys.executable, "-c", code, *map(str, arguments)]
    told = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    return map(float, told.split())


@pytest.fixture(scope="module")
def ten_million(tmp_path_factory):
    """The same instances as Parquet and as CSV, by suffix."""
    folder = tmp_path_factory.mktemp("instances")
    paths = {suffix: folder / f"instances.{suffix}" for suffix in ("parquet", "csv")}
    rng = np.random.default_rng(1)
    languages, templates, instances = (np.array([f"{w}{i}" for i in range(n)])
                                       for w, n in (("l", 50), ("t", 100), ("i", 40)))  # fmt: skip
    writers = {}
    for variant in range(50):
        rows = rng.permutation(50 * 100 * 40)
        table = pa.table(
            {
                "variant": [f"model-{variant}"] * len(rows),
                "language": languages[rows // 4000],
                "template": templates[rows // 40 % 100],
                "instance": instances[rows % 40],
                "correct": rng.random(len(rows)) < 0.6,
            }
        )
        if not writers:
            writers = {
                "parquet": pq.ParquetWriter(paths["parquet"], table.schema),
                "csv": csv.CSVWriter(paths["csv"], table.schema),
            }
        for writer in writers.values():
            writer.write_table(table)
    for writer in writers.values():
        writer.close()
    return paths


READ = "from capability_transfer.analysis.outcomes.files import read_outcomes"


@pytest.mark.parametrize(("suffix", "longest"), [("parquet", 60), ("csv", 300)])
def test_ten_million_instances(ten_million, capsys, suffix, longest):
    total, seconds, peak = measured(
        READ, "read_outcomes(sys.argv[1])['n_total'].sum()", ten_million[suffix]
    )
    with capsys.disabled():
        print(f"\n10 million instances, {suffix}: {seconds:.1f} s, {peak:.2f} GB")
    assert total == 10_000_000
    assert seconds < longest
    assert peak < 1


def test_two_million_cells(tmp_path, capsys):
    """200 models × 100 languages × 100 templates, read and fitted."""
    path = tmp_path / "cells.parquet"
    rng = np.random.default_rng(1)
    number = np.arange(2_000_000)
    codes = {"variant": number // 10_000, "language": number // 100 % 100, "template": number % 100}
    spread = {name: rng.normal(size=200)[code] for name, code in codes.items()}
    probability = 1 / (1 + np.exp(-sum(spread.values())))
    labels = {name: np.char.add(name[0], code.astype(str)) for name, code in codes.items()}
    counts = {"n_correct": rng.binomial(20, probability), "n_total": np.full(len(number), 20)}
    pq.write_table(pa.table(labels | counts), path)
    effects, seconds, peak = measured(
        f"{READ}; from capability_transfer.analysis.glmm.laplace import fit",
        "len(fit('~ 1 + (1 | variant) + (1 | language) + (1 | template) + (1 | variant:language)',"
        " read_outcomes(sys.argv[1])).modes)",
        path,
    )
    with capsys.disabled():
        print(f"\n2 million cells: {seconds:.1f} s, {peak:.2f} GB")
    assert effects == 200 + 100 + 100 + 200 * 100
    assert peak < 1


def test_a_thousand_logs(logs, tmp_path, capsys):
    from inspect_ai.log import read_eval_log, write_eval_log

    log = read_eval_log(str(logs / "big_on.eval"))
    samples = []
    for position in range(200):
        one = deepcopy(log.samples[position % 8])
        one.id, one.uuid = f"s{position}", f"u{position}"
        one.metadata |= {"template": str(position // 4), "instance": str(position % 4)}
        samples.append(one)
    log.samples = samples
    log.eval.dataset.sample_ids = [one.id for one in samples]
    write_eval_log(log, str(tmp_path / "first.eval"))
    folder = tmp_path / "logs"
    folder.mkdir()
    with zipfile.ZipFile(tmp_path / "first.eval") as first:
        parts = [(entry.filename, first.read(entry)) for entry in first.infolist()]
    for number in range(1000):
        names = {"scripted/Qwen/Qwen3-8B": f"acme/m{number}-8B", log.eval.eval_id: f"e{number}"}
        names |= {log.eval.task_id: f"t{number}"}
        with zipfile.ZipFile(
            folder / f"{number:04}.eval", "w", zipfile.ZIP_DEFLATED, True, 1
        ) as new:
            for name, data in parts:
                for before, after in names.items() if "samples/" not in name else ():
                    data = data.replace(before.encode(), after.encode())
                new.writestr(name, data)

    def read(few):
        return measured(
            "from pathlib import Path; "
            "from capability_transfer.analysis.outcomes.ingest import ingest",
            "ingest(sorted(Path(sys.argv[1]).iterdir())[:int(sys.argv[2])]).counts.outcomes",
            folder,
            few,
        )

    _, _, small = read(100)
    total, seconds, peak = read(1000)
    with capsys.disabled():
        print(f"\n1,000 logs: {seconds:.0f} s, {peak:.2f} GB; 100 logs: {small:.2f} GB")
    assert total == 200_000
    assert seconds < 300
    assert peak < small + 0.25
