"""The commands, one module per panel of `transfer --help`; `analysis.cli` lists them."""
