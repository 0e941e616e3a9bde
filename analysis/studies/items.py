"""Which items are broken in which language, what that costs, and a page for translators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis import labels
from capability_transfer.analysis.arguments import speaking_python
from capability_transfer.analysis.data import Outcomes, Source, Study, located, outcomes
from capability_transfer.analysis.items import lists
from capability_transfer.analysis.items.screen import THRESHOLD, Screen, screen
from capability_transfer.analysis.presentation import item_page, plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result, View
from capability_transfer.analysis.presentation.tables import Table, number
from capability_transfer.common.errors import InputError, option
from capability_transfer.common.tables import named, records
from capability_transfer.features.languages import ENGLISH, registry

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXTREME = 40
"""Items of the caterpillar."""

MAP = 100
"""Templates of the heat map, those with the largest effects."""

JUDGEMENTS = ("faulty", "changed since", "ambiguous", "no fault seen")
"""What was found of the study's flagged items, in the order in which it is told.

``changed since``: a fault of an earlier release of the templates, mended in a later one."""

READ = "study_items_read.csv"
"""The packaged judgements of the study's flagged items."""

TRUTH = {True: "true", False: "false"}

LOST = (
    "points lost: accuracy expected of the flagged items, were they as elsewhere, minus theirs, "
    "over all answers; below 0 they add some"
)

DEEPEST = 4.0
"""Log-odds at which the colours of the heat map end."""

SPREAD = {
    "ordinary": "SD of ordinary items' effects (log-odds)",
    "broken": "SD of broken items' effects (log-odds)",
    "share": "share of items that are broken",
    "template": "SD of the templates' easiness (log-odds)",
    "within": "correlation of two answers of a cell",
}


