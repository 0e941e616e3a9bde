"""The coverage study's bookkeeping, on intervals whose coverage is known."""

import numpy as np
import pandas as pd

from benchmarks.coverage import TRUTH, simulate_cells, summarise


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
