"""What features and analysis share: errors, files and the places where results live."""
