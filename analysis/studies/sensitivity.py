"""What odd items do to conclusions: every estimate with all items, and without the flagged ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.arguments import speaking_python
from capability_transfer.analysis.data import Source, Study, given
from capability_transfer.analysis.items.lists import read_items
from capability_transfer.analysis.outcomes.schema import pair_totals
from capability_transfer.analysis.outcomes.study import table_12_counts
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result, View
from capability_transfer.analysis.presentation.tables import Table, number, p_value
from capability_transfer.analysis.studies.held_out import hold_out
from capability_transfer.analysis.studies.items import Items, by_language, items
from capability_transfer.analysis.studies.main_model import fit
from capability_transfer.common.errors import InputError
from capability_transfer.features.languages import ENGLISH

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PREDICTORS = ("study_pairs", "size_reasoning")
"""The study's model on totals, which takes a second per language, and what knows no language."""
ALPHA = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Result):
    """Conclusions with all items, and without the flagged ones (columns ``…_without``).

    Attributes:
        effects: term, part (fixed, random), estimate, std_error, p_value, and each without;
            moved (difference in standard errors), changed (whether sign or significance does).
        languages: language, flagged, accuracy, without, adjusted (0 to 1), gap and gap_adjusted
            (points behind English), rank and rank_adjusted.
        penalty: language, gap and gap_without (original minus symbolic, points), gap_low and
            gap_high: if all, and if none, of the flagged originals were answered right.
        held_out: predictor, level, n, mae and rmse (points), pearson, and each without; empty
            where nothing was held out.
        number: of items left out.
        source: in words, which data these are.
        seed: of the draws of predictive distributions.
    """

    effects: pd.DataFrame
    languages: pd.DataFrame
    penalty: pd.DataFrame
    held_out: pd.DataFrame
    number: int
    source: str
    seed: int

    folder = "items"
    part = "sensitivity"
    title = "Conclusions without the items that are odd in one language"

    @property
    def provenance(self) -> Provenance:
        return Provenance(
            self.source, engine="laplace", seed=self.seed,
            remark=f"Without: {self.number} flagged items left out.",
        )  # fmt: skip

    def frames(self) -> dict[str, pd.DataFrame]:
        return {
            "sensitivity_effects": self.effects,
            "sensitivity_languages": self.languages,
            "sensitivity_penalty": self.penalty,
            "sensitivity_held_out": self.held_out,
        }

    def tables(self) -> dict[str, Table]:
        return {"table_items_sensitivity": effects_table(self.effects, self.note)}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        return {"figure_items_sensitivity": lambda: draw(self.effects, self.languages, self.note)}

    def views(self) -> list[View]:
        views = [*super().views(), View("Languages", language_display(self.languages))]
        if len(self.penalty):
            views.append(View("Symbolic penalty (points)", penalty_display(self.penalty)))
        if len(self.held_out):
            views.append(View("Languages held out", held_out_display(self.held_out)))
        return views

    def findings(self) -> list[str]:
        fixed = self.effects[self.effects["part"] == "fixed"].reset_index(drop=True)
        largest = fixed.loc[fixed["moved"].abs().idxmax()]
        changed = fixed.loc[fixed["changed"], "term"]
        told = [
            f"No fixed effect moves by more than {abs(largest['moved']):.2f} standard errors "
            f"({labels.term(largest['term'])}); "
            + (
                f"sign or significance at {ALPHA:g} changes for "
                f"{', '.join(labels.term(one) for one in changed)}"
                if len(changed)
                else f"none changes its sign, or its significance at {ALPHA:g}"
            )
        ]
        ranks = self.languages[self.languages["rank"] != self.languages["rank_adjusted"]]
        if len(ranks):
            moves = "; ".join(
                f"{labels.language(row.language)} from {row.rank} to {row.rank_adjusted}"
                for row in ranks.itertuples()
            )
            told.append(f"Ranks by accuracy change: {moves}")
        else:
            told.append("No language changes its rank by accuracy")
        if len(self.penalty):
            first, then = (
                self.penalty.loc[self.penalty[column].idxmax()] for column in
                ("gap", "gap_without")
            )  # fmt: skip
            told.append(
                f"The largest symbolic penalty is that of {labels.language(first['language'])} "
                f"({first['gap']:.1f} points) with all items, and that of "
                f"{labels.language(then['language'])} ({then['gap_without']:.1f}) without"
            )
        told += [
            f"Held-out pairs, {row.predictor}: mean error {row.mae:.2f} points with all items, "
            f"{row.mae_without:.2f} without"
            for row in self.held_out.itertuples()
            if row.level == "pair"
        ]
        return told


