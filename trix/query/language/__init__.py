"""Query languages: queries, paths and levels as syntax trees with a canonical text."""
