"""Precision and rankings by budget: exact laws, planted numbers, and Table 2."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.data import Outcomes
from capability_transfer.analysis.outcomes.study import study_cells, table_12_counts
from capability_transfer.analysis.published import values
from capability_transfer.analysis.studies import sample_size as s
from capability_transfer.common.errors import InputError
from matplotlib.figure import Figure

EXPECTED = Path(__file__).parents[2] / "expected" / "table_02.csv"


def cells(correct, total=20, split="symbolic"):
    """Cells from an array variants × languages × templates."""
    names = ["variant", "language", "template"]
    index = pd.MultiIndex.from_product([[f"{n[0]}{i}" for i in range(k)]
                                        for n, k in zip(names, correct.shape, strict=True)],
                                       names=names)  # fmt: skip
    frame = pd.DataFrame({"n_correct": correct.ravel(), "n_total": total}, index=index)
    return frame.reset_index().assign(split=split)


@pytest.fixture(scope="module")
def result():
    both = study_cells(("symbolic", "original"))
    return s.sample_size(Outcomes(both, "the study's", seed=1, is_study=True))


def test_the_standard_error_falls_as_one_over_the_root_of_the_templates(result):
    table = result.templates
    own = table[(table["split"] == "symbolic") & (table["rank_reference"] == "own_split")]
    products = own["std_error"] * np.sqrt(own["templates"])
    np.testing.assert_allclose(products, products.iloc[0], rtol=1e-12)


def test_the_published_figures_are_those_of_table_2():
    printed = pd.read_csv(EXPECTED, comment="#").set_index("templates")
    for kind, column in (("rank_correlation", "rank"), ("std_error", "se")):
        for split in ("original", "symbolic"):
            known = values("study_sample_size", "name", "value", kind=kind, split=split).rename(int)
            pd.testing.assert_series_equal(
                known, printed[f"{column}_{split}"], check_names=False, check_index_type=False
            )


def test_table_2(result):
    own = result.templates[result.templates["rank_reference"] == "own_split"]
    symbolic = own[own["split"] == "symbolic"].set_index("templates")
    assert symbolic.loc[100, "std_error"] == pytest.approx(2.342, abs=0.001)
    assert symbolic.loc[10, "rank_correlation"] == pytest.approx(0.9605, abs=0.005)
    assert symbolic.loc[100, "rank_correlation"] == pytest.approx(1, abs=1e-12)
    known = own[own["published"].notna()]
    assert len(known) == 10
    assert ((known["std_error"] / known["published"] - 1).abs() < 0.025).all()
    assert ((known["rank_correlation"] - known["published_rank"]).abs() < 0.02).all()


def test_table_2_counts_a_47th_run_at_the_floor():
    """The study's figures are of its data with one of the two runs that answer next to nothing."""
    symbolic = study_cells()
    floor = symbolic[symbolic["variant"] == symbolic["variant"].iloc[0]]
    floor = floor.assign(variant="floor", n_correct=0)
    cells = pd.concat([symbolic, floor], ignore_index=True)
    grids = {"symbolic": s.grid(cells)}
    found = s.by_templates(grids, (10, 20, 50, 75, 100), np.random.default_rng(0), draws=200)
    found = found[found["rank_reference"] == "own_split"].set_index("templates")
    printed = pd.read_csv(EXPECTED, comment="#").set_index("templates")
    assert (found["std_error"] - printed["se_symbolic"]).abs().max() < 0.02
    assert (found["rank_correlation"] - printed["rank_symbolic"]).abs().max() < 0.002
    totals = table_12_counts(["original"], include_excluded=True).query(
        "variant != 'EuroLLM-1.7B-Instruct'"
    )
    share = totals["k_published"] / totals["n_published"]
    error = 10 * np.sqrt(share * (1 - share) / 0.99).mean()
    assert error == pytest.approx(printed.loc[100, "se_original"], abs=0.006)


def test_the_symbolic_ranking_is_harder_to_match_for_the_original_split(result):
    table = result.templates.query("split == 'original' and templates >= 10")
    wide = table.pivot(index="templates", columns="rank_reference", values="rank_correlation")
    assert (wide["symbolic"] < wide["own_split"]).all()


def test_the_claims_of_the_appendix(result):
    claims = result.claims.set_index("statistic")
    assert claims["published"].notna().all()
    ratio = claims["value"] / claims["published"]
    exact = ["precision_ratio", "template_share", "templates_for_half_the_error"]
    assert (ratio[exact] - 1).abs().max() < 0.02
    assert claims.loc["original_templates_for_symbolic_precision", "value"] == 212
    told = result.findings()
    assert "original templates for symbolic precision: 212 (published 213)" in told
    assert "templates for half the error: 400 (published 400)" in told
    assert "template share: 0.934 (published 0.93)" in told
    shares = claims[claims.index.str.startswith("removed")]
    assert (shares["value"] - shares["published"]).abs().max() < 0.005


