"""What would a planned study detect? Power by simulation from the fitted model.

A simulation draws languages and runs from those at hand, new levels of every random effect, and
answers; refits the model; and asks whether each effect is significant. So the uncertainty about
which languages and models are sampled is part of the power, as it must be when an effect is one
of languages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from capability_transfer.analysis import design, labels
from capability_transfer.analysis.arguments import several, speaking_python, whole
from capability_transfer.analysis.glmm.columns import INTERCEPT
from capability_transfer.analysis.glmm.laplace import Settings
from capability_transfer.analysis.glmm.laplace import fit as laplace
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.glmm.shares import term_covariance
from capability_transfer.analysis.presentation import plots
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.presentation.result import Result, Sheet
from capability_transfer.analysis.presentation.tables import Table, number
from capability_transfer.analysis.studies.main_model import FittedModel, fit
from capability_transfer.common import progress
from capability_transfer.common.errors import InputError, name_some, option, suggest
from capability_transfer.common.kept import Store
from capability_transfer.common.parallel import replaced_quietly
from joblib import Parallel, delayed
from scipy.special import expit
from statsmodels.stats.proportion import proportion_confint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEVEL = 0.05
SIMULATIONS = 100
FEWEST = {"languages": 4, "variants": 4, "templates": 2, "instances": 1}
PLAN = list(FEWEST)
"""What a plan says, and the columns of a table that name it."""

WORDS = {"variants": "runs"}
COLORS = ("#1f5a94", "#c2571a", "#3a7d44", "#8c4a8c", "#7b8794", "#b8860b")
MARKERS = "oDs^vP"

Numbers = int | Sequence[int]


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


@dataclass(frozen=True, eq=False, repr=False)
class Power(Result):
    """The share of simulated studies that detect each effect.

    Attributes:
        table: languages, variants, templates, instances, term, effect, level, simulations, power,
            conf_low, conf_high (95% Wilson), wrong_sign, bias, sd_estimate, mean_std_error, failed.
        model: the fit that planned studies are drawn from.
    """

    table: pd.DataFrame
    model: FittedModel

    folder = "power"
    title = "Power of planned studies"
    about = "Simulated from a fit. "

    @property
    def provenance(self) -> Provenance:
        study = self.model.study
        return Provenance.of(study.source, self.model.fit, study.seed)

    def frames(self) -> dict[str, pd.DataFrame]:
        return {"power": self.table}

    def tables(self) -> dict[str, Table]:
        return {"table_power": power_table(self.table, self.note)}

    def figures(self) -> dict[str, Callable[[], Figure]]:
        return {"figure_power": lambda: detection(self.table, self.note)}

    def notes(self) -> list[str]:
        return list(self.model.without)

    def plot(self, ax: Axes | None = None) -> Axes:
        """A row per effect, a mark per plan, with 95% intervals for the number of simulations."""
        with plots.axes(ax, 6.4, _height(self.table), self.note) as ax:
            draw_detection(ax, self.table)
            plots.legend_above(ax)
        return ax

    def sheet(self) -> Sheet:
        facts = {
            "simulations": f"{self.table['simulations'].iloc[0]} per plan",
            "drawn from": f"a fit to {self.model.study.source}",
        }
        (table,) = self.tables().values()
        return Sheet(self.title, facts, table.display)


@speaking_python
def power(
    model: FittedModel | None = None,
    *,
    languages: Numbers = (8, 15, 30),
    variants: Numbers = 46,
    templates: Numbers = 50,
    instances: Numbers = 10,
    effects: Mapping[str, float] | None = None,
    simulations: int = SIMULATIONS,
    level: float = LEVEL,
    workers: int = 2,
) -> Power:
    """What would a planned study detect? Every combination of the numbers is a plan.

    Args:
        model: from ``fit``: languages, models and random effects are drawn from it; the study's
            model without.
        languages: how many; one number or several.
        variants: likewise.
        templates: likewise.
        instances: likewise, of each template.
        effects: effects to detect by term (log-odds per SD), in place of the fitted ones.
        simulations: of each plan; a hundred take about a minute.
        level: of the two-sided test.
        workers: simulations at once; no result depends on it.

    Raises InputError for plans that are too small, a level outside 0 to 1, and a term that the
    model lacks.
    """
    check_level(level)
    model = fit() if model is None else model
    if not isinstance(model, FittedModel):
        raise InputError(f"power starts from what fit() returns, not a {type(model).__name__}")
    numbers = dict(zip(PLAN, (languages, variants, templates, instances), strict=True))
    asked = (
        [whole(name, value) for value in several(name, values)] for name, values in numbers.items()
    )
    plans = [Plan(*chosen) for chosen in product(*asked)]
    simulations, workers = whole("simulations", simulations), whole("workers", workers)
    planned = population(model.design, model.fit, dict(effects or {}))
    study = model.study
    with replaced_quietly():
        tables = {
            plan: simulate_all(planned, plan, study.seed, simulations, study.cache, workers)
            for plan in plans
        }
    return Power(detected(tables, planned, level), model)


def check_level(level: float) -> None:
    """Raise InputError for a level that is not between 0 and 1."""
    if not 0 < level < 1:
        raise InputError(
            f"{option('level')} is a share between 0 and 1, such as 0.05, not {level:g}",
            parameter="level",
        )


def planned_effect(text: str) -> tuple[str, float]:
    """``term=value`` as term and log-odds per SD; InputError for anything else."""
    term, equals, value = text.partition("=")
    try:
        if not equals:
            raise ValueError
        return term.strip(), float(value)
    except ValueError:
        raise InputError(
            f"an effect is written term=value, like resource:size=-0.1, not {text!r}"
        ) from None


@dataclass(frozen=True)
class Population:
    """The population that planned studies are drawn from.

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


