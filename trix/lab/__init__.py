"""Laboratory for experiments: parameter sweeps, training and testing on separate topics, reports.

::

    plan/      experiment.toml -> an experiment: variants from grids, training and test topics
    run/       every variant on every topic: `run.sweep`, in worker processes, with a journal that survives a kill;
               `run.collection` computes the basic scores of a topic once; `run.training` selects variants
    report/    tables, figures and a page of results
    stats/     descriptive statistics of runs
    tune       the best parameters of a family for one measure
    learn      joint learning of the parameters of a model and its contexts, with the gain of each part

A *variant* is a named set of search options. A *family* is a set of variants with the same parameters, from which
training selects. The *baseline* is the variant with which all others are compared.

A variant that differs only in its context costs one pass over a query's candidates.
"""
