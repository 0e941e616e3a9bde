"""What is known about languages and models before any evaluation, one feature per file."""
