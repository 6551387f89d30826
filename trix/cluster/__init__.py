"""How do many machines work on one index? Dask starts the processes, hands out the tasks, and notices who has died."""
