"""One chart per file: view model in, matplotlib figure out."""
