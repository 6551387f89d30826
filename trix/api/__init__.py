"""What people import: an open index, batches, places for the evaluator. `trix.open` and `trix.build` lead here."""
