"""What loops of all kernels do besides their work: look at the deadline, and give up over damaged data.

Both are called without the interpreter's lock and take it. They are declared in `steps.pxd`, by which other kernels
call them as C functions.
"""

import cython

from trix.support.deadline import check


def damaged():
    """Raise the IndexError of damaged data."""
    with cython.gil:
        raise IndexError("damaged")


def in_time():
    """Raise `trix.errors.TooLongError` where the deadline of the work has passed.

    Loops call it once in a million steps of some nanoseconds each, or in some thousand that are loops themselves: few
    milliseconds pass from one look to the next, and the lock is taken as seldom.
    """
    with cython.gil:
        check()
    return 0
