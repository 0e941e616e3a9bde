"""``make few-templates``: what a few templates in a language add to its prediction (Table 5).

The study's method refits everything with the few cells; ours leaves the other languages' fit as it
is and updates the language (``item_model``). k templates are the first of a shuffle of all of
them, one for each language and draw; every model answers them. The error is that of the mean
prediction over the templates not seen, against the accuracy over all templates (``truth = all``,
the study's: the truth holds the templates that were seen) or over those not seen (``unseen``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from capability_transfer.analysis.prediction.evaluate import (
    Counting,
    Store,
    Task,
    fit_to_all,
    in_parallel,
)
from capability_transfer.analysis.prediction.folds import Fold, keep_all, split
from capability_transfer.analysis.prediction.item_model import ItemModel, Prior, fit_without_each
from capability_transfer.analysis.prediction.models import CellModel, PairModel, Refits
from capability_transfer.analysis.prediction.predictors import predictor
from capability_transfer.analysis.prediction.scores import (
    NOMINAL,
    RESAMPLES,
    interval_of_mean,
    place,
)
from capability_transfer.common.errors import InputError, name_some
from joblib import delayed

BUDGETS = (0, 1, 2, 5, 10, 20)
PREDICTORS = ("study", "smooth")
FEW_DRAWS, MANY_DRAWS = 3, 20
PREDICTIVE_DRAWS = 400
POINTS = 100.0
COVERAGE = [f"coverage_{round(100 * level)}" for level in NOMINAL]
COLUMNS = ["predictor", "language", "draw", "k", "truth", "level", "error", *COVERAGE]
UNCOUNTED = (np.nan,) * len(COVERAGE)


def few_templates(
    task: Task,
    counting: Counting,
    predictors: Sequence[str] = PREDICTORS,
    budgets: Sequence[int] = BUDGETS,
    draws: int = MANY_DRAWS,
    languages: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Errors of every predictor, language, draw and budget.

    Args:
        task: data and settings.
        counting: shows progress.
        predictors: fitted to cells (refitted) or to pairs (updated).
        budgets: k.
        draws: shuffles.
        languages: those to hold out; all of the task's without it.

    Columns: predictor, language, draw, k, truth, level, error (accuracy points; pairs averaged),
    coverage_50, coverage_80, coverage_95 (share of pairs inside the interval, of the first
    ``FEW_DRAWS`` draws; NaN for predictors that are refitted).

    Raises InputError for a budget that leaves no template unseen and a predictor without a GLMM.
    """
    templates = sorted(task.joined["template"].unique())
    if too_many := [k for k in budgets if not 0 <= k < len(templates)]:
        raise InputError(
            f"{name_some(too_many)} templates cannot be seen: there are {len(templates)}, and at "
            "least one must stay unseen"
        )
    if fixed := [n for n in predictors if not isinstance(predictor(n), CellModel | PairModel)]:
        raise InputError(f"templates seen change GLMMs, not the predictor {name_some(fixed)}")
    held = sorted(task.joined["language"].unique() if languages is None else languages)
    store = Store(task)
    jobs, keys = [], []
    for name in predictors:
        wanted = [(language, tuple(range(draws)), tuple(budgets)) for language in held]
        todo = [what for what in wanted if not store.has(name, ("few", what))]
        start = fit_to_all(task, name)[0].start if todo else None
        of_items = {}
        if todo and isinstance(predictor(name), PairModel):
            of_items = fit_without_each(task.joined, [language for language, *_ in todo])
        jobs += [delayed(_piece)(task, name, what, start, of_items.get(what[0])) for what in todo]
        keys += [(name, ("few", what)) for what in wanted]
    for name, what, table in in_parallel(task, jobs, "languages", counting):
        store.put(table, name, ("few", what))
    return pd.concat([store.get(*key) for key in keys], ignore_index=True)


