"""Writers of segments: from sources, or by merging older segments."""
