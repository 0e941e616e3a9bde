"""Outcomes of models that nobody counted tokens of, in languages outside the study's."""

import numpy as np
import pandas as pd
import pytest
from capability_transfer.common.errors import InputError

from capability_transfer import few_templates, fit, hold_out, load, measures, predict
from tests.analysis.command_line import transfer
from tests.simulation import answered, crossed, effects

LANGUAGES = ["eng", "deu", "swh", "tur", "kor", "vie", "pol"]
WITHOUT = (
    "~ resource + distance + size + reasoning + resource:size + distance:size"
    " + resource:reasoning + distance:reasoning + size:reasoning"
    " + (1 | base_model) + (1 | variant) + (1 | template) + (1 | language) + (1 | variant:language)"
)


@pytest.fixture(scope="module")
def models():
    rows = [
        (f"N-{size}B (reasoning {mode})", f"N-{size}B", "N", size, mode)
        for size in (1, 3, 8, 20) for mode in ("off", "on")
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["variant", "base_model", "family", "params_b", "reasoning"])


@pytest.fixture(scope="module")
def cells(models):
    rng = np.random.default_rng(1)
    grid = crossed(model=len(models), language=len(LANGUAGES), template=6)
    table = models.loc[grid["model"]].reset_index(drop=True)
    eta = -1 + 0.6 * np.log2(table["params_b"]) + 0.7 * (table["reasoning"] == "on")
    eta += -0.25 * grid["language"] + effects(rng, grid, {"template": 0.4, "": 0.3})
    cells = pd.DataFrame(
        {
            "variant": table["variant"],
            "language": grid["language"].map(LANGUAGES.__getitem__),
            "template": grid["template"].map("t{}".format),
        }
    )
    return answered(rng, cells, eta, 10)


@pytest.fixture(scope="module")
def study(cells, models):
    return load(outcomes=cells, models=models)


@pytest.fixture(scope="module")
def folder(cells, models, tmp_path_factory):
    made = tmp_path_factory.mktemp("own")
    cells.to_csv(made / "cells.csv", index=False)
    models.to_csv(made / "models.csv", index=False)
    return made


def test_the_studys_model_is_fitted_without_it(study):
    model = fit(study)
    asked = fit(study, WITHOUT)
    pd.testing.assert_series_equal(model.fit.coefficients, asked.fit.coefficients, rtol=1e-6)
    assert model.fit.log_lik == pytest.approx(asked.fit.log_lik, abs=1e-6)
    assert any("without relative fertility" in text for text in model.warnings())
    assert any("one family (N)" in text for text in model.warnings())
    assert asked.without == ()


def test_a_formula_that_asks_for_it_is_refused_with_what_can_be_done(study):
    with pytest.raises(InputError, match="no fertility.*tokenizer_counts=.*drop_missing=True"):
        fit(study, "~ fertility + (1 | variant) + (1 | language)")


def test_predictions_are_without_it_and_say_so(study, cells):
    found = predict(["fra", "swh"], "n 8b", reasoning=True, study=study)
    assert found.table["fertility_source"].tolist() == ["unused", "unused"]
    assert found.table["fertility"].isna().all()
    assert "relative fertility is not in the model" in repr(found)
    own = cells.query("variant == 'N-8B (reasoning on)' and language == 'swh'")
    observed = own["n_correct"].sum() / own["n_total"].sum()
    assert found.table["plug_in"].iloc[1] == pytest.approx(observed, abs=0.06)
    assert "fertility" not in set(study.bundle.constants["feature"])


def test_held_out_languages_and_few_templates_are_without_it(study):
    held = hold_out(study, ["study_pairs", "study"], "swh", draws=20, workers=1)
    assert held.summary["mae"].notna().all()
    assert "without relative fertility" in repr(held)
    few = few_templates(study, "smooth", "swh", budgets=[0, 2], draws=1, workers=1)
    assert few.table["mae"].notna().all()


def test_measures_and_levers_are_without_it(study):
    assert measures(study, draws=20).comparison["variant"].nunique() == 8
    levers = fit(study).levers()
    assert np.isfinite(levers.table["odds_ratio"]).all()
    assert levers.scale_cost.set_index("language")["multiple"]["eng"] == pytest.approx(1)


OWN = ("--outcomes", "cells.csv", "--models", "models.csv")


@pytest.mark.parametrize(
    "command",
    [
        ("glmm", *OWN, "--engine", "laplace"),
        ("levers", *OWN),
        ("ceiling", *OWN, "--cells", 0.9),
        ("predict", "--train", "cells.csv", "--models", "models.csv", "--model", "N-8B",
         "--reasoning", "on", "--language", "fra"),
    ],
    ids=lambda command: command[0],
)  # fmt: skip
def test_commands_go_on_without_it_and_say_so(folder, command):
    result = transfer(*command, cwd=folder)
    assert result.returncode == 0, result.stderr
    assert "without relative fertility, which is not known for any model" in result.stdout


def test_advice_names_options_that_the_command_has(folder, cells):
    lost = cells.replace({"language": {"vie": "bar"}})
    lost.to_csv(folder / "lost.csv", index=False)
    given = ("--models", "models.csv")
    told = transfer("predict", "--train", "lost.csv", *given, "--model", "N-8B", "--reasoning",
                    "on", "--language", "fra", cwd=folder).stderr  # fmt: skip
    assert "language bar has no resource" in told
    assert "--languages" in told
    assert not {"--formula", "--drop-missing"} & set(told.split())
    told = transfer("glmm", "--outcomes", "lost.csv", *given, cwd=folder).stderr
    assert "--formula" in told
    assert "--drop-missing" in told
