"""Evaluation measures, by type of ranked unit, a module per family.

A measure is a function of a `core.view.TopicView`, one topic of one run. It returns a number, a vector, or None if it
is undefined for the topic. `core.registry.measure` gives it a name, parameters and a one-line summary. `core.names` has
the grammar of names, `parse_measure` parses them, and ``repr`` prints them.

::

    core/         registry, default groups, names of other tools, the view of a topic
    documents/    rankings of units with grades
    passages/     highlighted text: focused and thorough, in-context, reading effort, the shape of a run
    elements/     graded elements: inex_eval and inex_eval_ng, extended cumulated gain, PRUM and its user models
"""
