# Declarations of steps.py, for kernels that call its functions from loops without the interpreter's lock.
#
# What is called a million times less often than a loop turns can be shared so. The galloping search (`_seek`) and the
# reading of variable-byte integers cannot: they are the inside of the hottest loops and have to be inlined. C inlines
# within a module, and an inline function of a .pxd is written in Cython's syntax, so that the sources that run as
# Python would need it a second time all the same.

cpdef int damaged() except -1 nogil
cpdef int in_time() except -1 nogil
