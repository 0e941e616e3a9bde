"""What an error says of itself, and to whom."""

import pickle

from capability_transfer.common.errors import InputError

ERROR = InputError("x is missing", ["give it with --x", "drop it with --drop or --y", "think"])


def test_all_remedies_are_told_where_nobody_chooses():
    told = "x is missing. Give it with --x; or drop it with --drop or --y; or think"
    assert str(ERROR) == told
    assert str(InputError("x?", ["go on"])) == "x? Go on"


def test_a_remedy_needs_all_of_its_options():
    assert str(ERROR.with_options(["--x", "--y"])) == "x is missing. Give it with --x; or think"
    assert str(ERROR.with_options([])) == "x is missing. Think"
    assert str(InputError("plain --z").with_options([])) == "plain --z"


def test_a_place_comes_before_the_problem_and_the_remedies_stay():
    placed = ERROR.at("a.csv, line 3: ")
    assert str(placed.with_options([])) == "a.csv, line 3: x is missing. Think"


def test_an_error_from_another_process_still_has_its_remedies():
    again = pickle.loads(pickle.dumps(ERROR))
    assert str(again) == str(ERROR)
    assert str(again.with_options([])) == "x is missing. Think"
