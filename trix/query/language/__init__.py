"""What does this text ask for? Queries, paths and levels as syntax trees with a canonical printed form."""
