"""Topics, runs and assessments in, measures out. Needs no index.

::

    data/        assessments and rankings in one internal form; quantisations, intervals, paths
    formats/     a file of any campaign -> `Qrels`, `Rankings` or `Topics`, recognised by content; and back
    measures/    the measures, found by name
    inputs       assessments and rankings from files, dicts, frames and the objects of other libraries
    evaluate     assessments + runs + names of measures -> `Scores`
    convert      runs and assessments in other units: characters, elements, documents
    studies/     compare, significance, density, granulate, simulate, fusion, the official report
    output/      tables and figures

Begin at `trix.eval.evaluate.evaluate`. Cost: a run of 70 topics with 1500 passages each, all in-context and
focused measures, takes well under a second and some 50 MB; one run at a time is in memory. What can only be known from
the documents (the offsets of an element, its words) is asked of `trix.eval.measures.core.view.Documents`, which the
caller passes in.
"""
