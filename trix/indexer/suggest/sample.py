"""Sample of a collection for a suggested profile; the same files on every machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trix.indexer.collection.source import Source, read_many
from trix.indexer.document.limits import DEFAULTS, DocumentLimits
from trix.indexer.document.mend import readable
from trix.indexer.suggest.counter import count
from trix.indexer.suggest.counts import SampleCounts
from trix.indexer.suggest.records import count_records, keys_of, record_tags_of, share_counted

DOCUMENTS = 200
"""Number of files, evenly spread over the collection."""

SIZE = 8_000_000
"""Total number of bytes read."""


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
    """Collect the statistics of a sample of a collection.

    Each file gets an equal share of the remaining bytes, so short files leave more to later ones. In lists of records,
    each record counts as a document.

    Parameters
    ----------
    sources
        All sources of the collection, in order.
    limits
        Size limits of a document; larger and unreadable files are skipped.
    documents, size
        Bounds of the sample.
    recover
        Repair files that are not well-formed (see `trix.indexer.document.mend`).
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
