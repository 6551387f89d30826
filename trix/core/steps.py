"""Helpers of all kernels: check the deadline, and report damaged data.

Both are called without the interpreter's lock and take it. `steps.pxd` declares them, so that other kernels call them
as C functions.
"""

import cython

from trix.support.deadline import check


def damaged():
    """Raise the IndexError that stands for damaged data."""
    with cython.gil:
        raise IndexError("damaged")


def in_time():
    """Raise `trix.errors.TooLongError` if the deadline has passed.

    A loop calls it once in a million steps of some nanoseconds, or once in some thousand steps that are loops
    themselves. So a few milliseconds pass between two checks, and the lock is rarely taken.
    """
    with cython.gil:
        check()
    return 0
