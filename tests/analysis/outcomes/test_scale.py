"""Size: millions of instances, a thousand logs. Minutes; ``make scale`` runs it."""

import subprocess
import sys
import zipfile
from copy import deepcopy

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytestmark = pytest.mark.slow

MEASURED = """
import resource, sys, time
{imports}
began = time.monotonic()
number = {call}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(number, time.monotonic() - began, peak)
"""


def measured(imports, call, *arguments):
    """Result, seconds and peak memory (GB) of an expression in a process of its own."""
    code = MEASURED.format(imports=imports, call=call)
    command = [sys.executable, "-c", code, *map(str, arguments)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return map(float, told.split())


def test_ten_million_instances(tmp_path, capsys):
    path = tmp_path / "instances.parquet"
    rng = np.random.default_rng(1)
    languages, templates, instances = (np.array([f"{w}{i}" for i in range(n)])
                                       for w, n in (("l", 50), ("t", 100), ("i", 40)))  # fmt: skip
    writer = None
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
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    writer.close()
    total, seconds, peak = measured(
        "from capability_transfer.analysis.outcomes.files import read_outcomes",
        "read_outcomes(sys.argv[1])['n_total'].sum()",
        path,
    )
    with capsys.disabled():
        print(f"\n10 million instances: {seconds:.1f} s, {peak:.2f} GB")
    assert total == 10_000_000
    assert seconds < 60
    assert peak < 2


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
