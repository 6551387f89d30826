"""The sample of a collection that a profile is read off: the same files on any machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trix.indexer.collection.source import Source, read_many
from trix.indexer.document.limits import DEFAULTS, DocumentLimits
from trix.indexer.document.mend import readable
from trix.indexer.suggest.counter import count
from trix.indexer.suggest.counts import SampleCounts
from trix.indexer.suggest.records import count_records, keys_of, record_tags_of, share_counted

DOCUMENTS = 200
"""Files that are read, evenly spread over the collection in its order."""

SIZE = 8_000_000
"""Bytes that are read of them together."""


def sampled(sources: Sequence[Source], documents: int = DOCUMENTS) -> list[Source]:
    """Return sources that are evenly spread over a collection.

    >>> sampled(list(range(10)), 4)
    [0, 2, 5, 7]
    """
    if len(sources) <= documents:
        return list(sources)
    return [sources[len(sources) * number // documents] for number in range(documents)]


def count_sample(
    sources: Sequence[Source],
    limits: DocumentLimits = DEFAULTS,
    documents: int = DOCUMENTS,
    size: int = SIZE,
    *,
    recover: bool = False,
) -> SampleCounts:
    """Count a sample of a collection.

    A file gets an equal part of the bytes that are left. What short ones leave goes to those after them. Where files
    are lists of records, each record counts as a document.

    Parameters
    ----------
    sources
        All of the collection, in order.
    limits
        How large a document may be; larger ones are passed over, as those that cannot be read.
    documents, size
        Bounds of the sample.
    recover
        Mend what can be mended, see `trix.indexer.document.mend`.
    """
    chosen = sampled(sources, documents)

    def files() -> Iterator[tuple[bytes, int]]:
        left = size
        for number, (_, data) in enumerate(read_many(chosen, limits.size)):
            if isinstance(data, bytes):
                most = left // (len(chosen) - number)
                yield readable(data, recover=recover), most
                left -= min(most, len(data))

    counts = SampleCounts()
    for data, most in files():
        count(counts, data, most)
    tags, keys = record_tags_of(counts), keys_of(counts)
    if tags or keys:
        share = share_counted(counts, tags)
        counts = SampleCounts(records=tags, keys=keys)
        for data, most in files():
            if tags:
                count_records(counts, data, most, share)
            else:
                count(counts, data, most)
    return counts
