"""Reproduction of a paper's experiment, on a synthetic collection or on data of INEX."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from trix.errors import UsageError
from trix.papers.base.collection import PaperCollection, synthetic
from trix.papers.base.paper import Reproduction
from trix.papers.catalogue import paper


def reproduce(
    name: str,
    data: str | os.PathLike[str] | None = None,
    *,
    documents: int | None = None,
    topics: int | None = None,
    seed: int = 2005,
    jobs: int | None = None,
) -> Reproduction:
    """Compute the tables and figures of a paper's experiment.

    Parameters
    ----------
    name
        A name of `trix.papers.catalogue.MODULES`, such as ``study-iv``.
    data
        Folder with a collection, see `trix.papers.base.collection`. By default a synthetic one is made, and removed at
        the end.
    documents, topics, seed
        Size and seed of the synthetic collection; by default the size that the experiment needs.
    jobs
        Worker processes; None for one per processor.

    Raises
    ------
    UsageError
        The name is unknown, the folder lacks something, or it is given together with a size.

    Examples
    --------
    ``reproduce("study-iv").tables[0].rows``
    """
    asked = paper(name)
    if data is not None and (documents or topics):
        raise UsageError("the size is that of a synthetic collection; leave it out for data of your own", field="data")
    with tempfile.TemporaryDirectory(prefix="trix-") as temporary:
        work = Path(temporary, "work")
        work.mkdir()
        place = Path(temporary, "data")
        line = "none is needed"
        if data is not None:
            place, line = Path(data), str(data)
        elif asked.years:
            size = documents or asked.documents, topics or asked.topics
            synthetic(place, asked.years, asked.schema, *size, seed=seed)
            each = f" for each of {len(asked.years)} years" if len(asked.years) > 1 else ""
            line = f"a synthetic INEX of {size[0]} documents and {size[1]} topics{each}, seed {seed}"
        else:
            place.mkdir()
        with PaperCollection(place, asked.years, asked.schema, work, jobs, graded=asked.graded) as collection:
            parts = list(asked.compute(collection))
        return Reproduction(asked, collection.synthetic, line, parts, collection.notices)
