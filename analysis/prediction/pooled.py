"""The pooled predictor: models in languages on several benchmarks at once.

Benchmarks share models and languages, so that results on one say something of another: of how able
a model is, how it falls off with resource, and how hard a language is. Beside what is shared, every
benchmark has its own level, its own slopes of size and resource, and its own deviations of models
and of languages, all random effects; items are never compared between benchmarks. With c the share
that guessing gets right on the benchmark (its floor), η the log-odds of knowing,

    P(correct) = c + (1 − c) expit(η).

A model whose size is not published has the mean size, and a level and a slope of resource of its
kind, so that closed models inform languages too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from capability_transfer.analysis.design import identifiable
from capability_transfer.analysis.glmm.formula import parse
from capability_transfer.analysis.glmm.posterior import Posterior
from capability_transfer.analysis.glmm.predict import probability
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.prediction import model_names
from capability_transfer.analysis.prediction.models import Languages, fit_glmm
from capability_transfer.analysis.prediction.new_language import GROWTH
from capability_transfer.analysis.prediction.predictors import Smooth
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.features import languages as language_registry
from capability_transfer.features import models as model_registry
from capability_transfer.features.names import in_mode
from capability_transfer.features.reasoning import mode

FORMULA = (
    "~ articles + resource * (size + size_unknown) + (resource + size) * reasoning"
    " + (1 | family) + (1 | base_model) + (1 | variant) + (1 | language)"
    " + (0 + resource | family) + (0 + resource | base_model)"
    " + (0 + scarcity | family) + (0 + scarcity | base_model)"
    " + (1 | benchmark) + (0 + size | benchmark) + (0 + resource | benchmark)"
    " + (1 | benchmark:base_model) + (1 | benchmark:language)"
    " + (1 | benchmark:variant:language)"
)
"""Without the terms that the data at hand cannot tell (``_formula``).

