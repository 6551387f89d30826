"""A collection as a static site: pages of all documents, and files that a browser searches [SITE, section 3]."""
