"""Execution of experiments in worker processes, with a journal."""
