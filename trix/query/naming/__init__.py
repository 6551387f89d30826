"""Names of elements: labels, paths, titles, numbers and ids, in both directions."""
