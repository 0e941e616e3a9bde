"""From outcomes and features to fits, predictions, tables and figures."""
