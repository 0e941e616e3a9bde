"""What would a planned study detect? Power by simulation from the fitted model.

A simulation draws languages and runs from those at hand, new levels of every random effect, and
answers; refits the model; and asks whether each effect is significant. So the uncertainty about
which languages and models are sampled is part of the power, as it must be when an effect is one
of languages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.analysis import design
from capability_transfer.analysis.glmm.columns import INTERCEPT
from capability_transfer.analysis.glmm.laplace import Settings
from capability_transfer.analysis.glmm.laplace import fit as laplace
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.common import kept
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.common.files import hash_project, hash_settings
from joblib import Parallel, delayed
from scipy.special import expit
from statsmodels.stats.proportion import proportion_confint

LEVEL = 0.05
SIMULATIONS = 100
FEWEST = {"languages": 4, "variants": 4, "templates": 2, "instances": 1}


@dataclass(frozen=True)
class Plan:
    """A planned study: how many languages, runs, templates, and instances of each template."""

    languages: int
    variants: int
    templates: int
    instances: int

    def __post_init__(self):
        for name, fewest in FEWEST.items():
            if getattr(self, name) < fewest:
                raise InputError(
                    f"a planned study has at least {fewest} {name}, not {getattr(self, name)}"
                )

    def __str__(self) -> str:
        return (
            f"{self.languages} languages, {self.variants} runs, {self.templates} templates, "
            f"{self.instances} instances"
        )


@dataclass(frozen=True)
class Population:
    """What planned studies are drawn from.

    Attributes:
        pairs: one row per variant and language of the data: variant, base_model, family,
            language, and the features as the model takes them (z-scores of the data, so that an
            effect stays one per SD of the data whatever languages are drawn).
        fit: the model whose random-effect SDs and formula are used.
        effects: fixed effects by term, the planned ones in place of the fitted.
    """

    pairs: pd.DataFrame
    fit: Fit
    effects: pd.Series


def population(built: design.Design, fit: Fit, effects: dict[str, float]) -> Population:
    """The pairs of a design and the effects to be detected.

    Args:
        built: the design behind the fit.
        fit: of the main model or another.
        effects: planned effects by term (log-odds per SD); other terms keep the fitted ones.

    Raises InputError for a term that the model lacks.
    """
    known = fit.coefficients
    for term in effects:
        if term not in known.index:
            raise InputError(
                f"the model has no effect {term!r}.{suggest(term, known.index)} "
                f"It has {name_some(known.index, 20)}"
            )
    counts = ("template", "split", "n_correct", "n_total")
    columns = [name for name in built.data.columns if name not in counts]
    pairs = built.data[columns].drop_duplicates(["variant", "language"], ignore_index=True)
    planned = pd.Series({term: effects.get(term, known[term]) for term in known.index})
    return Population(pairs, fit, planned)


def draw(population: Population, plan: Plan, seed: Sequence[int]) -> pd.DataFrame:
    """The cells of one simulated study.

    Languages and runs come without replacement as long as there are enough of them, the rest
    with; one drawn again is another language, or another base model of the same family, with the
    same features. Every random effect is drawn anew.

    Args:
        seed: entropy of this simulation.

    Returns the columns of the pairs, template, n_correct, n_total.
    """
    rng = np.random.default_rng(seed)
    pairs = population.pairs
    languages = _copies(pairs["language"].unique(), plan.languages, rng)
    variants = _copies(pairs["variant"].unique(), plan.variants, rng)
    grid = pd.MultiIndex.from_product([range(plan.variants), range(plan.languages)])
    first, second = grid.get_level_values(0), grid.get_level_values(1)
    rows = pairs.set_index(["variant", "language"]).reindex(
        pd.MultiIndex.from_arrays(
            [variants["of"].to_numpy()[first], languages["of"].to_numpy()[second]]
        )
    )
    if rows.isna().to_numpy().any():
        raise InputError("a planned study needs data of every run in every language")
    rows = rows.reset_index(drop=True)
    copy = variants["copy"].to_numpy()[first].astype(str)
    rows["base_model"] = rows["base_model"] + np.where(copy == "0", "", " #" + copy)
    rows["variant"] = variants["name"].to_numpy()[first]
    rows["language"] = languages["name"].to_numpy()[second]
    cells = rows.loc[rows.index.repeat(plan.templates)].reset_index(drop=True)
    cells["template"] = np.tile([f"t{i}" for i in range(plan.templates)], len(rows))
    eta = _linear_predictor(population, cells, rng)
    cells["n_correct"] = rng.binomial(plan.instances, expit(eta))
    cells["n_total"] = plan.instances
    return cells


def simulate(population: Population, plan: Plan, seed: int, number: int) -> pd.DataFrame:
    """One simulation: simulation, term, estimate, std_error, p_value, converged.

    A study that cannot be fitted (every answer correct, or no run with reasoning drawn) has no
    estimates and counts as one that detects nothing.
    """
    cells = draw(population, plan, (seed, number))
    terms = population.effects.index
    try:
        fit = laplace(
            population.fit.formula, cells, start=population.fit, settings=Settings(tolerance=1e-4)
        )
    except InputError:
        return pd.DataFrame(
            {"simulation": number, "term": terms, "estimate": np.nan, "std_error": np.nan,
             "p_value": np.nan, "converged": False}
        )  # fmt: skip
    table = fit.fixed_effects.set_index("term").loc[list(terms)].reset_index()
    table = table[["term", "estimate", "std_error", "p_value"]]
    table.insert(0, "simulation", number)
    return table.assign(converged=fit.optimisation.converged)


def simulations(
    population: Population,
    plan: Plan,
    seed: int,
    number: int,
    cache: Path | None,
    counting: Callable[[str, int], AbstractContextManager[Callable[[int], None]]],
    workers: int = 2,
) -> pd.DataFrame:
    """``number`` simulations of a plan, those that are in the cache read from it.

    Each is kept as it ends, so an interrupted run goes on where it stopped, and more simulations
    add to those there are. Their results do not depend on how many run at once.
    """
    if number < 1:
        raise InputError(f"at least one simulation is needed, not {number}")
    key = hash_settings(
        hash_project(),
        population.fit.provenance.get("data_hash"),
        str(population.fit.formula),
        population.effects.round(12).to_dict(),
        asdict(plan),
        seed,
    )
    paths = {i: _path(cache, key, i) for i in range(number)}
    at_hand = {i: kept.found(path, pd.DataFrame) for i, path in paths.items()}
    done = {i: table for i, table in at_hand.items() if table is not None}
    waiting = [i for i in range(number) if i not in done]
    with counting(str(plan), len(waiting)) as tell:
        for i, table in _run(population, plan, seed, waiting, workers):
            done[i] = table
            if paths[i]:
                kept.write(table, paths[i])
            tell(1)
    return pd.concat([done[i] for i in range(number)], ignore_index=True)


def power(
    tables: dict[Plan, pd.DataFrame], population: Population, level: float = LEVEL
) -> pd.DataFrame:
    """The share of simulations that detect each effect at a level.

    Args:
        tables: ``simulations`` by plan.
        level: of the two-sided Wald test.

    Returns languages, variants, templates, instances, term, effect, level, simulations, power,
    conf_low, conf_high (95% Wilson), wrong_sign (share detected with the wrong sign), bias,
    sd_estimate, mean_std_error (log-odds), failed. An effect of zero has its false-positive rate
    as power. Raises InputError for a level outside 0 to 1.
    """
    if not 0 < level < 1:
        raise InputError(f"a level lies between 0 and 1, not {level:g}")
    rows = []
    for plan, table in tables.items():
        for term, part in table[table["term"] != INTERCEPT].groupby("term", sort=False):
            effect = float(population.effects[term])
            detected = part["p_value"] < level
            low, high = proportion_confint(detected.sum(), len(part), method="wilson")
            wrong = detected & (np.sign(part["estimate"]) != np.sign(effect))
            rows.append(
                asdict(plan)
                | {
                    "term": term,
                    "effect": effect,
                    "level": level,
                    "simulations": len(part),
                    "power": detected.mean(),
                    "conf_low": low,
                    "conf_high": high,
                    "wrong_sign": wrong.mean() if effect else np.nan,
                    "bias": part["estimate"].mean() - effect,
                    "sd_estimate": part["estimate"].std(ddof=1),
                    "mean_std_error": part["std_error"].mean(),
                    "failed": int((~part["converged"].astype(bool)).sum()),
                }
            )
    return pd.DataFrame(rows)


def _copies(labels: np.ndarray, number: int, rng: np.random.Generator) -> pd.DataFrame:
    """``number`` draws of labels: name (unique), of (the label drawn), copy (0 for the first)."""
    once = rng.permutation(labels)[:number]
    more = rng.choice(labels, max(number - len(labels), 0))
    table = pd.DataFrame({"of": np.concatenate([once, more])})
    table["copy"] = table.groupby("of").cumcount()
    again = " #" + table["copy"].astype(str)
    return table.assign(name=table["of"] + again.where(table["copy"] > 0, ""))


def _linear_predictor(
    population: Population, cells: pd.DataFrame, rng: np.random.Generator
) -> np.ndarray:
    """Fixed effects plus new draws of every random effect, log-odds."""
    fit = population.fit
    eta = fit.fixed_matrix(cells) @ population.effects[fit.coefficients.index].to_numpy()
    for term in fit.formula.random:
        codes, levels = pd.factorize(term.levels(cells))
        covariates, columns = fit.random_matrix(term, cells)
        spread = _covariance(fit, term.group, columns)
        effects = rng.multivariate_normal(np.zeros(len(columns)), spread, len(levels))
        eta += np.einsum("ij,ij->i", covariates, effects[codes])
    return eta


def _covariance(fit: Fit, group: str, columns: list[str]) -> np.ndarray:
    """Covariance of one term's random effects from the fit's SDs and correlations."""
    sds = np.array([fit.sd(group, column) for column in columns])
    matrix = np.eye(len(columns))
    for row in fit.correlations[fit.correlations["group"] == group].itertuples():
        if row.term_1 in columns and row.term_2 in columns:
            i, j = columns.index(row.term_1), columns.index(row.term_2)
            matrix[i, j] = matrix[j, i] = row.correlation
    return matrix * np.outer(sds, sds)


def _path(cache: Path | None, key: str, number: int) -> Path | None:
    return None if cache is None else Path(cache) / "power" / key / f"{number:05d}.npz"


def _run(
    population: Population, plan: Plan, seed: int, waiting: list[int], workers: int
) -> Iterator[tuple[int, pd.DataFrame]]:
    """Simulations as they end, with their numbers."""
    if not waiting:
        return
    job = delayed(_numbered)
    pool = Parallel(n_jobs=min(workers, len(waiting)), return_as="generator_unordered")
    yield from pool(job(population, plan, seed, number) for number in waiting)


def _numbered(
    population: Population, plan: Plan, seed: int, number: int
) -> tuple[int, pd.DataFrame]:
    return number, simulate(population, plan, seed, number)
