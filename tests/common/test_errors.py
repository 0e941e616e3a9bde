"""What an error says of itself, and to whom."""

import pickle

import pytest
from capability_transfer.common.errors import (
    InputError,
    option,
    parameters,
    speaking_options,
    spelled,
)
from joblib import Parallel, delayed

X, Y, DROP = option("x"), option("y", "FILE"), option("drop_it", True)
ERROR = InputError(
    "x is missing", [f"give it with {X}", f"drop it with {DROP} or {Y}", "think"], "x"
)


def test_all_remedies_are_told_where_nobody_chooses():
    advice = "Give it with x=; or drop it with drop_it=True or y=FILE; or think"
    assert str(ERROR) == f"x is missing. {advice}"
    assert str(InputError("x?", ["go on"])) == "x? Go on"


@pytest.mark.parametrize(
    ("reference", "in_python", "on_the_command_line"),
    [
        (option("models"), "models=", "--models"),
        (option("models", "FILE"), "models=FILE", "--models FILE"),
        (option("drop_missing", True), "drop_missing=True", "--drop-missing"),
        (option("engine", "laplace"), "engine='laplace'", "--engine laplace"),
        (option("scorer", "TASK=NAME"), "scorer='TASK=NAME'", "--scorer TASK=NAME"),
        (option("scorer", "a b", quoted=True), "scorer='a b'", "--scorer 'a b'"),
        (option("threshold", 0.5), "threshold=0.5", "--threshold 0.5"),
        (option("params", 8), "params=8", "--params 8"),
        ("`transfer glmm --models X`, a -- b", "`transfer glmm --models X`, a -- b",
         "`transfer glmm --models X`, a -- b"),
    ],
)  # fmt: skip
def test_a_reference_is_written_for_its_reader(reference, in_python, on_the_command_line):
    message = f"see {reference}, or else"
    assert spelled(message) == str(InputError(message)) == f"see {in_python}, or else"
    with speaking_options():
        assert spelled(message) == str(InputError(message)) == f"see {on_the_command_line}, or else"
    assert spelled(spelled(message)) == spelled(message)


def test_a_message_knows_its_parameters():
    assert parameters(ERROR.message) == {"x", "y", "drop_it"}
    assert parameters("with --x, or x=") == set()


def test_signs_like_those_around_a_reference_stay():
    assert (
        str(InputError("label \ue000\ue001 \ue002, \ue000")) == "label \ue000\ue001 \ue002, \ue000"
    )


def test_a_remedy_needs_all_of_its_parameters():
    assert str(ERROR.with_parameters(["x", "y"])) == "x is missing. Give it with x=; or think"
    assert str(ERROR.with_parameters([])) == "x is missing. Think"
    assert str(InputError(f"plain {X}").with_parameters([])) == "plain x="


def test_a_place_comes_before_the_problem_and_the_rest_stays():
    placed = ERROR.at("a.csv, line 3: ")
    assert str(placed.with_parameters([])) == "a.csv, line 3: x is missing. Think"
    assert placed.with_parameters([]).parameter == "x"


def test_an_error_in_another_keeps_its_references():
    outer = InputError(f"in b: {ERROR.message}")
    with speaking_options():
        assert str(outer).endswith("drop it with --drop-it or --y FILE; or think")


def test_a_pickled_error_is_whole():
    again = pickle.loads(pickle.dumps(ERROR))
    assert str(again) == str(ERROR)
    assert again.parameter == "x"
    assert str(again.with_parameters([])) == "x is missing. Think"


class Special(InputError):
    """A kind of its own."""


def fail():
    raise Special(f"see {option('models', 'FILE')}", [f"leave out {X}"], "models")


def test_an_error_of_a_worker_is_told_to_whoever_asked():
    with pytest.raises(Special) as caught:
        Parallel(n_jobs=2, backend="loky")([delayed(fail)(), delayed(fail)()])
    assert caught.value.parameter == "models"
    assert str(caught.value) == "see models=FILE. Leave out x="
    with speaking_options():
        assert str(caught.value) == "see --models FILE. Leave out --x"
