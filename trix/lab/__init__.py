"""The laboratory: change parameters, measure, train on some topics, test on others, report.

::

    experiment.toml -> experiment -> grid: variants
                                     split: which topics train, which test
                         bench:   one topic, many variants; basic scores are worked out once
                         runner:  all topics, in processes, with a journal that survives a kill
                         training: the best variant on training topics, tried on test topics
                         tables, figures, report: what goes into the paper

A *variant* is a set of search options with a name. A *family* is a set of variants with the same parameters, among
which training chooses. The *baseline* is what all are compared with.

Cost: a variant that differs in nothing but its context costs one pass over a query's candidates.
"""
