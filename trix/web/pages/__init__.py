"""HTML pages of a site, complete without scripts."""
