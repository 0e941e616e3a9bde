"""Figures show names that users gave, whatever is in them, and show them as they stand."""

import io
import warnings
from html import unescape

import matplotlib
import numpy as np
import pandas as pd
import pytest
from capability_transfer.analysis.presentation.plots import LONGEST, plain
from capability_transfer.analysis.report.svg import inline, panel
from capability_transfer.analysis.studies import (
    ceiling,
    equivalence,
    few_templates,
    held_out,
    main_model,
    overview,
    penalty,
    robustness,
    sample_size,
    specifications,
    stages,
    transfer_metrics,
)
from capability_transfer.analysis.studies import levers as lever_study
from capability_transfer.analysis.studies import power as planned
from capability_transfer.analysis.studies import predictions as predicted
from matplotlib.figure import Figure

NAMES = ["a$b_c^{$ d", "<script>$x$", "=cmd|' /C calc'!A0 $\\frac{$"]
NOTE = "Data: outcomes of /home/me/a$b_c^{/" + "very-long" * 300 + "$.csv."
N = np.arange(3.0)
ENDS = {"conf_low": N - 1, "conf_high": N + 1}
PUBLISHED = {"published": [0.5, np.nan, np.nan]}


def frame(**columns):
    return pd.DataFrame(columns)


def terms(names=NAMES, **more):
    return frame(term=names, estimate=N, std_error=0.1, **ENDS, **PUBLISHED, **more)


def budgets(name):
    rows = frame(k=[0, 1], mae=[2.0, 1.0], conf_low=[1.0, 0.5], conf_high=[3.0, 2.0], draws=3)
    return rows.assign(predictor=name, truth="all", level="pair")


def splits():
    rows = [
        frame(split=name, templates=[1, 10], std_error=[9.0, 3.0], rank_correlation=[0.5, 0.9],
              rank_low=0.4, rank_high=0.95, rank_reference="own_split", published=np.nan,
              published_rank=np.nan)
        for name in NAMES
    ]  # fmt: skip
    return pd.concat(rows, ignore_index=True)


def instances():
    rows = [frame(split=name, instances=[1, 20, np.inf], std_error=[9, 3, 2.0]) for name in NAMES]
    return pd.concat(rows, ignore_index=True)


def pairs(**more):
    return frame(language=NAMES, predictor="study", level="language", observed=[0.2, 0.5, 0.8],
                 predicted=[0.3, 0.4, 0.8], plug_in=[0.3, 0.4, 0.9], low_80=0.1, high_80=0.9,
                 **more)  # fmt: skip


def metrics():
    return frame(variant=NAMES, hat=N, hat_corrected=N, hat_corrected_low=N, hat_corrected_high=N,
                 transfer_score=N / 3, source_accuracy=N / 3, target_accuracy=N / 4)  # fmt: skip


def two(**columns):
    """Rows of every name under two labels."""
    label, values = columns.popitem()
    rows = pd.DataFrame({name: np.repeat(column, 2) for name, column in columns.items()})
    return rows.assign(**{label: values * 3})


def on(draw, *tables):
    """A figure of a function that draws on axes."""
    figure = Figure()
    axes = figure.add_subplot()
    draw(axes, *tables)
    figure.legend()
    return figure


def predictions():
    ends = {f"{side}_{level}": N / 3 for side in ("low", "high") for level in (95, 80, 50)}
    return frame(name=NAMES, language="x$_", plug_in=N / 3, **ends)


def levers():
    names = NAMES[:2]
    rows = [
        frame(feature="resource", lever=lever, setting=name, value=[5.0, 6.0], odds_ratio=2.0,
              conf_low=1.0, conf_high=3.0)
        for lever in lever_study.TITLES
        for name in names
    ]  # fmt: skip
    return pd.concat(rows, ignore_index=True)


def changes():
    return frame(variant=NAMES, original=N, accuracy=N, rank_original=[3, 2, 1], rank=[3, 2, 1],
                 change=[0, 1, -1])  # fmt: skip


def shape():
    curves = [
        frame(curve=name, resource=[5.0, 6.0], effect=[-1.0, 0], low=-2.0, high=1.0)
        for name in (held_out.ALL, *NAMES)
    ]
    return pd.concat(curves, ignore_index=True)


def profiles():
    return frame(variant=NAMES, source_rate=0.5, target_rate=0.5, std_error=0.1, items=5)