@speaking_python
def sensitivity(
    study: Study | None = None,
    flagged: Items | Source | None = None,
    *,
    predictors: Sequence[str] = PREDICTORS,
    workers: int = 2,
) -> Sensitivity:
    """The study's conclusions with all items, and without those that a screen flags.

    Args:
        study: from ``load``; the embedded study without it.
        flagged: what ``items()`` returned, or a list of items; screened here without it.
        predictors: whose errors for languages held out are compared; none for an empty list.
        workers: folds at once.

    Raises InputError as ``fit``, ``hold_out`` and ``Study.without`` do.
    """
    study = given(study)
    found = flagged if isinstance(flagged, Items) else items(study)
    listed = found.flagged if flagged is None or isinstance(flagged, Items) else read_items(flagged)
    if listed.empty:
        raise InputError("no item is flagged: there is nothing to leave out")
    left = study.without(listed.drop(columns="flagged", errors="ignore"))
    return Sensitivity(
        effects=_effects(study, left),
        languages=_languages(found, listed),
        penalty=_penalty(study, left) if study.inputs.is_study else pd.DataFrame(),
        held_out=_held_out(study, left, predictors, workers) if predictors else pd.DataFrame(),
        number=len(listed),
        source=study.source,
        seed=study.seed,
    )


def _effects(study: Study, left: Study) -> pd.DataFrame:
    """Fixed effects and SDs of the study's model with all items and without some."""
    tables = []
    for one in (study, left):
        model = fit(one, baseline=False).fit
        fixed = model.fixed_effects[["term", "estimate", "std_error", "p_value"]]
        random = model.random_effects[["group", "sd"]].set_axis(["term", "estimate"], axis=1)
        tables.append(
            pd.concat([fixed.assign(part="fixed"), random.assign(part="random")]).set_index(
                ["part", "term"]
            )
        )
    table = tables[0].join(tables[1].add_suffix("_without")).reset_index()
    table["moved"] = (table["estimate_without"] - table["estimate"]) / table["std_error"]
    sign = np.sign(table["estimate"]) != np.sign(table["estimate_without"])
    significant = (table["p_value"] < ALPHA) != (table["p_value_without"] < ALPHA)
    table["changed"] = (table["part"] == "fixed") & (sign | significant)
    return table


def _languages(found: Items, listed: pd.DataFrame) -> pd.DataFrame:
    """Accuracy by language: of all items, of those that stay, and with the others as expected."""
    table = found.items
    out = pd.MultiIndex.from_frame(table[["language", "template"]]).isin(
        pd.MultiIndex.from_frame(listed[["language", "template"]])
    )
    costs = by_language(table, pd.Series(out, table.index)).set_index("language")
    result = costs[["flagged", "accuracy", "without"]]
    result = result.assign(adjusted=costs["accuracy"] + costs["lost"] / 100)
    for name, column in (("", "accuracy"), ("_adjusted", "adjusted")):
        if ENGLISH in result.index:
            result[f"gap{name}"] = 100 * (result.loc[ENGLISH, column] - result[column])
        result[f"rank{name}"] = result[column].rank(ascending=False, method="first").astype(int)
    return result.sort_values("accuracy", ascending=False, kind="stable").reset_index()


def _penalty(study: Study, left: Study) -> pd.DataFrame:
    """Original minus symbolic accuracy by language (points, mean over runs).

    Of the originals, totals alone are known: without the flagged items their share of right
    answers is taken to be the same, and lies between ``gap_low`` (all of the flagged originals
    were answered right) and ``gap_high`` (none was).
    """
    original = table_12_counts(["original"]).set_index(["variant", "language"])
    rows = pair_totals(study.cells.drop(columns="split")).set_index(["variant", "language"])
    kept = pair_totals(left.cells.drop(columns="split")).set_index(["variant", "language"])
    right, asked = (original.loc[rows.index, one] for one in ("n_correct", "n_total"))
    templates = study.cells.groupby(["variant", "language"], sort=False)["template"].size()
    lost = templates - left.cells.groupby(["variant", "language"], sort=False)["template"].size()
    lost = lost.reindex(rows.index)
    stay = asked - lost
    shares = {
        "gap": (right / asked, rows["accuracy"]),
        "gap_without": (right / asked, kept["accuracy"]),
        "gap_low": ((right - lost).clip(lower=0) / stay, kept["accuracy"]),
        "gap_high": (np.minimum(right, stay) / stay, kept["accuracy"]),
    }
    gaps = {
        name: 100 * (ours - theirs.reindex(rows.index)).groupby("language").mean()
        for name, (ours, theirs) in shares.items()
    }
    table = pd.DataFrame(gaps).sort_values("gap", ascending=False, kind="stable")
    return table.reset_index()


def _held_out(study: Study, left: Study, predictors: Sequence[str], workers: int) -> pd.DataFrame:
    """Errors of predictions for languages held out, both ways."""
    keys, shown = ["predictor", "level"], ["n", "mae", "rmse", "pearson"]
    tables = [
        hold_out(one, list(predictors), workers=workers).summary.set_index(keys)[shown]
        for one in (study, left)
    ]
    return tables[0].join(tables[1].add_suffix("_without")).reset_index()


