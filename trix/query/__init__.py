"""Query processing: an index and a query in, ranked elements out.

The package knows nothing of files, topics or measures.
"""
