# Declarations of steps.py, for kernels that call its functions from loops without the interpreter's lock.

cpdef int damaged() except -1 nogil
cpdef int in_time() except -1 nogil
