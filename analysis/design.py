"""Join features to cells, standardise, and name what was dropped."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from capability_transfer.analysis.glmm.formula import BINOMIAL_RESPONSE, Formula, RandomTerm, parse
from capability_transfer.common.errors import InputError, name_some, option
from capability_transfer.features.table import FEATURES, Tables

INDICATORS = ("reasoning",)
"""Features that are 0 or 1 and stay so; every other number becomes a z-score."""

NOT_FEATURES = ("variant", "language", "base_model", "family")
"""Columns of the feature tables that a formula names as grouping factors."""

REMEDIES = (
    f"give it in a {option('languages')} or {option('models')} file",
    f"leave the feature out of {option('formula')}",
    f"drop these rows with {option('drop_missing', True)}",
)
COUNTS = ("cbind(n_correct,n_total-n_correct)", "cbind(n_total-n_correct,n_correct)")
"""Left sides of the outcomes' counts: right against wrong answers, or wrong against right."""

TOKENIZERS = (
    "count the models' tokenizers (`transfer features --tokenizer NAME=SPEC`), give the counts "
    f"with {option('tokenizer_counts')} and NAME in the models file's column tokenizer"
)

SAME = 1e-12
"""Values of a feature that differ by less count as equal: they differ by rounding only."""

KEYS = ("variant", "language", "template", "split")


@dataclass(frozen=True)
class Design:
    """Cells with standardised features, ready to fit.

    Attributes:
        data: one row per cell: keys, base_model, family, n_correct, n_total, and the features
            (numeric ones as z-scores, ``reasoning`` as 0/1).
        constants: feature, mean, sd: what the z-scores were made with, over the rows of ``data``.
        dropped: kind, name, feature, rows: what was left out for lack of a feature.
    """

    data: pd.DataFrame
    constants: pd.DataFrame
    dropped: pd.DataFrame

    def factors(self) -> list[str]:
        """The features that are text."""
        plain = (*KEYS, "base_model", "family", "n_correct", "n_total")
        names = [name for name in self.data.columns if name not in plain]
        return [name for name in names if not pd.api.types.is_numeric_dtype(self.data[name])]

    def omissions(self) -> list[str]:
        """What was left out for lack of a feature, a sentence for each."""
        return [
            f"dropped {row.rows} rows: {row.kind} {row.name} has no {row.feature}"
            for row in self.dropped.itertuples()
        ]


