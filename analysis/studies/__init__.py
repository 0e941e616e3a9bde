"""One analysis per file, with its tables and figures; each returns a `Result`."""
