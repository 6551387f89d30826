"""The measures: a room for each kind of thing that is ranked, a small file per family.

A measure is a function of a `core.view.TopicView` (one topic of one run) that returns a number, a vector, or None where
it is not defined for the topic; `core.registry.measure` gives it its name, parameters and one-line summary.
`core.names` is the grammar, `parse_measure` the way from text to measure, and ``repr`` the way back.

::

    core/         what a measure is; defaults, groups, the names that other tools use
    documents/    rankings of units with grades
    passages/     highlighted text: focused and thorough, articles in context, reading effort, the shape of a run
    elements/     graded elements: inex_eval and inex_eval_ng, extended cumulated gain, PRUM and its user models
"""
