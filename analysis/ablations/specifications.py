"""Would another model have found the same? Alternative specifications (Appendix A.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
from capability_transfer.analysis import design, study
from capability_transfer.analysis.glmm.cache import cached_fit
from capability_transfer.analysis.glmm.columns import INTERCEPT
from capability_transfer.analysis.glmm.formula import Formula, parse
from capability_transfer.analysis.glmm.result import Fit
from capability_transfer.analysis.inputs import Inputs
from capability_transfer.analysis.variance import EXPLAINED_GROUPS, variance_explained
from capability_transfer.common.errors import InputError, name_some, suggest
from capability_transfer.features.table import FEATURES


@dataclass(frozen=True)
class Specification:
    """One model: what it adds to the main one, or which random term it drops.

    ``add`` is lme4 syntax; ``drop`` a grouping factor whose random intercept goes.
    """

    name: str
    label: str
    add: str = ""
    drop: str = ""

    def formula(self, main: str = study.MAIN) -> Formula:
        """The main model with the change."""
        model = parse(main + (f" + {self.add}" if self.add else ""))
        return replace(
            model, random=tuple(term for term in model.random if term.group != self.drop)
        )


SPECIFICATIONS = (
    Specification("main", "Main model"),
    Specification("resource_distance", "Resource × distance", "resource:distance"),
    Specification("script", "Script other than Latin", "non_latin"),
    Specification(
        "template_language", "Template difficulty by language", "(1 | template:language)"
    ),
    Specification("no_language", "No language effect", drop="language"),
    Specification("observation", "Observation-level effect", "(1 | cell)"),
    Specification(
        "slopes_language",
        "Size and reasoning vary by language",
        "(0 + size + reasoning | language)",
    ),
    Specification(
        "slopes_base_model",
        "Resource and distance vary by base model",
        "(0 + resource + distance | base_model)",
    ),
)
"""A further specification is one line; ``non_latin`` and ``cell`` are columns of ``prepared``."""


def prepared(inputs: Inputs, main: str = study.MAIN) -> pd.DataFrame:
    """The data of every specification: ``non_latin`` is 0 or 1, ``cell`` a label of each row.

    Raises InputError for languages without a script.
    """
    added = set().union(*(each.formula(main).variables() for each in SPECIFICATIONS))
    wanted = [feature.name for feature in FEATURES if feature.name in added]
    built = design.build(inputs.cells, inputs.features, wanted)
    scripts = inputs.features.languages.set_index("language")["script"].replace("", np.nan)
    script = built.data["language"].map(scripts)
    if script.isna().any():
        unknown = name_some(built.data["language"][script.isna()].unique())
        raise InputError(f"no script is known for {unknown}: give it in a --languages file")
    return built.data.assign(
        non_latin=(script != "Latn").astype(float), cell=np.arange(len(script)).astype(str)
    )


def choose(names: Sequence[str]) -> tuple[Specification, ...]:
    """The specifications of these names, the main one first; InputError for one there is not."""
    known = {each.name: each for each in SPECIFICATIONS}
    for name in names:
        if name not in known:
            raise InputError(
                f"no specification {name!r}.{suggest(name, known)} There are {name_some(known, 12)}"
            )
    return tuple(known[name] for name in dict.fromkeys(("main", *names)))


def specifications(
    inputs: Inputs,
    fitting: Callable[[str], AbstractContextManager[Callable]],
    cache_dir: Path | None = None,
    chosen: Sequence[Specification] = SPECIFICATIONS,
    main: str = study.MAIN,
    engine: str = "laplace",
) -> pd.DataFrame:
    """Fit every specification and its size-only baseline, in one tidy table.

    Args:
        inputs: outcomes and features.
        fitting: makes a progress context from a label.
        cache_dir: where finished fits are kept.
        chosen: from ``choose``; the main one among them.
        main: in place of the study's main model.

    Returns one row per specification and effect: specification, label, part (``fixed``,
    ``random``), term, estimate (log-odds per SD; an SD for random effects, whose term is
    ``group`` or ``group:covariate`` in brackets), std_error, p_value, change (estimate minus the
    main model's), significance_changed (p crosses .05), aic, aic_change, log_lik, df, singular,
    explained_language, explained_variant_language (1 − SD²/SD² of a baseline with size alone and
    the same random terms), published, published_p_value.
    """
    data = prepared(inputs, main)
    tables = []
    for specification in chosen:
        formula = specification.formula(main)

        def run(label: str, which: Formula) -> Fit:
            with fitting(label) as progress:
                return cached_fit(
                    engine, which, data, cache_dir, provenance=inputs.provenance, progress=progress
                )

        try:
            fit = run(specification.label, formula)
        except InputError as error:
            raise InputError(
                f"specification {specification.name}: {error}. Choose others with --only"
            ) from error
        baseline = None
        if "size" in formula.variables():
            baseline = run(f"{specification.label}, size only", replace(formula, fixed="size"))
        tables.append(
            _effects(fit).assign(
                specification=specification.name,
                label=specification.label,
                aic=fit.aic,
                log_lik=fit.log_lik,
                df=fit.df,
                singular=fit.optimisation.singular,
                **_explained(fit, baseline),
            )
        )
    table = _with_changes(pd.concat(tables, ignore_index=True))
    table = _with_published(table, inputs.is_study and parse(main) == parse(study.MAIN))
    first = ["specification", "label", "part", "term", "estimate", "std_error", "p_value"]
    return table[[*first, *(name for name in table.columns if name not in first)]]


def _effects(fit: Fit) -> pd.DataFrame:
    fixed = fit.fixed_effects[["term", "estimate", "std_error", "p_value"]].assign(part="fixed")
    random = fit.random_effects
    intercept = random["term"] == INTERCEPT
    names = random["group"].where(intercept, random["group"] + " [" + random["term"] + "]")
    spread = pd.DataFrame({"part": "random", "term": names, "estimate": random["sd"]})
    return pd.concat([fixed, spread], ignore_index=True)


def _explained(fit: Fit, baseline: Fit | None) -> dict[str, float]:
    """Shares of variance, missing where there is no such effect or an SD is at zero."""
    has = {term.group for term in fit.formula.random} if baseline is not None else set()
    shares = {}
    for group in EXPLAINED_GROUPS:
        share = np.nan
        if group in has:
            share = variance_explained(fit, baseline, (group,))["explained"].iloc[0]
        shares[f"explained_{group.replace(':', '_')}"] = share
    return shares


def _with_changes(table: pd.DataFrame) -> pd.DataFrame:
    """What differs from the main model, effect by effect."""
    main = table[table["specification"] == "main"].set_index(["part", "term"])
    keys = pd.MultiIndex.from_frame(table[["part", "term"]])
    before = main.reindex(keys)
    crossed = (table["p_value"] < 0.05).to_numpy() != (before["p_value"] < 0.05).to_numpy()
    known = table["p_value"].notna().to_numpy() & before["p_value"].notna().to_numpy()
    return table.assign(
        change=table["estimate"].to_numpy() - before["estimate"].to_numpy(),
        significance_changed=crossed & known,
        aic_change=table["aic"] - main["aic"].iloc[0],
    )


def _with_published(table: pd.DataFrame, is_study: bool) -> pd.DataFrame:
    known = published().set_index(["specification", "part", "name"])
    keys = pd.MultiIndex.from_frame(table[["specification", "part", "term"]])
    beside = known.reindex(keys) if is_study else known.iloc[:0].reindex(keys)
    return table.assign(
        published=beside["estimate"].to_numpy(), published_p_value=beside["p_value"].to_numpy()
    )


@cache
def published() -> pd.DataFrame:
    """What Appendix A.1 states: specification, part, name, estimate, p_value, source."""
    with (
        resources.files("capability_transfer.analysis")
        .joinpath("data/study_specifications.csv")
        .open() as file
    ):
        return pd.read_csv(file)
