"""Table of commands, in the sections of `trix --help`."""

from __future__ import annotations

GROUPS: dict[str, dict[str, str]] = {
    "Collections": {
        "index": "trix.cli.commands.index:index",
        "add": "trix.cli.commands.change:add",
        "update": "trix.cli.commands.change:update",
        "delete": "trix.cli.commands.change:delete",
        "compact": "trix.cli.commands.change:compact",
        "check": "trix.cli.commands.look:check",
        "info": "trix.cli.commands.look:info",
        "profile": "trix.cli.commands.profile:profile",
    },
    "Search and read": {
        "search": "trix.cli.commands.search:search",
        "shell": "trix.cli.commands.search:shell",
        "passages": "trix.cli.commands.search:passages",
        "suggest": "trix.cli.commands.look:suggest",
        "show": "trix.cli.commands.look:show",
        "cite": "trix.cli.commands.look:cite",
        "register": "trix.cli.commands.look:register",
        "handbook": "trix.cli.commands.handbook:handbook",
        "demo": "trix.cli.commands.demo:demo",
    },
    "Serve": {
        "serve": "trix.cli.commands.serve:serve",
        "publish": "trix.cli.commands.serve:publish",
        "mcp": "trix.cli.commands.search:mcp",
    },
    "Experiments": {
        "datasets": "trix.cli.commands.demo:datasets",
        "run": "trix.cli.commands.run:run",
        "rescore": "trix.cli.commands.rescore:rescore",
        "fuse": "trix.cli.commands.fuse:fuse",
        "sweep": "trix.cli.commands.lab:sweep",
        "tune": "trix.cli.commands.lab:tune",
        "learn": "trix.cli.commands.lab:learn",
        "report": "trix.cli.commands.lab:report",
        "stats": "trix.cli.commands.lab:stats",
        "reproduce": "trix.cli.commands.lab:reproduce",
    },
    "Evaluation": {
        "eval": "trix.cli.commands.evaluate:evaluate",
        "compare": "trix.cli.commands.evaluate:compare",
        "density": "trix.cli.commands.evaluate:density",
        "granulate": "trix.cli.commands.convert:granulate",
        "simulate": "trix.cli.commands.convert:simulate",
        "convert": "trix.cli.commands.convert:convert",
    },
}
"""Section of the help text -> command -> module:function, in the order in which they are printed."""

COMMANDS = {name: place for group in GROUPS.values() for name, place in group.items()}
"""Command -> module:function."""

ALIASES = {"online": "shell"}
"""Older name -> command."""
