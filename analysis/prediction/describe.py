"""Predictions in words: remarks that a reader needs, and the table in percent."""

from __future__ import annotations

import pandas as pd
from capability_transfer.analysis import published
from capability_transfer.analysis.prediction.new_model import AskedModel
from capability_transfer.analysis.prediction.scores import NOMINAL
from capability_transfer.common.errors import InputError, name_some, option, spelled

KNOWN = {
    "variant": "in the data",
    "base_model": "its base model is in the data, in the other mode",
    "family": "new; its family is in the data",
    "nothing": "new, and so is its family: a wide interval",
}
"""What is known about a model from the data (``AskedModel.known``)."""

LITTLE_TEXT = 5.6
"""log10 pages below which the languages with least text lie, Swahili (5.47) and fewer."""

EXTREMES = {
    ("resource", -1): "has less text than any language learned from",
    ("resource", 1): "has more text than any language learned from",
    ("distance", -1): "is closer to English than any language learned from",
    ("distance", 1): "is farther from English than any language learned from",
}
MULTIPLE = (
    "times the parameters that such a model needs to be predicted what it is in English (≤1: none "
    "more)"
)
"""The meaning of the last column of ``in_percent``."""

POINTS = "plug-in: what is not known is at its mean; integrated: the mean over what it may be"
"""The meaning of the first two columns of ``in_percent``."""

SOURCES = {"data": "", "counted": "~", "unknown": "?", "unused": "–"}
"""Marks that show where a relative fertility comes from."""

WITHOUT_FERTILITY = "relative fertility is not in the model: the data to learn from lack it"


def model_line(model: AskedModel) -> str:
    """A model in one line: size, mode, family, and what is known about it from the data."""
    mode = "on" if model.reasoning else "off"
    size = "size unknown" if model.size != model.size else f"{2**model.size:g}B"
    return (
        f"{model.variant}: {size}, reasoning {mode}, family "
        f"{model.family.removesuffix(' (new)')} ({KNOWN[model.known]})"
    )


def in_percent(table: pd.DataFrame) -> pd.DataFrame:
    """``new_language.predict``'s table as strings: predictions and intervals in percent."""
    display = _with_intervals(table, [])
    display["distance"] = [f"{value:.3f}" for value in table["distance"]]
    values = zip(table["fertility"], table["fertility_source"], strict=True)
    display["fertility"] = [
        SOURCES[source] + (f"{value:+.2f}" if source in ("data", "counted") else "")
        for value, source in values
    ]
    display["× size"] = [
        "–" if v != v else "≤1" if round(v, 1) < 1 else f"{v:.1f}" for v in table["size_multiple"]
    ]
    return display


def benchmarks_in_percent(table: pd.DataFrame) -> pd.DataFrame:
    """Predictions on benchmarks as strings, in percent."""
    display = _with_intervals(table, ["benchmark", "model"])
    display["seen"] = table["seen"].map({True: "yes", False: ""})
    return display