def effects_table(effects: pd.DataFrame, note: str) -> Table:
    """The main model with all items and without the flagged ones."""
    display = pd.DataFrame(
        {
            "": [
                labels.term(row.term) if row.part == "fixed" else f"SD {labels.group(row.term)}"
                for row in effects.itertuples()
            ],
            "All items": [number(value, 3) for value in effects["estimate"]],
            "SE": [number(value, 3) for value in effects["std_error"]],
            "p": effects["p_value"].map(p_value),
            "Without flagged": [number(value, 3) for value in effects["estimate_without"]],
            "Its SE": [number(value, 3) for value in effects["std_error_without"]],
            "Its p": effects["p_value_without"].map(p_value),
            "Moved (SE)": [number(value, 2) for value in effects["moved"]],
        }
    )
    caption = "The study's model with all items, and without those flagged as odd (log-odds)."
    return Table("table_items_sensitivity", caption, note, effects, display)


def language_display(languages: pd.DataFrame) -> pd.DataFrame:
    """``Sensitivity.languages`` as strings, accuracies in percent."""
    shown = {
        "Language": languages["language"].map(labels.language),
        "Flagged": languages["flagged"].astype(str),
        "All items": [number(100 * value, 1) for value in languages["accuracy"]],
        "Without": [number(100 * value, 1) for value in languages["without"]],
        "Adjusted": [number(100 * value, 1) for value in languages["adjusted"]],
        "Rank": languages["rank"].astype(str),
        "Adjusted rank": languages["rank_adjusted"].astype(str),
    }
    if "gap" in languages.columns:
        shown["Gap"] = [number(value, 1) for value in languages["gap"]]
        shown["Adjusted gap"] = [number(value, 1) for value in languages["gap_adjusted"]]
    return pd.DataFrame(shown)


def penalty_display(penalty: pd.DataFrame) -> pd.DataFrame:
    """``Sensitivity.penalty`` as strings."""
    return pd.DataFrame(
        {
            "Language": penalty["language"].map(labels.language),
            "All items": [number(value, 1) for value in penalty["gap"]],
            "Without": [number(value, 1) for value in penalty["gap_without"]],
            "Between": [
                f"{number(low, 1)} and {number(high, 1)}"
                for low, high in zip(penalty["gap_low"], penalty["gap_high"], strict=True)
            ],
        }
    )


def held_out_display(held: pd.DataFrame) -> pd.DataFrame:
    """``Sensitivity.held_out`` as strings."""
    return pd.DataFrame(
        {
            "Predictor": held["predictor"] + ", by " + held["level"],
            "MAE": [number(value, 2) for value in held["mae"]],
            "MAE without": [number(value, 2) for value in held["mae_without"]],
            "r": [number(value, 3) for value in held["pearson"]],
            "r without": [number(value, 3) for value in held["pearson_without"]],
        }
    )


@plots.styled
def draw(effects: pd.DataFrame, languages: pd.DataFrame, note: str) -> Figure:
    """Fixed effects both ways, and accuracy by language with flagged items as expected."""
    fixed = effects[(effects["part"] == "fixed") & (effects["term"] != "(Intercept)")]
    figure = plots.new_figure(9.4, max(0.27 * max(len(fixed), len(languages)) + 1.4, 3.0))
    left, right = figure.subplots(1, 2, width_ratios=[1.25, 1])
    half = 1.96 * fixed["std_error"]
    table = fixed.assign(
        conf_low=fixed["estimate"] - half, conf_high=fixed["estimate"] + half,
        published=fixed["estimate_without"],
    )  # fmt: skip
    plots.forest(left, table, [labels.term(one) for one in fixed["term"]],
                 label="all items, 95% interval", published="without flagged items")  # fmt: skip
    left.set_xlabel("effect, log-odds per SD")
    left.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, fontsize=7.5)
    rows = -np.arange(len(languages), dtype=float)
    accuracy, adjusted = 100 * languages["accuracy"], 100 * languages["adjusted"]
    right.hlines(rows, accuracy, adjusted, color=plots.MUTED, linewidth=1.2)
    right.plot(accuracy, rows, "o", color=plots.OURS, markersize=5, label="all items")
    right.plot(adjusted, rows, "D", color=plots.PUBLISHED, markersize=4.5,
               markerfacecolor="none", label="flagged ones as expected")  # fmt: skip
    right.set_yticks(rows, [plots.plain(labels.language(one)) for one in languages["language"]])
    right.tick_params(axis="y", length=0)
    plots.grid(right, "x")
    right.set_xlabel("accuracy, %")
    right.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, fontsize=7.5)
    shows = (
        "What flagged items change. Left: fixed effects on all items with 95% intervals, and "
        "without the flagged ones. Right: accuracy by language on all items, and with what is "
        "expected of the flagged ones in their place."
    )
    plots.add_note(figure, note, shows)
    return figure
