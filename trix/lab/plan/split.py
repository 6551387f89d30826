"""Division of topics into training and test topics."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from trix.errors import UsageError, did_you_mean
from trix.lab.plan.experiment import SplitRule

TopicKey = tuple[str, str]
"""(collection, topic id)."""


@dataclass(frozen=True, slots=True)
class TopicFold:
    """Training topics, on which variants are selected, and test topics; without test topics there is only selection."""

    train: tuple[TopicKey, ...]
    test: tuple[TopicKey, ...]


@dataclass(frozen=True, slots=True)
class SplitPart:
    """A column of the tables: its folds test different topics, whose results are joined."""

    name: str
    folds: tuple[TopicFold, ...]

    @property
    def topics(self) -> tuple[TopicKey, ...]:
        """Return the reported topics: the tested ones, or all without a test."""
        tested = tuple(topic for fold in self.folds for topic in fold.test)
        return tested or tuple(topic for fold in self.folds for topic in fold.train)

    @property
    def tests(self) -> bool:
        """Return whether there are test topics."""
        return any(fold.test for fold in self.folds)


def split(topics: Mapping[str, Sequence[str]], rule: SplitRule) -> list[SplitPart]:
    """Return the parts of an experiment.

    Parameters
    ----------
    topics
        Collection -> ids of its topics with relevant units, in order.
    rule
        How to divide them.

    Raises
    ------
    UsageError
        There are fewer topics than folds, or a listed topic is unknown.

    Examples
    --------
    >>> parts = split({"a": ["1", "2", "3"]}, SplitRule(kind="halves"))
    >>> parts[0].folds[0]
    TopicFold(train=(('a', '1'), ('a', '3')), test=(('a', '2'),))
    """
    of = {name: tuple((name, topic) for topic in ids) for name, ids in topics.items()}
    if rule.kind == "none":
        return [SplitPart(name, (TopicFold(all_, ()),)) for name, all_ in of.items()]
    if rule.kind == "swap":
        pairs = rule.pairs or (tuple(of),)
        return [
            SplitPart(tested, (TopicFold(of[other], of[tested]),))
            for a, b in pairs
            for tested, other in ((a, b), (b, a))
        ]
    if rule.kind == "topics":
        return [_listed(name, all_, rule) for name, all_ in of.items()]
    count = 2 if rule.kind == "halves" else rule.folds
    parts = []
    for name, all_ in of.items():
        if len(all_) < count:
            raise UsageError(f"{name}: {len(all_)} judged topics cannot be divided into {count} parts")
        groups = divide(all_, count, rule.order, rule.seed)
        folds = [
            TopicFold(tuple(t for t in all_ if t not in set(group)), tuple(t for t in all_ if t in set(group)))
            for group in groups
        ]
        parts.append(SplitPart(name, (folds[1],) if rule.kind == "halves" else tuple(folds)))
    return parts


def divide(topics: Sequence[TopicKey], count: int, order: str, seed: int) -> list[list[TopicKey]]:
    """Deal topics out into groups in turn, shuffled first if `order` is ``random``.

    >>> divide([("a", "1"), ("a", "2"), ("a", "3")], 2, "alternate", 1)
    [[('a', '1'), ('a', '3')], [('a', '2')]]
    """
    dealt = list(topics)
    if order == "random":
        random.Random(seed).shuffle(dealt)
    return [dealt[k::count] for k in range(count)]


def disjoint_folds(topics: Sequence[TopicKey], count: int, documents: Mapping[TopicKey, Set[str]]) -> list[TopicFold]:
    """Return folds whose training topics share no document with their test topics.

    Topics that share documents are tested together where possible, so that many remain for training. Each group grows
    greedily by the topic with the largest proportion of documents in it, the first of equal ones. A fold tests one
    group of each collection.

    Parameters
    ----------
    topics
        All topics.
    count
        Number of folds.
    documents
        Topic -> its relevant documents.

    Examples
    --------
    >>> documents = {("a", "1"): {"x"}, ("a", "2"): {"y"}, ("a", "3"): {"x", "z"}, ("a", "4"): {"y", "z"}}
    >>> for fold in disjoint_folds(list(documents), 2, documents):
    ...     print([id for _, id in fold.test], "trained on", [id for _, id in fold.train])
    ['1', '3'] trained on ['2']
    ['2', '4'] trained on ['1']
    """
    groups = [list[TopicKey]() for _ in range(count)]
    for name in dict.fromkeys(collection for collection, _ in topics):
        left = {topic: documents[topic] for topic in topics if topic[0] == name}
        sizes = [len(left) // count + (number < len(left) % count) for number in range(count)]
        for group, size in zip(groups, sizes, strict=True):
            group += _related(left, size)
    return [_without(topics, group, documents) for group in groups]


def leave_one_out(topics: Sequence[TopicKey], documents: Mapping[TopicKey, Set[str]]) -> list[TopicFold]:
    """Return a fold per collection, which the other collections train.

    Training topics share no document with the tested collection.

    >>> documents = {("a", "1"): {"x"}, ("b", "1"): {"y"}, ("b", "2"): {"x"}}
    >>> leave_one_out(list(documents), documents)[0]
    TopicFold(train=(('b', '1'),), test=(('a', '1'),))
    """
    names = dict.fromkeys(collection for collection, _ in topics)
    return [_without(topics, [topic for topic in topics if topic[0] == name], documents) for name in names]


def _related(left: dict[TopicKey, Set[str]], size: int) -> list[TopicKey]:
    """Remove a group of topics that share documents from `left`, and return it."""
    held, group = set[str](), list[TopicKey]()
    for _ in range(size):
        nearest = max(left, key=lambda topic: len(left[topic] & held) / max(len(left[topic]), 1))
        group.append(nearest)
        held |= left.pop(nearest)
    return group


def _without(
    topics: Sequence[TopicKey], group: Sequence[TopicKey], documents: Mapping[TopicKey, Set[str]]
) -> TopicFold:
    """Return the fold that tests a group and trains on topics without common documents."""
    test, held = set(group), set[str]().union(*(documents[topic] for topic in group))
    train = tuple(topic for topic in topics if topic not in test and not documents[topic] & held)
    return TopicFold(train, tuple(topic for topic in topics if topic in test))


def _listed(name: str, topics: tuple[TopicKey, ...], rule: SplitRule) -> SplitPart:
    known = [topic for _, topic in topics]
    for topic in (*rule.train, *rule.test):
        if topic not in known:
            raise UsageError(f"[split]: {name} has no judged topic {topic}{did_you_mean(topic, known)}")
    train = tuple(each for each in topics if each[1] in rule.train)
    test = tuple(each for each in topics if each[1] in rule.test)
    return SplitPart(name, (TopicFold(train, test),))
