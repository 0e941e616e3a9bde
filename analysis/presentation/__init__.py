"""How results look, to people and to machines: results, tables, figures, progress, provenance."""
