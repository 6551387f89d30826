"""Topics, runs and assessments in, measures out. Needs no index.

::

    data/        what is judged and what is ranked, in one internal form; quantisations, intervals, paths
    formats/     any campaign's file -> `Qrels`, `Run`, `Topics` (recognised by content), and back
    measures/    found by name
    evaluate     assessments + runs + names -> `Result`; inputs: whatever form they come in
    convert      the same in other units
    studies/     compare, significance, density, granulate, simulate, fusion, the official report
    output/      tables and figures

`trix.eval.evaluate.evaluate` is the way in. Cost: a run of 70 topics with 1500 passages each, all in-context and
focused measures, takes well under a second and some 50 MB; runs are held in memory one at a time. What needs the
documents (offsets of elements, words) asks a `trix.eval.measures.core.view.Resolver` that is passed in.
"""
