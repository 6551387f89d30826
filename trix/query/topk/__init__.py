"""Pruned top-k search: documents in the order of their upper bounds, until none can enter the results."""
