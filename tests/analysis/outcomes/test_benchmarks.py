"""Outcomes of several benchmarks: aggregates as they are published, floors, and what is refused."""

import pandas as pd
import pytest
from capability_transfer.analysis.outcomes import benchmark_names, benchmarks
from capability_transfer.analysis.outcomes.ingest import ingest
from capability_transfer.common.errors import InputError

from tests.analysis.outcomes.harness_logs import Task, write


def aggregates(**columns) -> pd.DataFrame:
    rows = {
        "benchmark": ["Global PIQA", "Global PIQA", "global_piqa", "mine"],
        "model": ["a", "a", "b", "a"],
        "language": ["swh", "yor", "swh", "swh"],
        "prompt": ["1", "1", "1", "1"],
        "floor": ["", "", "", 0.2],
        "n_correct": [80, 55, 60, 10],
        "n_total": [100, 100, 100, 50],
    }
    return pd.DataFrame(rows | columns)


def test_floors_come_from_the_table_or_else_from_the_registry():
    found = benchmarks.read_counts(aggregates())
    assert found["benchmark"].tolist() == ["global_piqa"] * 3 + ["mine"]
    assert found["floor"].tolist() == [0.5, 0.5, 0.5, 0.2]
    assert found["n_correct"].tolist() == [80, 55, 60, 10]


def test_prompts_are_added_up():
    twice = pd.concat([aggregates(), aggregates(prompt=["2"] * 4)], ignore_index=True)
    found = benchmarks.read_counts(twice)
    assert found["n_correct"].tolist() == [160, 110, 120, 20]
    assert found["n_total"].tolist() == [200, 200, 200, 100]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (aggregates().drop(columns="benchmark"), "no column 'benchmark'"),
        (aggregates(floor=[""] * 4), "what does guessing get right on mine"),
        (aggregates(floor=[0.5, 0.25, "", 0.2]), "global_piqa has more than one floor"),
        (aggregates(floor=["", "", "", 1]), "from 0 to below 1, not 1"),
        (aggregates(n_correct=[80, 55, 60, 51]), "n_correct is larger than n_total"),
        (aggregates(params_b=[8, 8, 0, 8]), "params_b is more than 0"),
        (aggregates(language=["swh"] * 4), "the same benchmark, model, language, prompt"),
        (
            aggregates(benchmark=["MGSM", "mgsm", "m", "n"], language=["swh"] * 4, floor=[0] * 4),
            "the same benchmark, model, language, prompt",
        ),
        (aggregates(benchmark=["My test", "my-test", "m", "n"]), "My test, my-test one benchmark"),
        (aggregates(params_b=[8, 70, 8, 8]), "a has more than one params_b"),
    ],
)
def test_what_cannot_be_told_apart_or_counted_is_refused(table, message):
    with pytest.raises(InputError, match=message):
        benchmarks.read_counts(table)


def test_what_any_row_says_of_a_model_counts_for_all_of_them():
    found = benchmarks.read_counts(
        aggregates(params_b=["", 8, "", ""], family=["", "", "", "Mine"])
    ).set_index("model")
    assert found.loc["a", "params_b"].tolist() == [8.0] * 3
    assert found.loc["a", "family"].tolist() == ["Mine"] * 3
    assert found.loc["b", ["params_b", "family"]].isna().all()


def test_cells_without_a_benchmark_need_one_to_be_named():
    cells = pd.DataFrame(
        {"variant": ["a", "a"], "language": ["swh", "swh"], "template": ["1", "2"],
         "n_correct": [3, 4], "n_total": [5, 5]}
    )  # fmt: skip
    with pytest.raises(InputError, match="does not say of which benchmark"):
        benchmarks.read_counts(cells)
    found = benchmarks.read_counts(cells, "MGSM")
    assert found[["benchmark", "floor", "n_correct", "n_total"]].values.tolist() == [
        ["mgsm", 0.0, 7, 10]
    ]


def test_mgsm_pro_stands_in_counts_of_its_248_questions():
    found = benchmarks.embedded().set_index(["benchmark", "model", "language"])
    assert len(found) == 690 + 18 * 9
    twi = found.loc["mgsm_pro", "gemma-3-27b-it", "aka"]
    assert (twi["n_correct"], twi["n_total"]) == (45, 248)  # 18.1%
    closed = found.loc["mgsm_pro"].query("params_b.isna()").index.get_level_values("model")
    assert set(closed) == {
        "Claude 4", "GPT-4.1", "GPT-5", "Gemini 2.0 Flash", "Gemini 2.5 Flash",
        "Gemini 3.0 Flash", "Gemini 3.0 Pro",
    }  # fmt: skip


def test_a_benchmark_is_found_by_its_name_in_any_spelling():
    known = ["mgsm_symbolic", "mgsm_pro", "Own"]
    assert benchmark_names.find("MGSM-Pro", known) == "mgsm_pro"
    assert benchmark_names.find("own", known) == "Own"
    assert benchmark_names.registered("Multilingual GSM-Symbolic") == "mgsm_symbolic"
    with pytest.raises(InputError, match="no outcomes of a benchmark 'belebele'"):
        benchmark_names.find("belebele", known)


@pytest.mark.parametrize(
    ("task", "benchmark"),
    [
        ("mgsm_native_cot_sw", "mgsm"),
        ("mgsm_direct_bn", "mgsm"),
        ("afrimgsm_direct_amh_prompt_1", "afrimgsm"),
        ("belebele_swh_Latn", "belebele"),
        ("belebele_swh_prompt_1", "belebele"),
        ("xstorycloze_sw", "xstory_cloze"),
        ("global_piqa_completions_swh_latn", "global_piqa"),
        ("xnli_sw", "xnli"),
        ("multilingual_gsm", "mgsm_symbolic"),
        ("mine_sw", "mine"),  # of no suite: the task without its language
    ],
)
def test_a_task_of_a_log_is_of_a_benchmark(task, benchmark):
    assert benchmark_names.of_task(task, "swh") == benchmark


def test_cells_of_several_benchmarks_are_told_apart_by_their_column():
    cells = pd.DataFrame(
        {"benchmark": ["MGSM", "Belebele"], "variant": ["a", "a"], "language": ["swh", "swh"],
         "template": ["1", "1"], "n_correct": [3, 4], "n_total": [10, 10]}
    )  # fmt: skip
    found = benchmarks.read_counts(cells)
    assert found[["benchmark", "floor", "n_correct"]].values.tolist() == [
        ["mgsm", 0.0, 3], ["belebele", 0.25, 4],
    ]  # fmt: skip
    with pytest.raises(InputError, match="of which benchmark some of its outcomes are"):
        benchmarks.read_counts(cells.assign(benchmark=["MGSM", ""]))
    found = benchmarks.read_counts(cells.assign(benchmark=["MGSM", ""]), "xnli")
    assert set(found["benchmark"]) == {"mgsm", "xnli"}


def test_logs_state_the_benchmark_of_their_tasks(tmp_path):
    right, wrong = {("acc", "none"): [1, 1, 0]}, {("acc", "none"): [0, 0, 1]}
    tasks = [Task("mgsm_direct_sw", right), Task("belebele_swh_Latn", wrong)]
    folder = write(tmp_path / "logs", "acme/New-4B", tasks, "new")
    out = tmp_path / "outcomes.parquet"
    ingest([folder], out)
    for source in (folder, out):
        found = benchmarks.read_counts(source).set_index("benchmark")
        assert found["n_correct"].to_dict() == {"mgsm": 2, "belebele": 1}
        assert found["floor"].to_dict() == {"mgsm": 0.0, "belebele": 0.25}