@dataclass(frozen=True, eq=False, repr=False)
class Items(Result):
    """Every template in every language, and whether it behaves there as elsewhere.

    Attributes:
        found: the screen: ``items``, the parameters of its mixture, how its algorithm ended.
        source: in words, which data these are.
        threshold: the probability of being broken from which on an item is flagged.
        known: items that are known already, which ``newly_broken`` leaves out.
        read: language, template, judgement and reason of items that somebody has read.
        texts: of ``evaluation.translations.beside``, where the templates are at hand.
        said: what was read beforehand, a sentence each.
    """

    found: Screen
    source: str
    threshold: float
    known: pd.DataFrame | None = None
    read: pd.DataFrame | None = None
    texts: pd.DataFrame | None = None
    said: tuple[str, ...] = ()

    folder = "items"
    title = "Items that are odd in one language"
    about = (
        "`items.csv`: every template in every language. effect (log-odds, negative: harder here "
        "than in the other languages), its SD and 95% interval; expected and observed accuracy (0 "
        "to 1); broken, the probability that the effect is not one of the ordinary differences "
        "between languages; flagged, whether that reaches the threshold; models and answers; "
        "accuracy expected and observed of the strongest quarter of models, and the share of them "
        "that score below half of what is expected; slope, what the item gains by a model's "
        "ability (1: as elsewhere, 0: nothing); Mantel and Haenszel's log-odds ratio and p-value. "
        f"`languages.csv`: flagged items by language and what they cost ({LOST}). "
        "`spread.csv`: the parameters of the mixture.\n\n"
    )

    @property
    def items(self) -> pd.DataFrame:
        """language, template, effect, std_error, expected, observed, broken, flagged, …

        With judgement and reason where items were read, and problems where texts are at hand.
        """
        table = self.found.items
        for further in (self.read, self.texts):
            if further is not None:
                told = [name for name in (*lists.SAID, "problems") if name in further]
                table = table.merge(further[[*lists.KEY, *told]], how="left", on=lists.KEY)
                table[told] = table[told].fillna("")
        return table.copy()

    @property
    def flagged(self) -> pd.DataFrame:
        """The flagged items, the largest effects first."""
        table = self.items
        table = table[table["flagged"]]
        return table.loc[_widest(table["effect"]).index].reset_index(drop=True)

    @property
    def judgements(self) -> pd.DataFrame:
        """judgement, items, harder, easier: what readers found of the flagged items."""
        flagged = self.flagged
        if self.read is None or flagged.empty:
            return pd.DataFrame(columns=["judgement", "items", "harder", "easier"])
        harder = flagged["effect"] < 0
        parts = flagged.assign(items=1, harder=harder, easier=~harder)
        parts["judgement"] = parts["judgement"].replace("", "not read")
        table = parts.groupby("judgement")[["items", "harder", "easier"]].sum()
        order = [name for name in (*JUDGEMENTS, "not read") if name in table.index]
        rest = [name for name in table.index if name not in order]
        return table.loc[[*order, *rest]].reset_index()

    def to_read(self) -> pd.DataFrame:
        """language, template and other: the flagged items, and a language to read beside English.

        That is the one in which the template behaves most as it should.
        """
        table = self.found.items
        usual = table[~table["flagged"] & (table["language"] != ENGLISH)].dropna(subset="effect")
        usual = usual.loc[_widest(usual["effect"]).index[::-1]].drop_duplicates("template")
        other = usual.set_index("template")["language"]
        flagged = self.flagged[lists.KEY]
        return flagged.assign(other=flagged["template"].map(other).fillna(""))

    def with_texts(self, texts: pd.DataFrame) -> Items:
        """The same with texts, of ``evaluation.translations.beside`` for ``to_read()``."""
        return replace(self, texts=texts)

    def newly_broken(self, limit: float) -> pd.DataFrame:
        """Items whose probability of being broken is above ``limit``, but for the known ones."""
        table = self.found.items
        table = table[table["broken"] > limit]
        if self.known is not None:
            keys = pd.MultiIndex.from_frame(table[lists.KEY])
            table = table[~keys.isin(pd.MultiIndex.from_frame(self.known[lists.KEY]))]
        return table.reset_index(drop=True)

    @property
    def languages(self) -> pd.DataFrame:
        """language, items, flagged, harder, easier, accuracy, without (0 to 1), lost (points).

        ``without`` is the accuracy over the items that are not flagged; ``lost`` the accuracy
        points that flagged ones cost, against what is expected of them (below 0: they add some).
        """
        table = by_language(self.found.items, self.found.items["flagged"])
        return table.sort_values("lost", ascending=False, ignore_index=True, kind="stable")

    @property
    def spread(self) -> pd.DataFrame:
        """parameter, value, meaning: the mixture."""
        values = vars(self.found.spread)
        rows = [(name, values[name], meaning) for name, meaning in SPREAD.items()]
        return pd.DataFrame(rows, columns=["parameter", "value", "meaning"])

    @property
    def provenance(self) -> Provenance:
        return Provenance(self.source, remark=f"Flagged: broken at {self.threshold:g} or above.")

    def frames(self) -> dict[str, pd.DataFrame]:
        return {
            "items": self.items,
            "languages": self.languages,
            "spread": self.spread,
            "judgements": self.judgements,
        }

    def tables(self) -> dict[str, Table]:
        return {"table_items": flagged_table(self.flagged, self.note)}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        table = self.found.items.dropna(subset="effect")
        return {
            "figure_items_map": lambda: draw_map(table, self.note),
            "figure_items_extreme": lambda: draw_extreme(table, self.note),
            "figure_items_cost": lambda: draw_cost(self.languages, self.note),
        }

    def write(self, directory: str | Path) -> None:
        """As every result, and the page for translators."""
        super().write(directory)
        path = Path(directory) / self.folder / "index.html"
        item_page.write(path, self.flagged, self._texts(), self._names(), self._facts())

    def written(self, name: str, frame: pd.DataFrame) -> pd.DataFrame:
        """``items.csv`` says true and false as other programs than Python do."""
        frame = super().written(name, frame)
        return frame.assign(flagged=frame["flagged"].map(TRUTH)) if name == "items" else frame

    def _texts(self) -> dict[tuple[str, str], list[item_page.Text]]:
        """Of each item, its own text, the English one, and that of another language."""
        if self.texts is None:
            return {}
        other = self.to_read().set_index(lists.KEY)["other"]
        found = {}
        for row in records(self.texts):
            key = row["language"], row["template"]
            shown = [(row["language"], row["text"])]
            if row["language"] != ENGLISH:
                shown.append((ENGLISH, row["source_text"]))
            if row["other_text"] and other.get(key):
                shown.append((other[key], row["other_text"]))
            found[key] = [item_page.Text(*one) for one in shown]
        return found

    def _names(self) -> dict[str, item_page.Names]:
        """Names and tags of the languages, and of English."""
        tags = registry().set_index("language")["iso_639_1"]
        codes = [ENGLISH, *self.found.items["language"].unique()]
        return {
            code: item_page.Names(labels.language(code), tags.get(code) or code) for code in codes
        }

    def _facts(self) -> dict[str, str]:
        """What the page says above its table."""
        table = self.found.items
        facts = {
            "Data": self.source,
            "Items": f"{len(table):,} ({table['language'].nunique()} languages)",
            "Flagged": f"{int(table['flagged'].sum())}, broken at {self.threshold:g} or above",
        }
        if len(judged := self.judgements):
            facts["Read"] = _told(judged)
        return facts

    def views(self) -> list[View]:
        table = language_display(self.languages)
        title = f"What flagged items cost, by language ({LOST})"
        return [*super().views(), View(title, table)]

    def findings(self) -> list[str]:
        table, flagged = self.found.items, self.flagged
        if flagged.empty:
            return [f"None of {len(table):,} items is flagged"]
        worst = self.languages.iloc[0]
        wrong = (1 - flagged["broken"]).mean()
        return [
            f"flagged: {len(flagged)} of {len(table):,} items, {(flagged['effect'] < 0).sum()} of "
            "them harder than elsewhere; the share of ordinary ones expected among them is "
            f"{wrong:.1%}",
            f"{labels.language(worst['language'])} loses most: {worst['lost']:.1f} accuracy points "
            f"by flagged items ({worst['flagged']})",
            *([f"Read and judged: {_told(self.judgements)}"] if len(self.judgements) else []),
        ]

    def notes(self) -> list[str]:
        found, notes = self.found, list(self.said)
        if not found.converged:
            notes.append(f"the parameters still moved after {found.rounds} rounds")
        if found.unscreened:
            notes.append(
                f"{len(found.unscreened)} templates are in fewer than three languages and cannot "
                "be screened: their items have no effect"
            )
        return notes


