"""Which draws the charts of few templates show."""

import pandas as pd
from capability_transfer.analysis.studies.few_templates import (
    budgets_table,
    errors_by_budget,
    of_most_draws,
    study_table,
)
from matplotlib.figure import Figure

ROWS = [
    ("study", 0, 3, 6.0), ("study", 1, 3, 8.6), ("study", 1, 20, 9.3), ("study", 5, 3, 5.2),
    ("smooth", 0, 20, 4.4), ("smooth", 1, 20, 4.2), ("smooth", 5, 20, 3.2), ("smooth", 1, 3, 4.0),
]  # fmt: skip


def test_each_budget_is_shown_of_the_most_draws_it_has():
    table = pd.DataFrame(ROWS, columns=["predictor", "k", "draws", "mae"])
    table = table.assign(level="pair", truth="all", conf_low=1.0, conf_high=9.0)
    found = of_most_draws(table).set_index(["predictor", "k"])["mae"]
    expected = {("study", 0): 6.0, ("study", 1): 9.3, ("study", 5): 5.2,
                ("smooth", 0): 4.4, ("smooth", 1): 4.2, ("smooth", 5): 3.2}  # fmt: skip
    assert found.to_dict() == expected
    axes = Figure().add_subplot()
    errors_by_budget(axes, table.sample(frac=1, random_state=1), "pair", "all")
    lines = {tuple(line.get_ydata()) for line in axes.lines}
    assert lines == {(6.0, 9.3, 5.2), (4.4, 4.2, 3.2)}
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "1", "5"]


def test_table_5_is_the_studys_and_ours_is_apart():
    rows = [(*row, level, truth) for row in ROWS for level in ("pair", "language")
            for truth in ("all", "unseen")]  # fmt: skip
    summary = pd.DataFrame(rows, columns=["predictor", "k", "draws", "mae", "level", "truth"])
    summary = summary.assign(conf_low=1.0, conf_high=9.0, few_low=2.0, few_high=8.0)
    published = pd.DataFrame({"predictor": "study", "truth": "all", "k": [0, 1], "level": "pair",
                              "statistic": "mae", "value": [5.9, 9.2], "conf_low": 5.0,
                              "conf_high": 9.5, "source": "Table 5"})  # fmt: skip
    first = study_table(summary, published, "").display
    assert first["Templates"].tolist() == ["0", "1", "5"]
    assert first["Model in language"].tolist() == [
        "6.00 [1.00, 9.00]", "9.30 [1.00, 9.00]", "5.20 [1.00, 9.00]"
    ]  # fmt: skip
    assert first["Model in language, published"].tolist() == [
        "5.90 [5.00, 9.50]", "9.20 [5.00, 9.50]", ""
    ]  # fmt: skip
    assert "Language mean, published" not in first
    second = budgets_table(summary, "").display
    assert list(second) == ["Predictor", "Truth", "Templates", "Model in language", "Language mean"]
    keys = second[["Predictor", "Truth", "Templates"]].agg(" ".join, axis=1)
    assert keys.tolist() == [f"{who} {truth} {k}" for who in ("study", "smooth")
                             for truth in ("all", "unseen") for k in (0, 1, 5)]  # fmt: skip
