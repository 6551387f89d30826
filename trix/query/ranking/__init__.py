"""Result presentation: rank order, overlap, sizes, grouping."""
