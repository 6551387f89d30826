"""Silver judgements: topics and relevant elements derived from citations, captions and headings of any collection."""
