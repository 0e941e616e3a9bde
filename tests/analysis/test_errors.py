"""Messages in Python's words."""

import pytest
from capability_transfer.analysis.arguments import in_python, speaking_options, speaking_python
from capability_transfer.analysis.glmm.r_session import EngineMissing
from capability_transfer.common.errors import InputError


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        ("say which with --reasoning", "say which with reasoning="),
        ("--model NAME, or --params BILLIONS", "model=NAME, or params=BILLIONS"),
        ("in a --languages or --models file", "in a languages= or models= file"),
        ("with --drop-missing", "with drop_missing=True"),
        ("then --tokenizer-counts and NAME", "then tokenizer_counts= and NAME"),
        ("`transfer features --tokenizer X`, then", "`transfer features --tokenizer X`, then"),
        ("Without it, --engine laplace finds", "Without it, engine='laplace' finds"),
        ("a -- b, x--y", "a -- b, x--y"),
    ],
)
def test_options_become_arguments_and_commands_stay(told, wanted):
    assert in_python(told) == wanted


def test_an_error_keeps_its_type_and_other_errors_pass():
    @speaking_python
    def fail(error):
        raise error

    with pytest.raises(EngineMissing, match="formula="):
        fail(EngineMissing("see --formula"))
    with pytest.raises(KeyError):
        fail(KeyError("--formula"))
    with pytest.raises(InputError) as caught:
        fail(InputError("x"))
    assert caught.value.__context__ is None  # a short traceback: the message is the whole story


def test_a_command_keeps_its_options():
    @speaking_python
    def fail():
        raise InputError("see --formula")

    with speaking_options(), pytest.raises(InputError, match="see --formula"):
        fail()
    with pytest.raises(InputError, match="see formula="):
        fail()
