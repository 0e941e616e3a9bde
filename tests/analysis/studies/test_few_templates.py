"""Which draws the charts of few templates show."""

import pandas as pd
from capability_transfer.analysis.studies.few_templates import errors_by_budget, of_most_draws
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
