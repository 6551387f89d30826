"""What is kept of the terms that were asked of late: which documents hold each, and what it can give them."""
