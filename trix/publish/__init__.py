"""A collection as a static site: HTML of every document, and files that a browser searches by itself [SITE, section 3]."""
