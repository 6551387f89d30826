"""Evaluation of runs: measures computed from topics, runs and relevance assessments, without an index.

::

    data/        in-memory assessments and rankings; quantisations, intervals, paths
    formats/     readers and writers of the campaigns' files; the format is recognised by content
    measures/    the measures and their registry
    inputs       assessments and rankings from files, dicts, frames and the objects of other libraries
    evaluate     assessments + runs + names of measures -> `Scores`
    convert      conversion of runs and assessments between characters, elements and documents
    studies/     comparison, significance, density, granulation, simulation, fusion, the official report
    output/      tables and figures

The entry point is `trix.eval.evaluate.evaluate`. One run at a time is in memory. A run of 70 topics with 1500 passages
each takes well under a second and some 50 MB for all in-context and focused measures. The offsets and word counts of
elements come from a `trix.eval.measures.core.view.DocumentResolver` object that the caller passes in.
"""
