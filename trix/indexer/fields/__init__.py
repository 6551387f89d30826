"""Metadata fields of documents and elements: values, filters, facets, sort orders."""
