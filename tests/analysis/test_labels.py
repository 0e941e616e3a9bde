"""Names for people."""

from capability_transfer.analysis import labels


def test_a_column_named_intercept_is_not_the_intercept():
    assert labels.term("(Intercept)") == "Intercept"
    assert labels.term("Intercept") == "Intercept (column)"
