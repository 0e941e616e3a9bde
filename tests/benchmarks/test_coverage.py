"""The coverage study's bookkeeping, on intervals whose coverage is known."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.coverage import TRUTH, simulate_cells, summarise

ROOT = Path(__file__).parents[2]


def intervals(method: str, key: tuple[str, str, str], coverage: float, n: int) -> pd.DataFrame:
    hit = np.arange(n) < coverage * n
    low = np.where(hit, TRUTH[key] - 1, TRUTH[key] + 1)
    row = dict(zip(("kind", "group", "term"), key, strict=True))
    ends = {"estimate": TRUTH[key] * 0.9, "conf_low": low, "conf_high": low + 2}
    return pd.DataFrame({"method": method} | ends | row)


def test_a_shortfall_is_told_from_chance_and_explained():
    resource = ("fixed", "", "resource")
    language = ("sd", "language", "(Intercept)")
    table = summarise(
        pd.concat(
            [
                intervals("wald", resource, 0.90, 1000),
                intervals("wald, t", resource, 0.95, 1000),
                intervals("wald", ("fixed", "", "size"), 0.94, 1000),
                intervals("profile", language, 0.85, 200),
            ]
        )
    ).set_index(["method", "term"])
    assert table.loc[("wald", "resource"), "short"]
    assert "0.950, within tolerance" in table.loc[("wald", "resource"), "cause"]
    assert not table.loc[("wald", "size"), "short"]
    assert (
        "15 languages: maximum likelihood finds 0.360"
        in (table.loc[("profile", "(Intercept)"), "cause"])
    )


def test_simulated_cells_are_a_full_grid_with_the_given_instances():
    data = simulate_cells(np.random.default_rng(1))
    assert (
        len(data) == 15 * 16 * 10 == len(data.drop_duplicates(["variant", "language", "template"]))
    )
    assert data["n_correct"].between(0, 20).all()
    assert data.groupby("language")["resource"].nunique().eq(1).all()


@pytest.mark.artefacts
def test_the_page_on_intervals_says_what_was_counted():
    found = pd.read_csv(ROOT / "results/coverage/coverage.csv", keep_default_na=False)
    page = (ROOT / "docs/statistics.md").read_text(encoding="utf-8")
    names = {"wald": "wald", "wald, t": "t", "profile": "profile",
             "bootstrap, bias-corrected": "bootstrap"}  # fmt: skip
    few = found["term"].isin(["(Intercept)", "resource", "size"]) & (found["kind"] == "fixed")
    columns = [few, found["term"] == "resource:size", found["kind"] == "sd"]
    for method, name in names.items():
        row = re.search(rf"^\| `{name}`.*?\| (.*) \|$", page, re.M)[1].split(" | ")
        for told, which in zip(row, columns, strict=True):
            counted = found.loc[which & (found["method"] == method), "coverage"]
            ends = [str(int(1000 * share + 5.5) // 10) for share in sorted(counted)] or ["none"]
            assert re.findall(r"\d+|none", told) == sorted({ends[0], ends[-1]}), (name, told)