def power():
    return terms(power=N / 3, effect=N, level=0.05, simulations=100, languages=8, variants=4,
                 templates=5, instances=10)  # fmt: skip


MEAN = frame(conf_low=[0.0], conf_high=[1.0], gap=[0.5])
TEST = frame(n=[3], difference=[0.1], equivalent=[True], margin=[1.0], p_value=[0.01])
RATES = pd.Series({"parameters": 1.0, "pages": 1.0, "doublings": 2.0, "times": 4.0})
STAGES = list(stages.NAMES)

FIGURES = {
    "02": (lambda: main_model.figure_02(terms(), NOTE), NAMES),
    "03": (
        lambda: stages.rates_by_stage(
            frame(language=NAMES * 3, stage=np.repeat(STAGES, 3), rate=np.linspace(0, 1, 9)), NOTE
        ),
        NAMES,
    ),
    "04": (lambda: lever_study.panels(levers(), frame(resource=[5, 6]), NOTE), NAMES[:2]),
    "05": (
        lambda: held_out.forecast_of_means(
            pairs(), frame(level=["-"], predictor="-", k=0, value=0.0), NOTE
        ),
        NAMES,
    ),
    "09": (
        lambda: sample_size.by_budget(splits(), instances(), NOTE),
        [f"{n} questions" for n in NAMES],
    ),
    "10": (
        lambda: penalty.gaps_by_language(
            frame(language=NAMES, gap=N, runs=[1, 2, 3], **ENDS, **PUBLISHED), MEAN, NOTE
        ),
        NAMES,
    ),
    "12": (
        lambda: overview.gaps_by_reasoning(
            two(family=NAMES, base_model=NAMES, params_b=N, gap=N, languages=N, **ENDS,
                reasoning=["on", "off"]), NOTE
        ),
        NAMES,
    ),
    "13": (
        lambda: stages.gap_at_budget(
            two(base_model=NAMES, tflops=N + 1, relative=N, toggled=[True] * 3,
                reasoning=["on", "off"]), NOTE
        ),
        NAMES,
    ),
    "14": (lambda: held_out.pairs_by_language(pairs(), pd.Series(dtype=object), NOTE), NAMES),
    "15": (
        lambda: lever_study.multiples(
            frame(language=NAMES, multiple=N + 1, implied_multiple=N + 1), RATES,
            pd.Series(dtype=object), NOTE
        ),
        NAMES,
    ),
    "16": (
        lambda: overview.feature_space(
            frame(language=NAMES, name=NAMES, resource=N, distance=N, in_study=True), NOTE
        ),
        NAMES,
    ),
    "17": (lambda: stages.effects_by_stage(terms(stage=NAMES[0]), NOTE), NAMES),
    "19": (
        lambda: equivalence.both_versions(
            frame(variant=NAMES, first=N, second=N, first_low=N, first_high=N, second_low=N,
                  second_high=N, n_first=5, n_second=5), TEST, NAMES[0], "dan", NOTE
        ),
        NAMES,
    ),
    "ceiling": (
        lambda: ceiling.size_interactions(
            terms([NAMES[0]] * 3, restriction=NAMES, label=NAMES, variants=3, saturated_cells=1),
            NOTE,
        ),
        NAMES,
    ),
    "compliance": (
        lambda: stages.boxed_by_language(frame(language=NAMES, rate=N / 3, **ENDS), NOTE), NAMES,
    ),
    "family_gaps": (
        lambda: overview.gaps_by_family(
            frame(family=NAMES, gap=N, runs=1, **PUBLISHED), frame(family=NAMES, gap=N), NOTE
        ),
        NAMES,
    ),
    "hat": (lambda: transfer_metrics.hat_by_model(metrics(), NOTE), NAMES),
    "ladder": (
        lambda: held_out.errors_by_step(
            frame(label=NAMES, predictor=NAMES, mae=N, language_mae=N, edges_mae=N),
            pd.DataFrame(
                [(code, step, 0.5, 0.4) for code in "xy" for step in NAMES],
                columns=["language", "predictor", "observed", "predicted"],
            ),
            NOTE,
        ),
        NAMES,
    ),
    "on_the_line": (
        lambda: transfer_metrics.accuracy_on_the_line(
            metrics(), frame(intercept=[0.0], slope=1.0, r_squared=1.0), NOTE
        ),
        NAMES,
    ),
    "power": (lambda: planned.detection(power(), NOTE), NAMES),
    "rank_changes": (lambda: robustness.slopes_of_ranks(changes(), NAMES[0], NOTE), NAMES),
    "rank_stability": (
        lambda: robustness.rank_stability(
            frame(reading=NAMES, instances=N, kendall=N, mean_change=N), 0.5, NOTE
        ),
        NAMES,
    ),
    "resource_shape": (
        lambda: held_out.effect_of_resource(
            shape(), 1.0, frame(language=NAMES, resource=[5, 5.5, 6]), NOTE
        ),
        NAMES,
    ),
    "robustness": (
        lambda: robustness.drops_by_group(
            two(variant=NAMES, drop=N, group=["low", "high"]), NOTE, NAMES[0]
        ),
        NAMES,
    ),
    "specifications": (
        lambda: specifications.coefficients(
            terms(["size"] * 3, specification=["main", *NAMES[1:]], label=NAMES, part="fixed"),
            NOTE,
        ),
        NAMES,
    ),
    "transfer_profile": (
        lambda: transfer_metrics.transfer_profiles(profiles(), metrics(), NOTE), NAMES,
    ),
    "predictions": (lambda: predicted.draw_intervals(predictions(), NOTE), NAMES),
    "few_templates": (
        lambda: on(few_templates.errors_by_budget, budgets(NAMES[0]), "pair", "all"), NAMES[:1],
    ),
    "report forest": (lambda: panel(main_model.forest, terms()), NAMES),
    "report levers": (
        lambda: panel(
            lever_study.curves, levers(), frame(resource=[5, 6]), "resource", "size"
        ),
        NAMES[:2],
    ),
    "report few templates": (
        lambda: panel(few_templates.errors_by_budget, budgets(NAMES[0]), "pair", "all"),
        NAMES[:1],
    ),
    "report precision": (lambda: panel(sample_size.draw_precision, splits()), NAMES),
    "report ceiling": (
        lambda: panel(
            ceiling.draw_term,
            terms([NAMES[0]] * 3, label=NAMES, variants=3, saturated_cells=1), NAMES[0],
        ),
        NAMES,
    ),
    "report penalty": (
        lambda: panel(penalty.draw_gaps, frame(language=NAMES, gap=N, runs=1, **ENDS), MEAN),
        NAMES,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FIGURES)
def test_figures_show_names_as_they_stand(name):
    make, names = FIGURES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = make()
        figure.savefig(io.BytesIO(), format="png", dpi=50)
        svg = inline(figure, "figure", NAMES[0])
    shown = unescape(svg)
    for one in names:
        assert plain(one, 36).replace(r"\$", "$") in shown or one in shown
    assert "<script" not in svg
    if figure.get_supxlabel():
        assert plain(NOTE.split(" ")[-1]).replace(r"\$", "$") in shown.replace("\n", "")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a$b", "a$b"),
        ("$x$", "$x$"),
        (r"a\$b", r"a\$b"),
        ("$", "$"),
        ("$$", "$$"),
        ("$\\frac{$", "$\\frac{$"),
        ("two\nlines\tand\x00more", "two lines and more"),
        ("\ud800", "\ufffd"),
        (7, "7"),
        ("", ""),
        ("<b>&amp;", "<b>&amp;"),
        ("हिन्दी 中文", "हिन्दी 中文"),
    ],
)
def test_plain_text_is_drawn_as_it_stands(text, shown):
    drawn = Figure().text(0, 0, plain(text))
    assert drawn._preprocess_math(drawn.get_text()) == (shown, False)


def test_a_long_name_keeps_its_ends():
    name = "first-" + "x" * 5000 + "-last"
    assert len(plain(name)) == LONGEST
    assert plain(name).startswith("first-xxx")
    assert plain(name).endswith("xxx-last")
    assert "…" in plain(name)
    assert plain("y" * LONGEST) == "y" * LONGEST


def test_a_legend_keeps_a_name_that_begins_with_an_underscore():
    figure = Figure()
    figure.add_subplot().plot([1], [1], label=plain("_mine"))
    legend = figure.legend()
    assert [text.get_text().lstrip("\u200b") for text in legend.get_texts()] == ["_mine"]


def test_automatic_ticks_still_have_their_powers():
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        figure = stages.gap_at_budget(FRAME, "Data: x.")
        figure.canvas.draw()
    ticks = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert any("10^{" in text for text in ticks)


FRAME = two(base_model=NAMES, tflops=N + 1, relative=N, toggled=[True] * 3,
            reasoning=["on", "off"])  # fmt: skip
