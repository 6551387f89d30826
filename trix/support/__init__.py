"""General helpers without dependencies on other rooms: caches, files, processes, optional libraries."""
