"""What a few templates in a language add to its prediction (Table 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd
from capability_transfer.analysis.arguments import several, speaking_python, whole
from capability_transfer.analysis.data import Study, given
from capability_transfer.analysis.prediction import few_templates as few
from capability_transfer.analysis.prediction import loo
from capability_transfer.analysis.prediction.evaluate import Task
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result, Sheet
from capability_transfer.analysis.presentation.tables import Table, number
from capability_transfer.analysis.published import read
from capability_transfer.analysis.studies import held_out
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError, name_some, option
from capability_transfer.common.files import rounded
from capability_transfer.common.parallel import replaced_quietly

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TRUTHS = ("all", "unseen")


@dataclass(frozen=True, eq=False, repr=False)
class TemplateBudgets(Result):
    """Errors of prediction after k templates of a held-out language were seen.

    Attributes:
        errors: predictor, language, draw, k, truth, level, error (accuracy points), coverage_50,
            coverage_80, coverage_95.
        study: the data.
        left_out: what the models are without, since these data cannot tell it.
    """

    errors: pd.DataFrame
    study: Study
    left_out: tuple[str, ...] = ()

    folder = "loo"
    title = held_out.TITLE
    about = held_out.ABOUT

    @property
    def provenance(self) -> Provenance:
        return Provenance(self.study.source, seed=self.study.seed)

    @cached_property
    def table(self) -> pd.DataFrame:
        """As ``few_templates.summarise``: the errors by predictor, truth, k and level (points)."""
        return few.summarise(self.errors, self.study.seed)

    @property
    def coverage(self) -> pd.DataFrame:
        """predictor, k, coverage_50 … coverage_95 of accuracies over the templates not seen."""
        return few.coverage(self.errors)

    def frames(self) -> dict[str, pd.DataFrame]:
        frames = {"few_templates": self.table, "few_templates_coverage": self.coverage}
        return {name: rounded(frame, held_out.DIGITS) for name, frame in frames.items()}

    def tables(self) -> dict[str, Table]:
        known = read("study_predictions")
        known = known if self.study.inputs.is_study else known[:0]
        made = [budgets_table(self.table, self.note)]
        if len(_printed(self.table)):
            made.insert(0, study_table(self.table, known, self.note))
        return {table.name: table for table in made}

    def notes(self) -> list[str]:
        return list(self.left_out)

    def sheet(self) -> Sheet:
        held = sorted(self.errors["language"].unique())
        facts = {
            "held out": f"{len(held)} languages, one at a time: {' '.join(held)}",
            "data": self.study.source,
        }
        title = "Error of prediction (accuracy points) by templates seen"
        view = self.views()[-1]
        return Sheet(title, facts, view.display, self.left_out)

    @speaking_python
    def plot(self, level: str = "pair", truth: str = "unseen", ax: Axes | None = None) -> Axes:
        """The error by templates seen: of pairs or language means, on all or unseen templates."""
        for name, value, known in (("level", level, held_out.LEVELS), ("truth", truth, TRUTHS)):
            if value not in known:
                raise InputError(
                    f"{option(name, value)}: there are {name_some(known)}", parameter=name
                )
        with plots.axes(ax, 4.8, 3.4, self.note) as ax:
            errors_by_budget(ax, self.table, level, truth)
            plots.legend_above(ax)
        return ax


@speaking_python
def few_templates(
    study: Study | None = None,
    predictors: str | Sequence[str] = "smooth",
    languages: str | Sequence[str] | None = None,
    *,
    budgets: int | Sequence[int] | None = None,
    draws: int = few.FEW_DRAWS,
    workers: int = 2,
    drop_missing: bool = False,
) -> TemplateBudgets:
    """Predict held-out languages after k of their templates were seen, on the templates not seen.

    Args:
        study: from ``load``; the embedded study without it.
        predictors: ``smooth`` (ours: the language alone is updated) or ``study`` (a refit each).
        languages: those to hold out; every language of the study without it.
        budgets: templates seen, 0 being prediction alone; 0, 1, 2, 5, 10 and 20 without it, as
            far as there are more.
        draws: shuffles of the templates.
        workers: fits at once.
        drop_missing: drop rows that lack a feature, instead of leaving the feature out.

    Raises InputError for a predictor or language that is not there, and for a budget that leaves
    no template unseen.
    """
    study, names = given(study), several("predictors", predictors)
    asked = few.BUDGETS if budgets is None else several("budgets", budgets)
    numbers = [whole("budgets", k, 0) for k in asked]
    draws, workers = whole("draws", draws), whole("workers", workers)
    joined, vectors = study.prepared(drop_missing)
    if budgets is None:
        numbers = [k for k in numbers if k < joined["template"].nunique()]
    held = held_out.held_languages(joined, languages)
    task = Task(joined, vectors, seed=study.seed, cache=study.cache, workers=workers)
    with replaced_quietly():
        errors = few.few_templates(task, progress.counting, names, numbers, draws, held)
    return TemplateBudgets(errors, study, loo.describe_left_out(study.inputs, drop_missing))


LEVELS = {"pair": "Model in language", "language": "Language mean"}


PRINTED = {"predictor": "study", "truth": "all"}
"""What the study's Table 5 shows: its own predictor, and accuracy over all templates."""