def simulate_all(
    population: Population,
    plan: Plan,
    seed: int,
    number: int,
    cache: Path | None,
    workers: int = 2,
) -> pd.DataFrame:
    """``number`` simulations of a plan, those that are in the cache read from it.

    Each is kept as it ends, so an interrupted run goes on where it stopped, and more simulations
    add to those there are. Their results do not depend on how many run at once.
    """
    kept = Store(cache).pieces(
        "power",
        population.fit.provenance.get("data_hash"),
        str(population.fit.formula),
        population.effects.round(12).to_dict(),
        asdict(plan),
        seed,
    )
    done = kept.find(range(number), pd.DataFrame)
    waiting = [i for i in range(number) if i not in done]
    with progress.counting(str(plan), len(waiting)) as tell:
        for i, table in _run(population, plan, seed, waiting, workers):
            done[i] = table
            kept.keep(i, table)
            tell(1)
    return pd.concat([done[i] for i in range(number)], ignore_index=True)


def detected(
    tables: dict[Plan, pd.DataFrame], population: Population, level: float = LEVEL
) -> pd.DataFrame:
    """The share of simulations that detect each effect at a level.

    Args:
        tables: ``simulate_all`` by plan.
        level: of the two-sided Wald test.

    Returns languages, variants, templates, instances, term, effect, level, simulations, power,
    conf_low, conf_high (95% Wilson), wrong_sign (share detected with the wrong sign), bias,
    sd_estimate, mean_std_error (log-odds), failed. An effect of zero has its false-positive rate
    as power.
    """
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
        spread = term_covariance(fit, term.group, columns)
        effects = rng.multivariate_normal(np.zeros(len(columns)), spread, len(levels))
        eta += np.einsum("ij,ij->i", covariates, effects[codes])
    return eta


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


