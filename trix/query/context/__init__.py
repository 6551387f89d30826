"""Contextualisation: forms that read scores and write scores, so that they chain."""
