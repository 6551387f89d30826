"""Display of results: names, titles, snippets and texts, made on access, a block of results at a time."""
