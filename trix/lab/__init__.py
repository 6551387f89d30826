"""The laboratory: change parameters, measure, train on some topics, test on others, report.

::

    plan/      experiment.toml -> an experiment: variants by grids, which topics train and which test
    run/       every variant on every topic: `run.sweep`, in worker processes, with a journal that survives a kill;
               `run.collection` works out the basic scores of a topic once; `run.training` chooses
    report/    tables, figures and a page: what goes into the paper
    stats/     what runs are made of
    tune       the best parameters of a family for one measure
    learn      the weights of a model and its contexts together, and what each part of them gains

A *variant* is a set of search options with a name. A *family* is a set of variants with the same parameters, among
which training chooses. The *baseline* is what all are compared with.

Cost: a variant that differs in nothing but its context costs one pass over a query's candidates.
"""