``scarcity`` is what resource lies below the languages' mean: families and models may fall off
otherwise there than above. Slopes in place of ``smooth``'s functions of resource by base model keep
a fit of thousands of rows in seconds. What else was tried, with the errors of held-out languages:
``analysis/data/benchmark_features.csv``.
"""

SMOOTH = Smooth("smooth", "resource")
MODEL = ["variant", "base_model", "family", "size", "reasoning"]
FEATURES = ["resource", "articles"]
KEYS = ["benchmark", *MODEL, "language", *FEATURES, "floor"]
OPTIONAL = ("size_unknown", "reasoning", "articles")
"""Covariates that leave the formula where all models have one value."""

GUESSED = "articles by resource"
"""Of the constants: the slope (as the mean) and the SD about it, in z-scores."""

PAIR = ["benchmark", "variant", "language"]


@dataclass(frozen=True, eq=False)
class Pool:
    """Outcomes of several benchmarks with raw features.

    Attributes:
        rows: ``KEYS`` (size: log2 billions; reasoning: 0/1; resource: log10 pages; articles: log10
            of Wikipedia's; size and articles are NaN where they are not known), n_correct,
            n_total; one row per ``PAIR``.
        left_out: sentences on rows that could not enter, and on some that had better not.
    """

    rows: pd.DataFrame
    left_out: tuple[str, ...] = ()

    @property
    def benchmarks(self) -> pd.Series:
        """The floor of every benchmark."""
        return self.rows.groupby("benchmark", sort=False)["floor"].first()

    def without(self, drop: pd.Series) -> Pool:
        """The pool without some of its rows."""
        return replace(self, rows=self.rows[~drop].reset_index(drop=True))


def pool(counts: Sequence[pd.DataFrame], languages: pd.DataFrame) -> Pool:
    """Counts of benchmarks (``outcomes.benchmarks``) as one pool.

    Args:
        counts: tables of benchmark, model, language, floor, n_correct, n_total, and params_b,
            base_model, family, reasoning where they are known. A model that a table does not
            describe is looked for among those of the tables before it; of two rows of one
            ``PAIR`` the later table's counts.
        languages: language, resource, articles (``store.known_languages``).

    Rows whose language has no resource are left out and named. Raises InputError for a language
    that is not known, a ``PAIR`` that one table has twice, under whatever names, and for a
    benchmark with two floors.
    """
    own_codes = set(languages["language"])
    tables, models = [], pd.DataFrame(columns=[*MODEL, "hub_id", "tokenizer"])
    for table in counts:
        described = describe_models(table, models)
        outcomes = table[["benchmark", "language", "floor", "n_correct", "n_total"]]
        own = described.loc[table["model"]].reset_index(drop=True)
        joined = outcomes.reset_index(drop=True).join(own)
        codes = {code: code if code in own_codes else language_registry.resolve(code)
                 for code in joined["language"].unique()}  # fmt: skip
        joined["language"] = joined["language"].map(codes)
        _refuse_twice(joined, table)
        tables.append(joined)
        new = described.drop_duplicates("variant")
        models = pd.concat([models, new[~new["variant"].isin(models["variant"])]])
    rows = pd.concat(tables[::-1], ignore_index=True).drop_duplicates(PAIR)
    floors = rows.groupby("benchmark")["floor"].unique()
    for benchmark, stated in floors[floors.map(len) > 1].items():
        raise InputError(
            f"{benchmark} has more than one floor, {' and '.join(f'{one:g}' for one in stated)}: "
            "leave it empty, or give a benchmark that is answered otherwise another name"
        )
    rows[FEATURES] = languages.set_index("language")[FEATURES].reindex(rows["language"]).to_numpy()
    lacking, told = rows["resource"].isna(), ()
    if lacking.any():
        names = sorted(rows["language"][lacking].unique())
        told = (
            f"{lacking.sum():,} rows are left out, since Common Crawl does not count their "
            f"languages: {name_some(names, 12)}",
        )
    kept = rows.loc[~lacking, [*KEYS, "n_correct", "n_total"]]
    return Pool(kept.reset_index(drop=True), (*told, *_below_floors(kept)))


def _refuse_twice(rows: pd.DataFrame, written: pd.DataFrame) -> None:
    """InputError where one ``PAIR`` stands in two rows of a table, ``written`` with other names."""
    twice = rows.duplicated(PAIR, keep=False).to_numpy()
    if twice.any():
        first = rows[twice].iloc[0]
        same = (rows[PAIR] == first[PAIR]).all(axis=1).to_numpy()
        names = [f"{row.model} in {row.language}" for row in written[same].itertuples()]
        raise InputError(
            f"{name_some(names)} are one model in one language on {first['benchmark']}, "
            f"{first['variant']} in {first['language']}: keep one row; or, of two settings of a "
            "model, say so in the columns base_model or reasoning"
        )


def _below_floors(rows: pd.DataFrame) -> list[str]:
    """Sentences on models that are right less often than by guessing, by three standard errors."""
    by = rows.groupby(["benchmark", "variant"], sort=False)
    sums = by[["n_correct", "n_total"]].sum().join(by["floor"].first()).reset_index()
    error = np.sqrt(sums["floor"] * (1 - sums["floor"]) * sums["n_total"])
    below = sums[sums["n_correct"] < sums["floor"] * sums["n_total"] - 3 * error]
    return [
        f"on {benchmark} right less often than by guessing: {name_some(names['variant'])}. Their "
        "answers may not have the form that was asked for; such models are predicted too high and "
        "mislead, leave them out"
        for benchmark, names in below.groupby("benchmark", sort=False)
    ]


def describe_models(table: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """``MODEL``, hub_id and tokenizer of every model of a table, by its name there.

    What the table says counts; what it leaves out comes from a model of ``known`` with the same
    name, then from the name itself. A size that no one states is NaN.
    """
    rows = {}
    columns = ["params_b", "base_model", "family", "reasoning"]
    for row in table.reindex(columns=["model", *columns]).drop_duplicates("model").itertuples():
        said = {name: _text(getattr(row, name)) for name in columns[1:]}
        size = float(row.params_b) if pd.notna(row.params_b) else None
        reasoning = said["reasoning"] and mode(said["reasoning"], f"reasoning of {row.model}")
        found = None
        if said["base_model"] is None and len(known):
            found = model_names.find(known, row.model, size, near_is_error=False)
        if found is not None and found.in_data:
            rows[row.model] = _as_known(found, reasoning)
            continue
        size = size if size is not None else model_names.stated(row.model)
        family = said["family"] or (model_names.family_of(known, row.model) if len(known) else None)
        rows[row.model] = {
            "variant": row.model,
            "base_model": said["base_model"] or row.model,
            "family": family or said["base_model"] or row.model,
            "size": np.nan if size is None else np.log2(size),
            "reasoning": int(reasoning == "on"),
        }
    described = pd.DataFrame.from_dict(rows, orient="index", columns=MODEL)
    registered = model_registry.registry().set_index("variant")
    for name in ("hub_id", "tokenizer"):
        described[name] = described["variant"].map(registered[name]).fillna("")
    return described


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _as_known(found: model_names.Named, reasoning: str | None) -> dict[str, object]:
    """A known model in the mode that is stated, else in its only or non-reasoning one."""
    on = int((reasoning or found.mode or "off") == "on")
    rows = found.rows[found.rows["reasoning"] == on]
    if rows.empty and reasoning is None:
        rows = found.rows
    if len(rows):
        return rows.iloc[0][MODEL].to_dict()
    label = in_mode(found.base_model, "on" if on else "off")
    return found.rows.iloc[0][MODEL].to_dict() | {"variant": label, "reasoning": on}


@dataclass(frozen=True, eq=False)
class FittedPool:
    """The pooled model's fit.

    Attributes:
        fit: of the engine.
        data: the rows it was fitted to, standardised (``standardised``).
        constants: feature, mean, sd: of the languages' resource and articles and the base models'
            size; and of ``GUESSED``, articles (z-scores) where they are not known.
        posterior: of its effects.
        start: what the next fit can start from.
    """

    fit: Fit
    data: pd.DataFrame
    constants: pd.DataFrame
    posterior: Posterior
    start: object = None

    @property
    def languages(self) -> Languages:
        """Those learned from."""
        return _languages(self.data)

    def sampled(self, draws: int, seed: int) -> FittedPool:
        """The same with draws of its effects (``Posterior.sampled``)."""
        return replace(self, posterior=self.posterior.sampled(draws, seed))

    def standardised(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Rows with raw features as the model reads them."""
        return standardised(rows, self.constants)

    def _posterior(self, rows: pd.DataFrame) -> Posterior:
        known = self.languages.join(_languages(rows))
        return self.posterior.extended([SMOOTH.kernel(known, self.languages)])

    def _held_in(self, rows: pd.DataFrame) -> pd.DataFrame | None:
        """The rows with sizes at the edge of what is known where they lie beyond, None if none do:
        the edge of all sizes, or a doubling above the largest of the model's family."""
        known = self.data[self.data["size_unknown"] == 0]
        doubling = 1 / self.constants.set_index("feature").loc["size", "sd"]
        tops = known.groupby("family")["size"].max() + doubling
        top = rows["family"].map(tops).fillna(np.inf).clip(upper=known["size"].max())
        inside = rows["size"].clip(known["size"].min(), top)
        return None if (inside == rows["size"]).all() else rows.assign(size=inside)

    def plug_in(self, rows: pd.DataFrame) -> np.ndarray:
        """Probabilities of a correct answer of standardised rows, what is new at its mean."""
        posterior = self._posterior(rows)
        eta = posterior.linear_predictor(rows)
        if (edge := self._held_in(rows)) is not None:
            eta = GROWTH * eta + (1 - GROWTH) * posterior.linear_predictor(edge)
        return probability(self.fit, eta, rows)

    def draws(self, rows: pd.DataFrame, seed: int) -> np.ndarray:
        """Draws of the probabilities (rows × draws), each row as if it alone were asked about."""
        posterior = self._posterior(rows)
        noise, error = np.random.default_rng(seed).standard_normal((2, posterior.count))
        eta = posterior.draws_apart(rows, noise)
        if rows["articles_error"].any():
            slope = posterior.draws_apart(rows.assign(articles=rows["articles"] + 1.0), noise) - eta
            eta = eta + rows["articles_error"].to_numpy()[:, None] * error * slope
        if (edge := self._held_in(rows)) is not None:
            share = np.random.default_rng([seed, 4]).random(posterior.count)
            eta = share * eta + (1 - share) * posterior.draws_apart(edge, noise)
        return probability(self.fit, eta, rows)


def fit(found: Pool, start: object = None) -> FittedPool:
    """The pooled model on a pool; ``start`` is that of another fit of it.

    Raises InputError for a pool that cannot be fitted: one language or one model.
    """
    rows = found.rows
    for column, plural in (("language", "languages"), ("variant", "models")):
        if rows[column].nunique() < 2:
            raise InputError(
                f"the outcomes are of one {column} only: what differs between {plural} cannot be "
                "learned from them"
            )
    constants = _constants(rows)
    data = standardised(rows, constants)
    languages = _languages(data)
    structured = [SMOOTH.kernel(languages, languages)]
    made, following, model = fit_glmm(_formula(data), data, "laplace", start, structured)
    posterior = Posterior(made, data, structured, model)
    return FittedPool(made, data, constants, posterior, following)


def restore(
    made: Fit, data: pd.DataFrame, constants: pd.DataFrame, drawn: dict[str, object]
) -> FittedPool:
    """A fit that was made before, from its rows, its constants and its drawn effects.

    Raises ValueError for the draws of another fit.
    """
    languages = _languages(data)
    posterior = Posterior(made, data, [SMOOTH.kernel(languages, languages)]).with_drawn(drawn)
    return FittedPool(made, data, constants, posterior)


def _languages(rows: pd.DataFrame) -> Languages:
    covariates = rows.groupby("language")[["resource"]].first()
    return Languages(covariates, pd.DataFrame(index=covariates.index))


def standardised(rows: pd.DataFrame, constants: pd.DataFrame) -> pd.DataFrame:
    """z-scores; a size that is not known is the mean, and size_unknown 1. Articles that are not
    known are what a line over resource says, and articles_error the SD about it."""
    known = constants.set_index("feature")
    scaled = rows.assign(size_unknown=rows["size"].isna().astype(float))
    for name in (*FEATURES, "size"):
        scaled[name] = (scaled[name] - known.loc[name, "mean"]) / known.loc[name, "sd"]
    slope, error = known.loc[GUESSED]
    return scaled.assign(
        size=scaled["size"].fillna(0.0),
        scarcity=(-scaled["resource"]).clip(lower=0.0),
        articles_error=scaled["articles"].isna() * error,
        articles=scaled["articles"].fillna(slope * scaled["resource"]),
    )


def _constants(rows: pd.DataFrame) -> pd.DataFrame:
    of_languages = rows.groupby("language")[FEATURES].first()
    of_models = rows.groupby("base_model")["size"].first().dropna()
    table = {name: (of_languages[name].mean(), of_languages[name].std()) for name in FEATURES}
    table["size"] = (of_models.mean(), of_models.std())
    known = of_languages["articles"].count()
    alike = of_languages.corr().loc[FEATURES[0], "articles"] if known > 2 else 0.0
    table[GUESSED] = (alike, np.sqrt(1 - alike**2))
    constants = pd.DataFrame.from_dict(table, orient="index", columns=["mean", "sd"])
    constants = constants.fillna({"mean": 0.0}).assign(sd=lambda t: t["sd"].where(t["sd"] > 0, 1.0))
    return constants.rename_axis("feature").reset_index()


def _formula(data: pd.DataFrame) -> str:
    """The model without what these rows cannot tell, above the benchmarks' floors."""
    constant = [name for name in ("size", *OPTIONAL) if data[name].nunique() < 2]
    found, _ = identifiable(parse(FORMULA).without(constant), data)
    return str(found) + (", floor = floor" if (data["floor"] > 0).any() else "")
