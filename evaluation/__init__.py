"""The runnable evaluation: templates to instances, an Inspect AI task, a provider with a script."""
