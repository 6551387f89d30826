"""One module an experiment: a `Paper` with its printed numbers and the function that computes them anew."""