def _with_intervals(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    display = pd.DataFrame({"": table["name"] + " (" + table["language"] + ")"})
    display[keys] = table[keys]
    for point in ("plug_in", "integrated"):
        display[point.replace("_", "-")] = [f"{100 * value:.1f}" for value in table[point]]
    for level in (round(100 * level) for level in NOMINAL):
        ends = zip(table[f"low_{level}"], table[f"high_{level}"], strict=True)
        display[f"{level}%"] = [f"{100 * low:.0f}–{100 * high:.0f}" for low, high in ends]
    display["log10 pages"] = [f"{value:.2f}" for value in table["resource"]]
    return display


def benchmark_remarks(table: pd.DataFrame) -> list[str]:
    """Remarks on extrapolation, and on pairs that are in the data."""
    lines = outside_lines(table.drop_duplicates("language"))
    new = table[~table["seen"]]
    if (little := new["name"][new["resource"] < LITTLE_TEXT].drop_duplicates()).size:
        found = published.read("benchmark_errors")
        found = found[(found["benchmark"] == "mgsm_pro") & (found["predictor"] == "integrated")]
        mae, covered = found[["mae", "coverage_80"]].iloc[0]
        lines.append(
            f"languages with as little text as {name_some(little)}: on MGSM-Pro predictions for "
            f"five held out of everything were {mae:.0f} points off on average, and 80% intervals "
            f"covered {covered:.0%} of the pairs"
        )
    if table["seen"].any():
        count = table["seen"].sum()
        lines.append(f"{count} of these pairs {'is' if count == 1 else 'are'} in the data already")
    return lines


def new_benchmark(name: str) -> str:
    """What a prediction on a benchmark without outcomes rests on, and what such ones were worth."""
    found = published.read("benchmark_errors")
    whole = found[(found["held_out"] == "the benchmark") & (found["predictor"] == "pooled")]
    known = whole[whole["benchmark"] != "global_piqa"]  # whose answers are choices
    told = [f"{row.mae:.0f} points on {row.benchmark}" for row in known.itertuples()]
    return spelled(
        f"{name}: no outcomes of it are learned from; it is taken for one more benchmark of "
        f"questions with a number as the answer. Predictions like that were off by "
        f"{' and '.join(told)}; results of a language or two ({option('train')}) place its level"
    )


def outside_lines(table: pd.DataFrame) -> list[str]:
    """A sentence on every language whose features lie outside those learned from."""
    lines = []
    for (feature, sign), what in EXTREMES.items():
        if f"{feature}_outside" not in table.columns:
            continue  # a predictor without this feature
        outside = sign * table[f"{feature}_outside"]
        for name, far in zip(table["name"][outside > 0], outside[outside > 0], strict=True):
            lines.append(f"extrapolation: {name} {what} ({far:.2f} SD outside)")
    return lines


def how_far(table: pd.DataFrame) -> list[tuple[int, tuple[str, ...]]]:
    """How far each language lies outside those learned from: 0 inside, 1 up to an SD, 2 beyond.

    With the reasons, in words that follow the language's name.
    """
    found = []
    for _, row in table.iterrows():
        out = {key: key[1] * row.get(f"{key[0]}_outside", 0.0) for key in EXTREMES}
        reasons = tuple(what for key, what in EXTREMES.items() if out[key] > 0)
        found.append((int(max(out.values()) > 0) + int(max(out.values()) > 1), reasons))
    return found


def remarks(table: pd.DataFrame, marks: bool = True) -> list[str]:
    """Remarks on extrapolation, guesses, calibration, and pairs that are in the data.

    And on the marks of ``in_percent``, unless they are not shown.
    """
    lines = outside_lines(table)
    if marks and (table["fertility_source"] == "counted").any():
        lines.append("relative fertility marked ~ was counted with the model's tokenizer")
    if (table["fertility_source"] == "unknown").any():
        lines.append(
            f"relative fertility that is not known{' (?)' if marks else ''} is taken as 0, an "
            "average tokenizer's; its spread is in the interval"
        )
    if (table["fertility_source"] == "unused").any():
        lines.append(WITHOUT_FERTILITY)
    for row in table[table["templates"] > 0].itertuples():
        plural = "s" * (row.templates != 1)
        lines.append(f"{row.name}: calibrated with {row.templates} template{plural} of yours")
    if table["seen"].any():
        lines.append(f"in the data already: {name_some(table['name'][table['seen']])}")
    return lines


def target_lines(table: pd.DataFrame, target: float) -> list[str]:
    """``new_language.what_reaches``'s table in sentences; InputError where nothing reaches it."""
    if table["params_b"].isna().all() and not (table["reasoning_on"] >= target).any():
        best = table.loc[table["best"].idxmax()]
        raise InputError(
            f"no size up to {table['limit_b'].iloc[0]:,.0f}B reaches {target:.0%} there: the best "
            f"plug-in prediction is {best['best']:.0%} ({best['language']})"
        )
    lines = []
    for row in table.itertuples():
        if row.params_b == row.params_b:
            text = f"about {row.params_b:.3g}B parameters in the same family and mode"
        else:
            text = f"no size up to {row.limit_b:,.0f}B (best: {row.best:.0%})"
        if row.reasoning_on == row.reasoning_on:
            text += f"; with reasoning on, this model: {row.reasoning_on:.0%}"
        lines.append(f"{target:.0%} in {row.language} (plug-in): {text}")
    return lines
