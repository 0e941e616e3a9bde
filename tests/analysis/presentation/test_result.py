"""Results show what users call things, in text and in HTML, as text."""

import pandas as pd
from capability_transfer.analysis.presentation.result import Sheet, as_html, as_text

HOSTILE = "<script>alert(1)</script>"


def test_names_are_text_in_html():
    display = pd.DataFrame({HOSTILE: [HOSTILE, "a$b_c^{"], "n": ["1", "=2"]})
    sheet = Sheet(HOSTILE, {HOSTILE: HOSTILE}, display, (HOSTILE,))
    html = as_html(sheet)
    assert "<script" not in html
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 6
    assert "a$b_c^{" in html
    assert as_text(sheet).count(HOSTILE) == 6
