"""The report: one page that holds the results, their figures, and predictions to play with.

``page.write`` reads what the commands wrote and writes ``index.html``, which needs no network.
"""
