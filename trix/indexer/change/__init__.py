"""How does an index follow its documents: added, deleted, replaced, merged?"""