@speaking_python
def items(
    study: Study | Outcomes | None = None,
    threshold: float = THRESHOLD,
    *,
    known: Source | None = None,
) -> Items:
    """Screen every template in every language for what a faulty translation does to answers.

    Args:
        study: from ``load``; cells alone are enough. The embedded study without it. Where there
            are two splits, the symbolic one is screened.
        threshold: the probability of being broken from which on an item is flagged.
        known: rows of language and template (a file or a data frame) of items that are known
            already; ``newly_broken`` leaves them out. Columns judgement and reason are shown.

    Raises InputError for fewer than three languages, and for a list that cannot be read.
    """
    data = outcomes(study)
    cells, said = data.cells, data.notes
    if "split" in cells.columns and "symbolic" in set(cells["split"]):
        cells = cells[cells["split"] == "symbolic"]
    listed = None
    if known is not None:
        listed = lists.as_in(lists.read_items(located(known)), cells)
        said = (*said, *lists.absent(listed, cells, named(known, "items")))
    read = listed if listed is not None and "judgement" in listed else None
    if read is None and data.is_study:
        read = read_judgements()
    return Items(screen(cells, threshold), data.source, threshold, listed, read, said=said)


def by_language(table: pd.DataFrame, out: pd.Series) -> pd.DataFrame:
    """What items cost every language (``Items.languages``), by code.

    Args:
        table: ``Items.items``.
        out: which of them are left out, row by row.
    """
    right = table["observed"] * table["answers"]
    parts = pd.DataFrame(
        {
            "language": table["language"],
            "items": 1,
            "flagged": out,
            "harder": out & (table["effect"] < 0),
            "easier": out & (table["effect"] > 0),
            "right": right,
            "answers": table["answers"],
            "kept_right": right.where(~out, 0),
            "kept": table["answers"].where(~out, 0),
            "missed": (table["expected"] * table["answers"] - right).where(out, 0),
        }
    )
    sums = parts.groupby("language", sort=True).sum().reset_index()
    return sums[["language", "items", "flagged", "harder", "easier"]].assign(
        accuracy=sums["right"] / sums["answers"],
        without=sums["kept_right"] / sums["kept"],
        lost=100 * sums["missed"] / sums["answers"],
    )


