"""What is a word, and what is its key? The same chain for documents and queries."""
