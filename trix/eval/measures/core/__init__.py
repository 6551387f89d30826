"""Framework of the measures: registry, names, parameters, groups, and the view of a topic."""