def read_judgements() -> pd.DataFrame:
    """language, template, judgement, reason and changed_in of the study's flagged items.

    ``changed_in`` is the last release of multilingual-gsm-symbolic (0.4.7 to 0.5.5) that changed
    the template, empty for none.
    """
    path = files("capability_transfer.analysis.outcomes") / "data" / READ
    with path.open(encoding="utf-8") as stream:
        return pd.read_csv(stream, dtype=str, keep_default_na=False)


def _told(judged: pd.DataFrame) -> str:
    """``Items.judgements`` in words."""
    return ", ".join(f"{row.items} {row.judgement}" for row in judged.itertuples())


def check_limit(limit: float | None) -> None:
    """Raise InputError for a limit of ``newly_broken`` that is no probability."""
    if limit is not None and not 0 <= limit <= 1:
        raise InputError(
            f"{option('fail_above', limit)} is a probability, 0 to 1", (), "fail_above"
        )


def name(row: dict) -> str:
    """An item for people: its language and template."""
    return f"{labels.language(row['language'])} {row['template']}"


def flagged_table(flagged: pd.DataFrame, note: str) -> Table:
    """The flagged items, largest effects first, from ``items/items.csv``."""
    display = pd.DataFrame(
        [
            {
                "Item": name(row),
                "Effect": number(row["effect"], 2),
                "95% interval": f"[{number(row['conf_low'], 2)}, {number(row['conf_high'], 2)}]",
                "Accuracy": number(100 * row["observed"], 1),
                "Expected": number(100 * row["expected"], 1),
                "Strong failing": number(100 * row["strong_failing"], 0),
                "Slope": number(row["slope"], 2),
                "Broken": number(row["broken"], 3),
            }
            for row in records(flagged)
        ],
        columns=["Item", "Effect", "95% interval", "Accuracy", "Expected", "Strong failing",
                 "Slope", "Broken"],
    )  # fmt: skip
    caption = (
        "Items that are odd in one language (effects in log-odds; accuracies, and the share of "
        "strong models that score below half of what is expected, in %)."
    )
    return Table("table_items", caption, note, flagged, display)


def language_display(languages: pd.DataFrame) -> pd.DataFrame:
    """``Items.languages`` as strings."""
    return pd.DataFrame(
        {
            "Language": languages["language"].map(labels.language),
            "Flagged": languages["flagged"].astype(str),
            "Harder": languages["harder"].astype(str),
            "Easier": languages["easier"].astype(str),
            "Accuracy": [number(100 * value, 1) for value in languages["accuracy"]],
            "Without them": [number(100 * value, 1) for value in languages["without"]],
            "Points lost": [number(value, 2) for value in languages["lost"]],
        }
    )


def _widest(effects: pd.Series) -> pd.Series:
    """Effects by size, the largest first."""
    return effects.abs().sort_values(ascending=False, kind="stable")


