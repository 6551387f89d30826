"""A place to read in: search, documents led through from one matching passage to the next, in a browser."""