def study_table(summary: pd.DataFrame, published: pd.DataFrame, note: str) -> Table:
    """Table 5 as the study prints it: the errors of its predictor by templates seen.

    From ``few_templates.csv`` and the study's figures (none for a user's data). Of every number of
    templates the row of the most draws; errors in accuracy points with bootstrap intervals over
    languages.
    """
    known = published.query("statistic == 'mae'")
    known = known.rename(columns={"value": "published", "conf_low": "published_low",
                                  "conf_high": "published_high"})  # fmt: skip
    keys = ["predictor", "truth", "k", "level"]
    known = known[[*keys, "published", "published_low", "published_high"]]
    data = of_most_draws(_printed(summary)).merge(known, "left", keys)
    wide = data.pivot(index="k", columns="level")
    display = pd.DataFrame({"Templates": wide.index.astype(str)})
    for level, title in LEVELS.items():
        display[title] = _cells(wide, level, ("mae", "conf_low", "conf_high"))
        if wide["few_low", level].notna().any():
            display[f"{title}, three draws"] = [
                "" if pd.isna(low) else f"{number(low, 2)}–{number(high, 2)}"
                for low, high in zip(wide["few_low", level], wide["few_high", level], strict=True)
            ]
        if wide["published", level].notna().any():
            columns = ("published", "published_low", "published_high")
            display[f"{title}, published"] = _cells(wide, level, columns)
    caption = (
        "Table 5. Mean absolute error (accuracy points) of the study's prediction for a held-out "
        "language after some of its templates were seen, with 95% bootstrap intervals over "
        f"languages; {data['draws'].max()} draws of the templates. Three draws: where 95% of the "
        "errors over three draws, as many as the study's, would lie."
    )
    return Table("table_05", caption, note, data, display)


def budgets_table(summary: pd.DataFrame, note: str) -> Table:
    """The error of every predictor by templates seen, on all templates and on those not seen.

    From ``few_templates.csv``: of every number of templates the row of the most draws.
    """
    data = of_most_draws(summary)
    order = list(dict.fromkeys(summary["predictor"]))
    data = data.assign(predictor=pd.Categorical(data["predictor"], order))
    wide = data.pivot(index=["predictor", "truth", "k"], columns="level").sort_index()
    display = wide.index.to_frame(index=False).astype(str)
    display.columns = ["Predictor", "Truth", "Templates"]
    for level, title in LEVELS.items():
        display[title] = _cells(wide, level, ("mae", "conf_low", "conf_high"))
    caption = (
        "Mean absolute error (accuracy points) of prediction for a held-out language after some of "
        "its templates were seen, with 95% bootstrap intervals over languages. Truth: accuracy "
        "over all templates, those seen among them, or over those not seen."
    )
    return Table("table_few_templates", caption, note, data, display)


def _printed(summary: pd.DataFrame) -> pd.DataFrame:
    """The rows that Table 5 shows."""
    return summary[(summary[list(PRINTED)] == pd.Series(PRINTED)).all(axis=1)]


def _cells(wide: pd.DataFrame, level: str, columns: tuple[str, str, str]) -> list[str]:
    values = zip(*(wide[column, level] for column in columns), strict=True)
    return [
        "" if pd.isna(value) else f"{number(value, 2)} [{number(low, 2)}, {number(high, 2)}]"
        for value, low, high in values
    ]


def of_most_draws(summary: pd.DataFrame) -> pd.DataFrame:
    """Of each predictor, number of templates, level and truth the row of the most draws."""
    key = ["predictor", "k", "level", "truth"]
    most = summary.groupby(key)["draws"].transform("max")
    return summary[summary["draws"] == most]


def errors_by_budget(axes: Axes, summary: pd.DataFrame, level: str, truth: str) -> None:
    """Mean absolute error by templates seen (``few_templates.summarise``).

    A curve for each predictor, of the most draws that each budget has, with 95% bands over
    languages.
    """
    rows = of_most_draws(summary[(summary["level"] == level) & (summary["truth"] == truth)])
    for name, group in rows.sort_values("k", kind="stable").groupby("predictor", sort=False):
        colour = held_out.COLOURS.get(name, plots.MUTED)
        axes.fill_between(
            group["k"], group["conf_low"], group["conf_high"], color=colour, alpha=0.15, linewidth=0
        )
        axes.plot(
            group["k"], group["mae"], "o-", color=colour, markersize=4,
            label=plots.plain(held_out.TITLES.get(name, name)),
        )  # fmt: skip
    axes.set_ylim(bottom=0)
    axes.set_xticks(sorted(rows["k"].unique()))
    plots.grid(axes)
    axes.set(xlabel="templates seen", ylabel="mean absolute error (points)")