@plots.styled
def draw_map(table: pd.DataFrame, note: str) -> Figure:
    """Effects of templates (columns) in languages (rows), from ``items/items.csv``.

    The languages with the lowest mean of flagged effects are on top, and the templates with the
    largest effect are on the left, so that broken items gather in a corner; flagged ones have a
    mark. At most ``MAP`` templates are drawn.
    """
    wide = table.pivot(index="language", columns="template", values="effect")
    widest = wide.abs().max().sort_values(ascending=False, kind="stable").index[:MAP]
    burden = table["effect"].where(table["flagged"], 0).groupby(table["language"]).sum()
    wide = wide.loc[burden.sort_values(kind="stable").index, widest]
    flagged = table.pivot(index="language", columns="template", values="flagged")
    marked = flagged.reindex_like(wide).fillna(False).to_numpy(dtype=bool)
    width = max(0.085 * wide.shape[1] + 1.8, 5.0)
    figure = plots.new_figure(width, max(0.2 * len(wide) + 1.5, 2.4))
    axes = figure.add_subplot()
    shown = axes.imshow(
        np.ma.masked_invalid(wide.to_numpy(dtype=float)), cmap="RdBu", vmin=-DEEPEST, vmax=DEEPEST,
        aspect="auto", interpolation="nearest",
    )  # fmt: skip
    for mark, side in (("o", wide.to_numpy() < 0), ("^", wide.to_numpy() > 0)):  # told in grey, too
        rows, columns = np.nonzero(marked & side)
        axes.plot(columns, rows, mark, color=plots.INK, markersize=2.6, markeredgecolor="white",
                  markeredgewidth=0.4, linestyle="")  # fmt: skip
    axes.set_yticks(range(len(wide)), [plots.plain(labels.language(one)) for one in wide.index])
    axes.set_xticks(range(wide.shape[1]), [plots.plain(one, 12) for one in wide.columns],
                    rotation=90, fontsize=4.5)  # fmt: skip
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_xlabel("template, largest effect first; flagged items: ● harder here, ▲ easier")
    bar = figure.colorbar(shown, ax=axes, shrink=0.8, extend="both")
    bar.set_label("effect, log-odds (red: harder here)")
    shows = (
        "What a language adds to the difficulty of each template (log-odds; red: harder here than "
        "elsewhere). Flagged items gather at the top left: a dot where they are harder here, a "
        "triangle where they are easier."
    )
    plots.add_note(figure, note, shows)
    return figure


@plots.styled
def draw_extreme(table: pd.DataFrame, note: str) -> Figure:
    """The ``EXTREME`` largest effects with their 95% intervals, from ``items/items.csv``."""
    rows = table.loc[_widest(table["effect"]).index[:EXTREME]]
    rows = rows.sort_values("effect", ignore_index=True, kind="stable")
    figure = plots.new_figure(6.4, max(0.17 * len(rows) + 1.2, 2.4))
    axes = figure.add_subplot()
    plots.forest(axes, rows, [name(row) for row in records(rows)], "effect",
                 "effect, 95% interval", fontsize=6.5)  # fmt: skip
    axes.set_xlabel("effect of the language on the item, log-odds (below 0: harder here)")
    shows = (
        f"The {len(rows)} items that are oddest in one language: how much harder (below 0) or "
        "easier the item is there than elsewhere, with 95% intervals."
    )
    plots.add_note(figure, note, shows)
    return figure


@plots.styled
def draw_cost(languages: pd.DataFrame, note: str) -> Figure:
    """Accuracy points that flagged items cost each language, from ``items/languages.csv``."""
    figure = plots.new_figure(6.0, max(0.24 * len(languages) + 1.0, 2.0))
    axes = figure.add_subplot()
    rows = -np.arange(len(languages), dtype=float)
    axes.barh(rows, languages["lost"], height=0.62, color=plots.OURS)
    axes.axvline(0, color=plots.MUTED, linewidth=0.8)
    told = [f"{lost:.2f} by {n}".replace("-", "−")
            for lost, n in zip(languages["lost"], languages["flagged"], strict=True)]  # fmt: skip
    plots.name_rows(axes, rows, [labels.language(one) for one in languages["language"]], told, 7.5)
    axes.set_xlabel("accuracy points lost by flagged items (right: points by number of items)")
    shows = (
        "Accuracy points that each language loses by its flagged items, against what is expected "
        "of them; on the right the points and the number of items."
    )
    plots.add_note(figure, note, shows)
    return figure
