"""The literal oracle: the retrieval model read word by word, over trees, with no index.

Nothing here is fast and nothing is shared with the package: every module reads one part of docs/spec/retrieval.md from
its text alone, so that where oracle and engine agree, two independent readings agree.

- `reading`: XML and a profile become nodes with labels, paths, texts and keys (sections 1 to 3).
- `scoring`: nodes and terms become basic scores (section 4).
- `contexts`: basic scores become contextualised scores (section 5).
- `levels`: path expressions and granularity levels (section 8).
- `organising`: scores become a ranked list (section 6).
- `generate`: random collections, profiles, queries and options for hypothesis.
"""
