"""Building and searching one index on many machines with Dask, which starts processes and sends tasks."""
