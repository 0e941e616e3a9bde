"""Messages of functions for notebooks."""

import pytest
from capability_transfer.analysis.arguments import several, speaking_python, whole
from capability_transfer.analysis.glmm.r_session import EngineMissing
from capability_transfer.common.errors import InputError, option, speaking_options


def test_an_error_keeps_its_type_and_other_errors_pass():
    @speaking_python
    def fail(error):
        raise error

    with pytest.raises(EngineMissing, match="formula="):
        fail(EngineMissing(f"see {option('formula')}"))
    with pytest.raises(KeyError):
        fail(KeyError("--formula"))
    with pytest.raises(InputError) as caught:
        fail(InputError("x", parameter="error"))
    assert caught.value.__context__ is None  # a short traceback: the message is the whole story
    assert caught.value.parameter == "error"


def test_advice_is_what_the_function_takes():
    advice = [f"leave it out of {option('formula')}", f"give {option('models')}"]

    @speaking_python
    def fail(data):
        raise InputError("no", advice)

    with pytest.raises(InputError, match=r"^no\. Give models=$"):
        fail(None)


def test_a_command_keeps_its_options_and_chooses_the_advice():
    @speaking_python
    def fail():
        raise InputError(f"see {option('engine')}", [f"leave it out of {option('formula')}"])

    with pytest.raises(InputError) as caught, speaking_options():
        fail()
    with speaking_options():
        assert str(caught.value) == "see --engine. Leave it out of --formula"
    with pytest.raises(InputError, match="^see engine=$"):
        fail()


def test_an_argument_at_fault_is_named():
    with pytest.raises(InputError, match="draws= is a whole number") as caught:
        whole("draws", 0)
    assert caught.value.parameter == "draws"
    with pytest.raises(InputError, match="k= is empty") as caught:
        several("k", [])
    assert caught.value.parameter == "k"
