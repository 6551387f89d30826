"""Web server of an index: pages to search and read in, and a JSON API."""
