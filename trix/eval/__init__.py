"""Topics, runs and assessments in, measures out. Needs no index.

::

    formats/       readers and writers: any campaign's file -> `Qrels`, `Run` (recognised by content)
    judgements     what is relevant: per document length, characters, entry point, assessed elements
    runs           what was returned: rankings as columns
    quantisation   assessment -> number; intervals, paths: arithmetic on text and trees
    measures/      one family per file, found by name
    evaluate       assessments + runs + names -> `Result`
    compare, significance, density, simulate, granulate, convert       studies on top
    report, plots, official                                            how results are shown
    cli            the commands

`trix.eval.evaluate.evaluate` is the way in. Cost: a run of 70 topics with 1500 passages each, all in-context and
focused measures, takes well under a second and some 50 MB; runs are held in memory one at a time. What needs the
documents (offsets of elements, words) asks a `trix.eval.measures.view.Resolver` that is passed in.
"""
