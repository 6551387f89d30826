"""What is served, and in which bounds: open indexes, one commit for each request, so many queries at once."""