def test_thinning_follows_the_split_of_the_variance(result):
    table = result.instances.set_index("instances")
    assert table["std_error"].is_monotonic_decreasing
    at_all = table.loc[20.0]
    template = at_all["std_error"] ** 2 * at_all["template_share"]
    for budget in (2.0, 5.0, 10.0):
        expected = np.sqrt(template / table.loc[budget, "template_share"])
        assert table.loc[budget, "std_error"] == pytest.approx(expected, rel=0.02)


def test_instances_that_always_agree_leave_all_variance_to_templates():
    correct = np.where(np.random.default_rng(0).random((4, 3, 30)) < 0.5, 20, 0)
    template, single = s.variance_parts(correct, np.full(correct.shape, 20))
    assert single == 0
    assert template == pytest.approx((correct / 20).var(axis=-1, ddof=1).mean())


def test_templates_that_are_equally_hard_leave_none():
    correct = np.random.default_rng(0).binomial(20, 0.4, (20, 10, 200))
    template, single = s.variance_parts(correct, np.full(correct.shape, 20))
    assert template == pytest.approx(0, abs=5e-4)
    assert single == pytest.approx(0.24, abs=0.01)


def test_the_templates_needed_are_those_that_reach_the_error():
    correct = np.random.default_rng(0).integers(0, 21, (3, 2, 40))
    counts = (correct, np.full(correct.shape, 20))
    found = s.templates_needed({"symbolic": counts}, [3.0])["templates"].iloc[0]
    sd = s.template_sd(*counts)
    assert sd / np.sqrt(found) <= 3 < sd / np.sqrt(found - 1)


def test_budgets_beyond_the_templates_have_no_ranking():
    table = cells(np.random.default_rng(0).integers(0, 21, (5, 2, 10)))
    found = s.sample_size(Outcomes(table, "drawn"), templates=[5, 40]).templates
    assert found.set_index(["templates", "rank_reference"]).loc[(40, "own_split"), "draws"] == 0
    assert found["published"].isna().all()


def test_a_pair_without_some_templates_is_named():
    table = cells(np.ones((3, 2, 4), dtype=int)).drop(index=7)
    with pytest.raises(InputError, match="v0 / l1"):
        s.sample_size(Outcomes(table, "drawn"))


def test_a_budget_of_nothing_is_refused():
    with pytest.raises(InputError, match="from 1 up, not 0"):
        s.sample_size(Outcomes(cells(np.ones((3, 2, 4), dtype=int)), "drawn"), templates=0)


@pytest.mark.parametrize("counts", [np.full((3, 2, 4), 5), np.ones((3, 2, 1), dtype=int)])
def test_templates_that_do_not_vary_are_refused(counts):
    with pytest.raises(InputError, match="symbolic: every pair scores the same"):
        s.sample_size(Outcomes(cells(counts), "drawn"))


@pytest.mark.filterwarnings("error")
def test_one_variant_has_a_precision_and_no_ranking():
    counts = np.random.default_rng(1).integers(0, 6, (1, 2, 30))
    table = s.sample_size(Outcomes(cells(counts), "drawn"), templates=10).templates
    assert table["rank_correlation"].isna().all()
    sd = (counts / 20).std(axis=-1, ddof=1).mean()
    assert table["std_error"].to_numpy() == pytest.approx(100 * sd / np.sqrt(10))


def test_table_2_shows_published_figures_in_brackets(result):
    display = s.budget_table(result.templates, "Data: x.").display
    assert display["Templates"].tolist() == ["10", "20", "50", "75", "100"]
    assert display["SE, symbolic"].iloc[-1].endswith("[2.29]")


@pytest.mark.parametrize("draw", [s.draw_precision, s.draw_ranking])
def test_hollow_marks_stand_where_the_study_published_a_figure(result, draw):
    def marked(table):
        axes = Figure().add_subplot()
        draw(axes, table)
        return [line for line in axes.lines if line.get_label() == "published (Table 2)"]

    table = result.templates
    (marks,) = marked(table)
    own = table[(table["rank_reference"] == "own_split") & table["published"].notna()]
    assert list(marks.get_xdata()) == list(own["templates"])
    assert marked(table.assign(published=np.nan, published_rank=np.nan)) == []
