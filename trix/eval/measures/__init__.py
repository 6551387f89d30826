"""The measures: a small file per family.

A measure is a function of a `view.View` (one topic of one run) that returns a number, a vector, or None where it is
not defined for the topic; `registry.measure` gives it its name, parameters and one-line summary. `names` is the
grammar, `parse_measure` the way from text to measure, and ``repr`` the way back.

::

    flat, cumulated_gain                   rankings of units with grades
    focused, hixeval                       rankings of highlighted text
    in_context, document_scores, effort    ranked articles, read in some order (`reading_order`, `passages`)
    precall, inex2003                      inex_eval and inex_eval_ng
    xcg, effort_precision, sakai           extended cumulated gain, on ideal recall bases (`ideal`, `recall_base`)
    prum                                   precision and recall of navigating users (`user_models`, `found`)
    shape                                  overlap and size of a run
"""
