"""What symbolic variation costs, and whether the cost differs by language (section 4.3, App. D)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis import design, labels
from capability_transfer.analysis.arguments import speaking_python
from capability_transfer.analysis.data import Study, given, load
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.degrees import few_levels
from capability_transfer.analysis.glmm.inference import LikelihoodRatio, likelihood_ratio_test
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.outcomes.schema import pair_totals
from capability_transfer.analysis.outcomes.study import TABLE_12, table_12_counts
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result
from capability_transfer.analysis.presentation.tables import Table, number, p_value
from capability_transfer.analysis.published import beside, values
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError, name_some
from scipy import stats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_OTHERS = (
    "(1 | family) + (1 | base_model) + (1 | variant) + (1 | template) + (1 | variant:language)"
)
MODEL = f"~ split * (resource + distance) + (1 + split | language) + {_OTHERS}"
"""Eq. 2: original questions are the reference; capability is left to the random effects."""

NO_SLOPE = f"~ split * (resource + distance) + (1 | language) + {_OTHERS}"
"""The same with one penalty for every language: what the likelihood-ratio test compares with."""

PENALTY = "splitsymbolic"
SPLITS = ("original", "symbolic")
LEVEL = 0.95

TERMS = {
    "splitsymbolic": "Symbolic (δ)",
    "splitsymbolic:resource": "Symbolic × resource",
    "splitsymbolic:distance": "Symbolic × distance",
}


@dataclass(frozen=True, eq=False, repr=False)
class Penalty(Result):
    """The joint model of both splits, its test, and the plain differences.

    Attributes:
        fit: Eq. 2.
        told: what to know of it before trusting it.
        reduced: without the language-specific penalty.
        test: of that penalty.
        gaps: ``pair_gaps`` of every run.
        by_language: ``language_gaps`` of the same.
        overall: ``overall_gap`` over the runs that the model has, one row.
        source: in words, which data the model is of.
        counted: in words, which data the plain differences are of.
        is_study: whether published figures stand beside ours.
        seed: of what had to be drawn of the study's original split.
    """

    fit: Fit
    told: tuple[str, ...]
    reduced: Fit
    test: LikelihoodRatio
    gaps: pd.DataFrame
    by_language: pd.DataFrame
    overall: pd.DataFrame
    source: str
    counted: str
    is_study: bool
    seed: int

    folder = "penalty"
    title = "The symbolic penalty"

    @property
    def provenance(self) -> Provenance:
        return Provenance.of(self.source, self.fit, self.seed)

    def frames(self) -> dict[str, pd.DataFrame]:
        return {
            "fixed_effects": self.fixed_effects(),
            "random_effects": self.random_effects(),
            "test": self.test_table(),
            "by_language": self.languages(),
            "overall": self.overall_table(),
            "pairs": self.gaps,
            "glance": self.fit.glance(),
        }

    def tables(self) -> dict[str, Table]:
        table = effects_table(
            self.fixed_effects(), self.random_effects(), self.test_table(), self.note
        )
        return {table.name: table}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        about = f"Data: {self.counted}."
        return {
            "figure_10": lambda: gaps_by_language(self.languages(), self.overall, about),
            "figure_11": lambda: gaps_by_pair(self.gaps, self.overall, about),
        }

    def findings(self) -> list[str]:
        overall = self.overall.iloc[0]
        return [
            f"Original minus symbolic: {overall['gap']:.2f} points [{overall['conf_low']:.2f}, "
            f"{overall['conf_high']:.2f}] over {overall['pairs']:.0f} pairs"
        ]

    def notes(self) -> list[str]:
        return list(self.told)

    def fixed_effects(self) -> pd.DataFrame:
        """Fixed effects (log-odds), the published δ and p-values beside them."""
        p_values = pd.concat([self._published(k, "p_value") for k in ("fixed", "fixed_p")])
        table = beside(self.fit.fixed_effects, self._published("fixed"), "term", "estimate")
        return table.assign(published_p_value=table["term"].map(p_values).astype(float))

    def random_effects(self) -> pd.DataFrame:
        """SDs (log-odds) by group and term, and the correlations of correlated ones."""
        table = self.fit.random_effects.sort_values(
            "sd", ascending=False, ignore_index=True, kind="stable"
        )
        beside = (table["group"] + " " + table["term"]).map(self._published("random"))
        pairs = self.fit.correlations.set_index(["group", "term_2"])["correlation"]
        keys = pd.MultiIndex.from_frame(table[["group", "term"]])
        return table.assign(
            correlation=pairs.reindex(keys).to_numpy(dtype=float),
            published=beside.astype(float),
            difference=table["sd"] - beside.astype(float),
        )

    def test_table(self) -> pd.DataFrame:
        """statistic, df, p_value (plain χ²), p_value_mixture (boundary-corrected), published."""
        known = self._published("test").get("statistic", np.nan)
        return self.test.table().assign(published=known)

    def languages(self) -> pd.DataFrame:
        """``by_language`` with the published figures of the two languages that have them."""
        table = self.by_language
        return table.assign(
            **{
                f"published{suffix}": table["language"]
                .map(self._published("language", column))
                .astype(float)
                for suffix, column in (
                    ("", "estimate"),
                    ("_low", "conf_low"),
                    ("_high", "conf_high"),
                )
            }
        )

    def overall_table(self) -> pd.DataFrame:
        """``overall`` with the published gap and correlation."""
        known = self._published("overall")
        return self.overall.assign(
            published_gap=known.get("gap", np.nan),
            published_correlation=known.get("correlation_with_accuracy", np.nan),
        )

    def _published(self, kind: str, column: str = "estimate") -> pd.Series:
        return values("study_penalty", "name", column, self.is_study, kind=kind)


@speaking_python
def penalty(study: Study | None = None) -> Penalty:
    """Fit Eq. 2 to both splits and describe the differences between them.

    Args:
        study: from ``load(split=None)``, which keeps both splits; the embedded study without it.
            Its languages are described over all of its 48 runs, as the study does, by the totals
            of Table 12.

    Raises InputError unless both splits are there.
    """
    study = given(load(split=None) if study is None else study)
    inputs = study.inputs
    check_splits(inputs.cells)
    built = design.build(inputs.cells, inputs.features, ["resource", "distance"])
    fitting = progress.fits(2)

    def run(label: str, formula: str) -> Fit:
        with fitting(label) as tell:
            return cached_fit(
                "laplace",
                formula,
                built.data,
                study.cache,
                provenance=inputs.provenance,
                progress=tell,
            )

    fit = run("penalty by language", MODEL)
    reduced = run("one penalty for all languages", NO_SLOPE)
    gaps = pair_gaps(table_12_counts(include_excluded=True) if inputs.is_study else inputs.cells)
    modelled = gaps[gaps["variant"].isin(inputs.cells["variant"].unique())]
    return Penalty(
        fit=fit,
        told=(*few_levels(fit, built.data, offered=False), *fit.warnings()),
        reduced=reduced,
        test=likelihood_ratio_test(fit, reduced),
        gaps=gaps,
        by_language=language_gaps(gaps),
        overall=overall_gap(modelled),
        source=inputs.source,
        counted=f"{TABLE_12}, all 48 runs" if inputs.is_study else inputs.source,
        is_study=inputs.is_study,
        seed=study.seed,
    )


def check_splits(cells: pd.DataFrame) -> None:
    """Raise InputError unless the cells have both splits."""
    present = set(cells["split"].unique()) if "split" in cells.columns else set()
    if absent := [name for name in SPLITS if name not in present]:
        raise InputError(
            f"the outcomes have no {name_some(absent)} split: the penalty compares both "
            "(column split: original or symbolic)"
        )


def pair_gaps(pairs: pd.DataFrame) -> pd.DataFrame:
    """Original minus symbolic accuracy of every (variant, language), in accuracy points.

    Args:
        pairs: variant, language, split, n_correct, n_total.

    Returns variant, language, original, symbolic (0 to 1), gap (points). Raises InputError for a
    pair that lacks a split.
    """
    totals = pair_totals(pairs)
    wide = totals.pivot(index=["variant", "language"], columns="split", values="accuracy")
    wide = wide.reindex(columns=list(SPLITS))
    if (lacking := wide.isna().any(axis=1)).any():
        names = name_some(f"{v} / {lang}" for v, lang in wide.index[lacking])
        raise InputError(f"only one split is there for {names}")
    order = totals.drop_duplicates(["variant", "language"])
    wide = wide.loc[pd.MultiIndex.from_frame(order[["variant", "language"]])].reset_index()
    wide.columns.name = None
    return wide.assign(gap=100 * (wide["original"] - wide["symbolic"]))


def language_gaps(gaps: pd.DataFrame) -> pd.DataFrame:
    """Mean gap of every language over its runs: mean ± 1.96 · SD / √runs, accuracy points.

    Returns language, runs, gap, conf_low, conf_high, largest gap first. Runs are taken as
    independent, as the study takes them; Eq. 2 does not.
    """
    grouped = gaps.groupby("language")["gap"]
    table = grouped.agg(runs="size", gap="mean", sd="std").reset_index()
    half = stats.norm.ppf(0.5 + LEVEL / 2) * table["sd"] / np.sqrt(table["runs"])
    table = table.assign(conf_low=table["gap"] - half, conf_high=table["gap"] + half)
    return table.drop(columns="sd").sort_values(
        "gap", ascending=False, ignore_index=True, kind="stable"
    )


def overall_gap(gaps: pd.DataFrame) -> pd.DataFrame:
    """The mean over language means, ± t · SD / √languages over them, in one row.

    Returns pairs, languages, gap, conf_low, conf_high (accuracy points), correlation (of a pair's
    gap with its mean accuracy over the two splits).
    """
    means = gaps.groupby("language")["gap"].mean()
    half = stats.t.ppf(0.5 + LEVEL / 2, len(means) - 1) * means.std() / np.sqrt(len(means))
    level = (gaps["original"] + gaps["symbolic"]) / 2
    row = {
        "pairs": len(gaps),
        "languages": len(means),
        "gap": means.mean(),
        "conf_low": means.mean() - half,
        "conf_high": means.mean() + half,
        "correlation": np.corrcoef(gaps["gap"], level)[0, 1],
    }
    return pd.DataFrame([row])


def effects_table(
    fixed: pd.DataFrame, random: pd.DataFrame, test: pd.DataFrame, note: str
) -> Table:
    """The joint model (Appendix D.1), from ``penalty/{fixed_effects,random_effects,test}.csv``."""
    lines = [
        [
            TERMS.get(row.term, labels.term(row.term)),
            number(row.estimate, 3),
            number(row.std_error, 3),
            p_value(row.p_value),
            number(row.published, 3),
            _published_p(row),
        ]
        for row in fixed.itertuples()
    ]
    for row in random.itertuples():
        slope = row.term != "(Intercept)"
        name = f"SD {labels.group(row.group)}" + (" of the penalty (τ)" if slope else "")
        lines.append([name, number(row.sd, 3), "", "", number(row.published, 3), ""])
    found = test.iloc[0]
    lines.append(
        [
            f"χ² of τ = 0 (df {found['df']:.0f})",
            number(found["statistic"], 2),
            "",
            p_value(found["p_value"]),
            number(found["published"], 1),
            "",
        ]
    )
    mixture = p_value(found["p_value_mixture"])
    display = pd.DataFrame(lines, columns=["", "Estimate", "SE", "p", "Published", "Published p"])
    caption = "The symbolic penalty over both splits (log-odds; the original is the reference)."
    note = f"p of τ = 0 by the boundary-corrected mixture: {mixture}. {note}"
    data = pd.concat(
        [
            fixed.assign(part="fixed"),
            random.rename(columns={"sd": "estimate"}).assign(part="random"),
            test.rename(columns={"statistic": "estimate"}).assign(part="test"),
        ],
        ignore_index=True,
    )
    return Table("table_penalty", caption, note, data, display)


def _published_p(row: object) -> str:
    """The study prints that of δ as a bound."""
    if pd.isna(row.published_p_value):
        return ""
    return ("<" if row.term == PENALTY else "") + p_value(row.published_p_value)


@plots.styled
def gaps_by_language(by_language: pd.DataFrame, overall: pd.DataFrame, note: str) -> Figure:
    """Figure 10: the penalty of every language with its 95% interval.

    From ``penalty/by_language.csv`` and ``overall.csv``.
    """
    figure = plots.new_figure(5.6, 0.23 * len(by_language) + 1.5)
    draw_gaps(figure.add_subplot(), by_language, overall)
    figure.legend(loc="outside upper left", ncols=3, fontsize=8)
    shows = (
        "Accuracy on original minus symbolic questions (points) by language with 95% "
        "intervals; the line is the mean over all pairs."
    )
    plots.add_note(figure, note, shows)
    return figure


def draw_gaps(axes: Axes, by_language: pd.DataFrame, overall: pd.DataFrame) -> None:
    """The penalty of every language, the band of their mean behind."""
    mean = overall.iloc[0]
    axes.axvspan(
        mean["conf_low"], mean["conf_high"], color=plots.OURS, alpha=0.12, linewidth=0,
        label=f"mean of languages, {mean['gap']:.1f} points",
    )  # fmt: skip
    counts = by_language["runs"].unique()
    names = [labels.language(code) for code in by_language["language"]]
    if len(counts) > 1:
        names = [f"{name} (n = {n})" for name, n in zip(names, by_language["runs"], strict=True)]
    plots.forest(axes, by_language, names, "gap", "mean over runs, 95% CI")
    runs = f" (n = {counts[0]} runs each)" if len(counts) == 1 else ""
    axes.set_xlabel(f"original − symbolic accuracy, points{runs}")


@plots.styled
def gaps_by_pair(pairs: pd.DataFrame, overall: pd.DataFrame, note: str) -> Figure:
    """Figure 11: accuracy on original against symbolic questions, a dot per model and language.

    From ``penalty/pairs.csv`` and ``overall.csv``; English is told apart.
    """
    mean = overall.iloc[0]
    figure = plots.new_figure(4.6, 4.8)
    axes = figure.add_subplot()
    axes.plot([0, 100], [0, 100], color=plots.MUTED, linewidth=0.8, linestyle="--")
    for english, color, marker, label in (
        (False, plots.OURS, "o", "other languages"),
        (True, plots.PUBLISHED, "D", "English"),
    ):
        rows = pairs[(pairs["language"] == "eng") == english]
        axes.plot(
            100 * rows["original"], 100 * rows["symbolic"], marker, color=color,
            markersize=4 if english else 3.2, alpha=0.65, markeredgewidth=0, label=label,
        )  # fmt: skip
    axes.text(
        0.97, 0.03,
        f"{len(pairs)} pairs; in the model's {mean['pairs']:.0f}:\n"
        f"mean gap {mean['gap']:.2f} [{mean['conf_low']:.2f}, {mean['conf_high']:.2f}] "
        "points,\n"
        f"r with accuracy {mean['correlation']:.2f}".replace("-", "−"),
        transform=axes.transAxes, ha="right", va="bottom", fontsize=8, color=plots.INK,
    )  # fmt: skip
    axes.set(xlim=(-2, 102), ylim=(-2, 102), aspect="equal")
    plots.grid(axes)
    axes.set_xlabel("accuracy on the original questions, %")
    axes.set_ylabel("accuracy on symbolic variants, %")
    figure.legend(loc="outside upper left", ncols=2, fontsize=8)
    shows = (
        "Accuracy on original against symbolic questions, a dot per model and language; "
        "English is told apart."
    )
    plots.add_note(figure, note, shows)
    return figure
