"""Collections: document files in folders, archives, compressed files, lists and buckets."""