def shuffled(templates: Sequence[str], language: str, draw: int, seed: int) -> np.ndarray:
    """The order in which a language's templates are seen in a draw."""
    key = [seed, draw, *language.encode()]
    return np.random.default_rng(key).permutation(np.asarray(sorted(templates), dtype=object))


def _piece(task: Task, name: str, what: tuple, start: object, item_model: ItemModel | None):
    language, draws, budgets = what
    if item_model is None:
        return name, what, _refitted(task, name, language, draws, budgets, start)
    return name, what, _updated(task, name, language, draws, budgets, start, item_model)


def _refitted(task: Task, name: str, language: str, draws, budgets, start) -> pd.DataFrame:
    """The study's way: the cells seen join the training rows; all effects at their modes."""
    cells = keep_all(task.joined).train
    refits = Refits(predictor(name), cells, task.vectors, task.engine)
    away = (cells["language"] == language).to_numpy()
    truth = _accuracy(cells, language)
    template = truth.columns.get_indexer(cells["template"])
    variant = truth.index.get_indexer(cells["variant"])
    none = refits.plug_in(~away, start)
    residual = cells["n_correct"].to_numpy() - cells["n_total"].to_numpy() * none[0]
    orders = [shuffled(truth.columns, language, draw, task.seed) for draw in draws]
    rows = []
    for k in budgets:
        masks = [away & truth.columns.isin(order[:k])[template] for order in orders]
        found, following = none
        # a refit begins where one to templates of almost the same success ended
        for which in np.argsort([residual[mask].sum() for mask in masks], kind="stable"):
            unseen = away & ~masks[which]
            if k:
                found, following = refits.plug_in(~unseen, following)
            point = np.bincount(variant[unseen], found[unseen]) / np.bincount(variant[unseen])
            rows += _errors(name, language, draws[which], orders[which][:k], point, truth)
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table.sort_values(["draw", "k"], kind="stable", ignore_index=True)


def _updated(
    task: Task, name: str, language: str, draws, budgets, start, item_model: ItemModel
) -> pd.DataFrame:
    """Our way: what was predicted for the language is updated by the cells seen."""
    parts = split(task.joined, Fold("language", language, (language,)))
    fitted = predictor(name).fit(parts.train, task.vectors, task.engine, start)
    truth = _accuracy(task.joined, language)
    pairs = parts.held.drop_duplicates("variant").set_index("variant").loc[truth.index]
    pairs = pairs.reset_index()
    # As the point prediction has the SDs: a normal update cannot weigh those of the draws anew.
    posterior = fitted.extend_posterior(pairs, task.vectors)
    mean, covariance = posterior.linear_predictor(pairs), posterior.covariance(pairs)
    prior = Prior.of(item_model, mean, covariance, pairs)
    templates, *counts = prior.tempered(parts.held)
    items = parts.held.groupby("template")["n_total"].first()
    rows = []
    for draw in draws:
        order = shuffled(truth.columns, language, draw, task.seed)
        for k in budgets:
            seen = templates.get_indexer(order[:k])
            known = prior.update(templates[seen], *(part[seen] for part in counts))
            unseen = pd.Index(order[k:])
            covered = UNCOUNTED
            if draw < FEW_DRAWS:
                generator = np.random.default_rng([task.seed, draw, k])
                drawn = known.draws(unseen, PREDICTIVE_DRAWS, generator)
                trials = items[unseen].to_numpy(dtype=float)
                asked = max(round((trials / item_model.dispersions(trials)).sum()), 1)
                drawn = generator.binomial(asked, drawn) / asked
                away = np.abs(place(truth[unseen].mean(axis=1).to_numpy(), drawn) - 0.5)
                covered = tuple((away <= nominal / 2).mean() for nominal in NOMINAL)
            point = known.accuracy(unseen)
            rows += _errors(name, language, draw, order[:k], point, truth, covered)
    return pd.DataFrame(rows, columns=COLUMNS)


