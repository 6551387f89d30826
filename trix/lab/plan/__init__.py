"""What is to be tried? Experiments, grids, splits, read from TOML."""
