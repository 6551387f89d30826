"""How the topics of an experiment are divided for training and testing."""

from __future__ import annotations

import pytest

from trix.errors import UsageError
from trix.lab.plan.split import SplitRule, TopicFold, divide, split

TOPICS = {"a": ["1", "2", "3"], "b": ["3", "1"]}


def test_listed_topics_train_and_test_in_every_collection_and_others_do_neither() -> None:
    parts = split(TOPICS, SplitRule(kind="topics", train=("1",), test=("3",)))
    assert [(part.name, part.folds) for part in parts] == [
        ("a", (TopicFold((("a", "1"),), (("a", "3"),)),)),
        ("b", (TopicFold((("b", "1"),), (("b", "3"),)),)),
    ]
    assert [part.topics for part in parts] == [(("a", "3"),), (("b", "3"),)] and all(part.tests for part in parts)


def test_a_listed_topic_that_is_not_judged_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"\[split\]: b has no judged topic 2"):
        split(TOPICS, SplitRule(kind="topics", train=("2",), test=("3",)))


def test_without_a_split_all_topics_train_and_are_shown() -> None:
    (a, _) = split(TOPICS, SplitRule(kind="none"))
    assert a.topics == (("a", "1"), ("a", "2"), ("a", "3")) and not a.tests


def test_swapped_collections_test_what_the_other_was_trained_on() -> None:
    a, b = split(TOPICS, SplitRule(kind="swap"))
    assert (a.name, b.name) == ("a", "b")
    assert a.folds == (TopicFold((("b", "3"), ("b", "1")), (("a", "1"), ("a", "2"), ("a", "3"))),)
    assert b.folds == (TopicFold(a.folds[0].test, a.folds[0].train),)


def test_shuffled_topics_are_dealt_out_once_each_and_the_same_for_a_seed() -> None:
    topics = [("a", str(number)) for number in range(20)]
    dealt = divide(topics, 3, "random", 7)
    assert sorted(map(len, dealt)) == [6, 7, 7] and sorted(each for group in dealt for each in group) == sorted(topics)
    assert dealt == divide(topics, 3, "random", 7) != divide(topics, 3, "random", 8)
    assert dealt != divide(topics, 3, "alternate", 7)


def test_fewer_topics_than_folds_are_refused() -> None:
    with pytest.raises(UsageError, match="b: 2 judged topics cannot be divided into 3 parts"):
        split(TOPICS, SplitRule(kind="folds", folds=3))