def join(
    cells: pd.DataFrame,
    tables: Tables,
    features: Collection[str],
    drop_missing: bool = False,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Cells with raw features beside them, and what had to be dropped.

    Args:
        cells: variant, language, template, n_correct, n_total, and split where there are two.
        tables: the features of languages, models and pairs.
        features: those that the model needs; the others may be missing.
        drop_missing: drop cells whose features are missing, and say so, instead of raising.

    Raises InputError naming the models and languages that lack a feature.
    """
    languages = _only(tables.languages, ["language"], features)
    models = _only(tables.models, ["variant", "base_model", "family"], features)
    pairs = _only(tables.pairs, ["variant", "language"], features)
    joined = (
        cells.merge(models, on="variant", how="left", validate="many_to_one")
        .merge(languages, on="language", how="left", validate="many_to_one")
        .merge(pairs, on=["variant", "language"], how="left", validate="many_to_one")
    )
    absent = [name for name in features if name not in joined.columns]
    for name in absent:
        places = [kind for kind, table in vars(tables).items() if name in table.columns]
        if len(places) > 1:
            raise InputError(
                f"{name} is a column of the {' and of the '.join(places)}: rename one of them"
            )
    if absent:
        raise InputError(f"no feature is called {name_some(absent)}")
    _check_finite(joined, features, tables)
    dropped = _missing(joined, features, tables)
    if not dropped.empty and not drop_missing:
        lines = "; ".join(
            f"{kind} {name_some(group['name'].unique())} has no {feature}"
            for (kind, feature), group in dropped.groupby(["kind", "feature"], sort=False)
        )
        counts = [TOKENIZERS] if (dropped["feature"] == "fertility").any() else []
        raise InputError(lines, [*counts, *REMEDIES])
    for name in set(KEYS) & set(cells.columns):  # a merge copies text; the cells' own is shared
        joined[name] = cells[name].set_axis(joined.index)
    whole = joined[list(features)].notna().all(axis=1)
    kept = joined if whole.all() else joined[whole].reset_index(drop=True)
    if kept.empty:
        raise InputError("every row lacks a feature: nothing is left to fit")
    return kept, dropped


def _check_finite(joined: pd.DataFrame, features: Collection[str], tables: Tables) -> None:
    """Raise InputError naming who has an infinite value of a feature."""
    for name in features:
        if not is_numeric(joined[name]):
            continue
        infinite = joined[np.isinf(joined[name].astype(float))]
        if not infinite.empty:
            column = "variant" if name in tables.models.columns else "language"
            kind = {"variant": "model", "language": "language"}[column]
            raise InputError(
                f"{name} of {kind} {name_some(infinite[column].unique())} is "
                f"{infinite[name].iloc[0]:g}: give a finite number"
            )


def standardise(
    data: pd.DataFrame, features: Collection[str], constants: pd.DataFrame | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Features as z-scores over the rows of ``data`` (sample SD, n − 1), and the constants.

    With ``constants`` (a training set's) those are applied instead of being computed: a held-out
    language's own mean and spread never enter (Appendix F).

    Raises InputError for a feature that is constant.
    """
    if constants is None:
        rows = []
        for name in features:
            with np.errstate(over="ignore", invalid="ignore"):  # said below
                mean, sd = data[name].mean(), data[name].std(ddof=1)
            if not np.isfinite([mean, sd]).all():
                raise InputError(f"feature {name} has values that are too large to standardise")
            if not sd > SAME * max(1.0, abs(mean)):
                raise InputError(
                    f"feature {name} is constant ({mean:g}) in these data: it can have no effect",
                    [f"leave it out of {option('formula')}"],
                )
            rows.append({"feature": name, "mean": mean, "sd": sd})
        constants = pd.DataFrame(rows, columns=["feature", "mean", "sd"])
    scaled = data.copy()
    for row in constants.itertuples():
        scaled[row.feature] = (data[row.feature] - row.mean) / row.sd
    return scaled, constants


def left_out(cells: pd.DataFrame, tables: Tables, drop_missing: bool = False) -> dict[str, str]:
    """Features that these data can have no effect of, though a model of ours names them, and why.

    Relative fertility where a pair of model and language has none (with ``drop_missing``: where
    none has, since the rows of others are dropped) or where all pairs have the same; reasoning
    where all models have one mode. Everything else that is missing is an error of ``join``.
    """
    found = {}
    pairs = cells[["variant", "language"]].drop_duplicates()
    columns = ["variant", "language", "fertility"]
    pairs = pairs.merge(tables.pairs[columns], on=columns[:2], how="left")
    lacking = pairs["fertility"].isna()
    if lacking.all() or (lacking.any() and not drop_missing):
        found["fertility"] = (
            f"the model is without relative fertility, which is not known for {_who(pairs)}: "
            "`transfer features --tokenizer NAME=SPEC` counts a tokenizer"
        )
    elif np.ptp(pairs["fertility"].dropna()) < SAME:
        found["fertility"] = (
            "the model is without relative fertility, which all pairs have the same of"
        )
    modes = tables.models["reasoning"][
        tables.models["variant"].isin(pairs["variant"].unique())
    ].unique()
    if len(modes) == 1:
        found["reasoning"] = (
            f"the model is without reasoning, which is {'on' if modes[0] else 'off'} throughout"
        )
    return found


def _who(pairs: pd.DataFrame) -> str:
    """Which pairs lack fertility: languages that lack it whole, then models, then the rest."""
    lacking = pairs["fertility"].isna()
    if lacking.all():
        return "any model"
    rest, told = pairs, []
    for kind, column in (("language", "language"), ("model", "variant")):
        whole = rest["fertility"].isna().groupby(rest[column], sort=False).all()
        names = whole.index[whole]
        if len(names):
            told.append(f"{kind} {name_some(names, 4)}")
        rest = rest[~rest[column].isin(names)]
    if count := int(rest["fertility"].isna().sum()):
        told.append(f"{count} other pairs" if told else f"{count} pairs of model and language")
    return " and ".join(told)


def of_ours(
    text: str, cells: pd.DataFrame, tables: Tables, drop_missing: bool = False
) -> tuple[Formula, tuple[str, ...]]:
    """A model that we chose for the user, without what these data cannot tell, and what that is.

    Features as ``left_out``, random effects as ``identifiable``; a sentence on each.
    """
    formula, lacking = parse(text), left_out(cells, tables, drop_missing)
    told = [why for name, why in lacking.items() if name in formula.variables()]
    groups = tables.models[["variant", "base_model", "family"]]
    formula, more = identifiable(formula.without(lacking), cells.merge(groups, on="variant"))
    return formula, (*told, *more)


def chosen(
    formula: str | None, ours: str, cells: pd.DataFrame, tables: Tables, drop_missing: bool = False
) -> tuple[Formula, tuple[str, ...]]:
    """The user's model as it stands, or ours as far as these data can tell it (``of_ours``).

    Raises InputError for a left side that is not the outcomes' (``outcome``).
    """
    if formula is not None:
        return outcome(parse(formula), cells), ()
    return of_ours(ours, cells, tables, drop_missing)


def outcome(formula: Formula, cells: pd.DataFrame) -> Formula:
    """The model of the cells' counts that a formula means.

    ``correct ~ …``, an answer's own outcome, is their model: answers of one cell share all
    covariates. Raises InputError for any other left side than the counts, with what to write.
    """
    left = "".join(formula.response.split())
    if left in COUNTS:
        return formula
    single = left == "n_correct" and (cells["n_total"] == 1).all()
    if left == "correct" or single:
        return replace(formula, response=BINOMIAL_RESPONSE)
    raise InputError(
        f"the left side of the formula is {formula.response}, but outcomes are counts by cell: "
        f"leave it out ('~ …'), or write {BINOMIAL_RESPONSE}"
    )


def identifiable(formula: Formula, data: pd.DataFrame) -> tuple[Formula, tuple[str, ...]]:
    """The model without random terms that ``data`` cannot tell, and a sentence on each.

    Those are terms of a group with one level, and of two whose levels part the rows alike the
    first: a base model that was run in one mode is its variant.
    """
    kept, told = [], []
    last: dict[tuple[str, bytes], RandomTerm] = {}
    for term in formula.random:
        codes, levels = pd.factorize(term.levels(data))
        if len(levels) < 2:
            told.append(f"the model is without {term}: there is one {term.group} ({levels[0]})")
            continue
        alike = last.get(key := (term.lhs, codes.tobytes()))
        if alike is not None:
            kept.remove(alike)
            told.append(f"the model is without {alike}: its levels are those of {term.group}")
        kept.append(term)
        last[key] = term
    return (replace(formula, random=tuple(kept)) if told else formula), tuple(told)


def needed(formula: Formula, tables: Tables) -> list[str]:
    """The features that a formula names: the registered ones, then others in the tables."""
    names = [feature.name for feature in FEATURES]
    for table in (tables.languages, tables.models, tables.pairs):
        names += [name for name in table.columns if name not in (*names, *NOT_FEATURES)]
    return [name for name in names if name in formula.variables()]


def build(
    cells: pd.DataFrame, tables: Tables, features: Collection[str], drop_missing: bool = False
) -> Design:
    """Join and standardise: the data of Eq. 1, with Table 4's constants (see ``join``).

    Numbers become z-scores over the rows; indicators, booleans and text stay as they are.
    """
    joined, dropped = join(cells, tables, features, drop_missing)
    numeric = [name for name in features if is_numeric(joined[name]) and name not in INDICATORS]
    scaled, constants = standardise(joined, numeric)
    known = [name for name in KEYS if name in scaled.columns]
    columns = [*known, "base_model", "family", "n_correct", "n_total", *features]
    return Design(scaled[columns], constants, dropped)


def is_numeric(column: pd.Series) -> bool:
    """Whether a column holds numbers (booleans are not)."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _only(table: pd.DataFrame, keys: list[str], features: Collection[str]) -> pd.DataFrame:
    return table[keys + [name for name in features if name in table.columns]]


def _missing(joined: pd.DataFrame, features: Collection[str], tables: Tables) -> pd.DataFrame:
    """Who lacks which feature, and how many rows that concerns."""
    rows = []
    for name in features:
        lacking = joined[joined[name].isna()]
        if name in tables.models.columns:
            kind, who = "model", lacking["variant"]
        elif name in tables.languages.columns:
            kind, who = "language", lacking["language"]
        else:
            kind, who = "pair", lacking["variant"] + " × " + lacking["language"]
        counts = who.value_counts(sort=False)
        rows += [
            {"kind": kind, "name": label, "feature": name, "rows": count}
            for label, count in counts.items()
        ]
    return pd.DataFrame(rows, columns=["kind", "name", "feature", "rows"])


def pair_means(data: pd.DataFrame) -> pd.DataFrame:
    """Accuracy (0–1) of every (variant, language): templates weigh equally."""
    share = data["n_correct"] / data["n_total"].replace(0, np.nan)
    keys = [data["variant"], data["language"]]
    return share.groupby(keys).mean().rename("accuracy").reset_index()