def _accuracy(joined: pd.DataFrame, language: str) -> pd.DataFrame:
    """Accuracy (0–1) of variants × templates in a language."""
    cells = joined[joined["language"] == language]
    share = (cells["n_correct"] / cells["n_total"]).rename("accuracy")
    return pd.concat([cells[["variant", "template"]], share], axis=1).pivot(
        index="variant", columns="template", values="accuracy"
    )


def _errors(
    name: str,
    language: str,
    draw: int,
    seen: np.ndarray,
    point: np.ndarray,
    truth: pd.DataFrame,
    covered: tuple[float, ...] = UNCOUNTED,
) -> list[tuple]:
    """Rows of ``COLUMNS``; ``covered`` are the shares of pairs inside the intervals."""
    rows = []
    accuracy = truth.to_numpy()
    for which, against, shares in (
        ("all", accuracy, UNCOUNTED),
        ("unseen", accuracy[:, ~truth.columns.isin(seen)], covered),
    ):
        difference = POINTS * (point - np.nanmean(against, axis=1))
        key = (name, language, draw, len(seen), which)
        rows.append((*key, "pair", np.abs(difference).mean(), *shares))
        rows.append((*key, "language", abs(difference.mean()), *UNCOUNTED))
    return rows


def summarise(errors: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Table 5: draws averaged within a language, then languages; intervals over languages.

    Columns: predictor, truth, k, draws, level, mae, conf_low, conf_high (accuracy points; the
    percentile interval of ``RESAMPLES`` resamples of the languages), few_low, few_high (the central
    95% of what ``FEW_DRAWS`` of all draws, picked anew for each language, would have given). A
    budget has a row for the first ``FEW_DRAWS`` draws and one for all of them where there are more.
    """
    rows = []
    keys = ["predictor", "truth", "k", "level"]
    for values, group in errors.groupby(keys, sort=False):
        for draws in sorted({min(FEW_DRAWS, group["draw"].nunique()), group["draw"].nunique()}):
            means = group[group["draw"] < draws].groupby("language")["error"].mean().to_numpy()
            generator = np.random.default_rng(seed)
            low, high = interval_of_mean(means, generator)
            few = _means_of_few(group, draws, generator)
            rows.append((*values, draws, means.mean(), low, high, *few))
    figures = ["mae", "conf_low", "conf_high", "few_low", "few_high"]
    table = pd.DataFrame(rows, columns=[*keys, "draws", *figures])
    order = ["predictor", "truth", "k", "draws", "level", *figures]
    first = {name: place for place, name in enumerate(dict.fromkeys(errors["predictor"]))}
    return table[order].sort_values(
        ["predictor", "truth", "level", "draws", "k"],
        key=lambda column: column.map(first) if column.name == "predictor" else column,
        ignore_index=True,
    )


def _means_of_few(
    group: pd.DataFrame, draws: int, generator: np.random.Generator
) -> tuple[float, float]:
    """The central 95% of the error over ``FEW_DRAWS`` draws; NaN where there are no more."""
    if draws <= FEW_DRAWS:
        return np.nan, np.nan
    wide = group.pivot(index="language", columns="draw", values="error").to_numpy()
    order = generator.random((RESAMPLES, *wide.shape)).argsort(axis=-1, kind="stable")[
        ..., :FEW_DRAWS
    ]
    picked = np.take_along_axis(np.broadcast_to(wide, (RESAMPLES, *wide.shape)), order, axis=-1)
    low, high = np.quantile(picked.mean(axis=(1, 2)), [0.025, 0.975])
    return low, high


def coverage(errors: pd.DataFrame) -> pd.DataFrame:
    """predictor, k, coverage_50 … coverage_95 of pairs' accuracies over the templates not seen."""
    known = errors[errors["coverage_80"].notna()]
    return known.groupby(["predictor", "k"], sort=False)[COVERAGE].mean().reset_index()
