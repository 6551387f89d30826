"""What users import: an open index, the results of a batch, and the resolver that the evaluator asks."""
