"""The command line, one command a file; `analysis.cli` lists them."""
