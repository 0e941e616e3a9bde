"""Languages and benchmarks in the names of the harness's tasks, and of tasks that it has not."""

from pathlib import Path

import pandas as pd
import pytest
from capability_transfer.analysis.outcomes.task_names import benchmark, by_ending, by_suite

EXPECTED = Path(__file__).parents[2] / "expected" / "lm_eval_task_languages.csv"


def language(task):
    found = by_suite(task) or by_ending(task)
    return found.language if found else None


def test_languages_of_the_harness_tasks():
    table = pd.read_csv(EXPECTED, dtype=str, keep_default_na=False)
    found = {task: language(task) or "" for task in table["task"]}
    expected = dict(zip(table["task"], table["language"], strict=True))
    assert found == expected
    assert sum(code != "" for code in expected.values()) > 300
    assert sum(code == "" for code in expected.values()) > 100


def test_tasks_between_two_languages_are_told():
    for task in ("flores_fr-eu", "mlqa_ar_de", "mafand_en-swa_prompt_3", "iwslt2017-ar-en"):
        assert by_suite(task).pair
        assert by_suite(task).language is None
    assert not by_suite("mlqa_ar_ar").pair


@pytest.mark.parametrize(
    ("task", "code"),
    [
        ("mine_deu", "deu"),
        ("mine_sw", "swh"),
        ("mine_sw_prompt_2", "swh"),
        ("mine_hin_Deva", "hin"),
        ("mine_pt_br", "por"),
        ("mine_pt-BR", "por"),
        ("mine_zh_cn", "zho"),
        ("mine_cot_de", "deu"),
        ("mine_de_5shot", "deu"),
        ("mine_nan_Hant", "nan"),
        # no code, a word or an abbreviation, two languages, nothing before it
        ("mine_cot", None),
        ("mine_xyz", None),
        ("mine_yes_no", None),
        ("mine_msa", None),
        ("gemma_it", None),
        ("dry_run", None),
        ("arxiv_cs", None),
        ("wiki_de_en", None),
        ("de", None),
        ("gsm8k", None),
    ],
)
def test_endings_of_unlisted_tasks(task, code):
    found = by_ending(task)
    assert (found and found.language) == code


@pytest.mark.parametrize(
    ("tasks", "shared"),
    [
        (["mgsm_direct_de", "mgsm_direct_sw", "mgsm_direct_en"], "mgsm_direct"),
        (["mgsm_en_cot_de", "mgsm_en_cot_en"], "mgsm_en_cot"),
        (["belebele_swh_Latn", "belebele_zho_Hans"], "belebele"),
        (["afrimgsm_swa_prompt_1", "afrimgsm_eng_prompt_1"], "afrimgsm_prompt_1"),
        (["afrixnli_en_direct_amh", "afrixnli_en_direct_eng"], "afrixnli_en_direct"),
        (
            ["global_mmlu_full_de_anatomy", "global_mmlu_full_sw_anatomy"],
            "global_mmlu_full_anatomy",
        ),
        (["mmmlu_pt_br_anatomy", "mmmlu_sw_ke_anatomy"], "mmmlu_anatomy"),
        (["xwinograd_jp", "xwinograd_pt"], "xwinograd"),
        (["truthfulqa_de_mc1", "truthfulqa_zh_mc1"], "truthfulqa_mc1"),
        (["include_base_44_german_stem", "include_base_44_turkish_stem"], "include_base_44_stem"),
        (["mine_de_prompt_1", "mine_swh_prompt_1"], "mine_prompt_1"),
        (["mine_pt_br", "mine_zh_cn"], "mine"),
    ],
)
def test_a_benchmark_is_the_same_in_every_language(tasks, shared):
    assert {benchmark(task) for task in tasks} == {shared}


def test_a_benchmark_without_a_language_stays_whole():
    for task in ("agieval_lsat_ar", "gsm8k_cot", "AraDiCE_boolq_msa", "matreshka_yes_no"):
        assert benchmark(task) == task


def test_a_language_known_otherwise_is_left_out_of_the_benchmark():
    assert benchmark("exam_it", "ita") == "exam"
    assert benchmark("MMLU (Swahili)", "swh") == "MMLU"
    assert benchmark("de-exam-hard", "de") == "exam-hard"
    assert benchmark("exam_xyz_hard", "xyz") == "exam_hard"
    assert benchmark("exam", "deu") == "exam"


def test_what_a_name_spells_is_kept_for_reports():
    assert by_suite("mgsm_direct_sw").code == "sw"
    assert by_suite("xwinograd_jp").code == "jpn"  # jp is not a code
    assert by_suite("include_base_44_german_stem").code == "deu"
    assert by_suite("kmmlu_biology").code == "kor"
