"""Experiments of the papers that Trix implements, a module each: their tables and figures, computed anew.

- `base` has what all share: the collection, tables beside the printed ones, figures, the report;
- `experiments` has a module a paper, with the printed numbers;
- `catalogue` names them, and `reproduce` runs one.

Without a folder of data an experiment runs on a synthetic collection, which shows that the machinery works. The printed
numbers can only be met with the collections of INEX.
"""