def power_table(power: pd.DataFrame, note: str) -> Table:
    """From ``power/power.csv``: a row per effect, a column per plan, power in percent."""
    effects = power.drop_duplicates("term").set_index("term")["effect"]
    display = pd.DataFrame(
        {
            "": [labels.term(term) for term in effects.index],
            "Effect": [number(value, 3) for value in effects],
        }
    )
    for plan, rows in power.groupby(PLAN, sort=False):
        found = rows.set_index("term").loc[effects.index]
        display[" × ".join(str(value) for value in plan)] = [
            f"{100 * row.power:.0f} [{100 * row.conf_low:.0f}, {100 * row.conf_high:.0f}]"
            for row in found.itertuples()
        ]
    caption = (
        "Power of planned studies in percent; columns: languages × runs × templates × instances."
    )
    explanation = (
        f"Two-sided Wald test at level {power['level'].iloc[0]:g}, "
        f"{power['simulations'].iloc[0]} simulations a plan, 95% Wilson intervals; effects in "
        "log-odds per SD. Languages, runs and all random effects are drawn anew each time. For a "
        "planned effect of zero this is the false-positive rate."
    )
    return Table("table_power", caption, f"{explanation} {note}", power, display)


@plots.styled
def detection(power: pd.DataFrame, note: str) -> Figure:
    """From ``power/power.csv``: a row per effect, a mark per plan, 95% Wilson intervals."""
    figure = plots.new_figure(6.6, _height(power))
    draw_detection(figure.add_subplot(), power)
    figure.legend(loc="outside upper left", ncols=3, fontsize=8)
    fixed = [
        f"{power[name].iloc[0]} {WORDS.get(name, name)}"
        for name in PLAN
        if name not in _varying(power)
    ]
    each = f"{power['simulations'].iloc[0]} simulations per plan; {', '.join(fixed)}."
    shows = (
        "Share of simulated studies that detect each effect, by plan, with 95% Wilson intervals. "
        f"{each} In brackets: the effect, log-odds per SD."
    )
    plots.add_note(figure, note, shows)
    return figure


def _height(power: pd.DataFrame) -> float:
    """Inches that the figure of these effects takes."""
    return 0.36 * power["term"].nunique() + 1.6


def draw_detection(axes: Axes, power: pd.DataFrame) -> None:
    """The share of simulations that detect each effect; no legend."""
    terms = list(dict.fromkeys(power["term"]))
    plans = list(power.groupby(PLAN, sort=False))
    axes.axvline(100 * power["level"].iloc[0], color=plots.MUTED, linewidth=0.8, linestyle=":")
    axes.axvline(80, color=plots.MUTED, linewidth=0.8, linestyle="--")
    shifts = np.linspace(0.24, -0.24, len(plans)) if len(plans) > 1 else [0.0]
    for place, (shift, (values, rows)) in enumerate(zip(shifts, plans, strict=True)):
        color = COLORS[place % len(COLORS)]
        named = dict(zip(PLAN, values, strict=True))
        label = ", ".join(f"{named[name]} {WORDS.get(name, name)}" for name in _varying(power))
        places = np.array([-terms.index(term) for term in rows["term"]]) + shift
        axes.hlines(
            places, 100 * rows["conf_low"], 100 * rows["conf_high"], color=color, linewidth=1.2
        )
        axes.plot(
            100 * rows["power"], places, MARKERS[place % len(MARKERS)], color=color,
            markersize=4, label=label,
        )  # fmt: skip
    effects = power.drop_duplicates("term").set_index("term")["effect"]
    names = [
        f"{plots.plain(labels.term(term))} ({effects[term]:+.2f})".replace("-", "−")
        for term in terms
    ]
    axes.set_yticks(-np.arange(len(terms)), names)
    axes.set_ylim(-len(terms) + 0.4, 0.6)
    axes.set_xlim(-2, 102)
    axes.tick_params(axis="y", length=0)
    plots.grid(axes, "x")
    axes.set_xlabel(f"power, % (level {power['level'].iloc[0]:g} dotted, 80% dashed)")


def _varying(power: pd.DataFrame) -> list[str]:
    """What the plans differ in."""
    return [name for name in PLAN if power[name].nunique() > 1] or ["languages"]
