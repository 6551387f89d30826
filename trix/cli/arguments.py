"""Raw arguments, rewritten for commands with rules of their own.

- `search`: unknown options belong to the query, also with a sign in front;
- `run`: bare ``b=0.1`` and ``v=2`` are options, as in the original TRIX;
- commands on an index: the default is the index that the environment names.

`separate_query` puts options first and everything else after ``--``, which every parser reads in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from trix.errors import UsageError, did_you_mean

DEFAULT_INDEX = "TRIX_INDEX"
"""Environment variable with the default index of all commands."""

_SETTING = re.compile(r"([A-Za-z_]\w*)=([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")


class Flags(NamedTuple):
    """Options of a command, with their dashes."""

    valued: Collection[str]
    """Options that take a value: ``--v``, ``-n``."""
    plain: Collection[str]
    """Options without a value."""

    def take(self, argument: str, rest: Iterator[str]) -> list[str]:
        """Return a known option with its value; empty for any other argument.

        Raises
        ------
        UsageError
            When the value is missing.

        Examples
        --------

        >>> flags = Flags({"--v", "-n"}, {"--explain"})
        >>> flags.take("--v", iter(["2", "xml"])), flags.take("--v=2", iter([])), flags.take("-n5", iter([]))
        (['--v', '2'], ['--v=2'], ['-n5'])
        >>> flags.take("-news", iter([]))
        []
        """
        if argument in self.plain:
            return [argument]
        if argument in self.valued:
            value = next(rest, None)
            if value is None:
                raise UsageError(f"{argument}: expected a value after it")
            return [argument, value]
        name, equals, _ = argument.partition("=")
        if equals and name.startswith("--") and name in self.valued:
            return [argument]
        if re.fullmatch(r"-[A-Za-z]\d+", argument) and argument[:2] in self.valued:
            return [argument]
        return []


def separate_query(arguments: list[str], flags: Flags) -> list[str]:
    """Sort the arguments of `search`: options, then ``--``, the index and the query.

    Unknown options before the index stay in front, so that the parser rejects them.

    Raises
    ------
    UsageError
        A word of the query looks like an option, and there is none of that name.

    Examples
    --------
    >>> flags = Flags({"--top", "-n"}, {"--explain"})
    >>> separate_query(["my.index", "+xml", "-n", "3", "-image", "--", "--top"], flags)
    ['-n', '3', '--', 'my.index', '+xml', '-image', '--top']
    """
    options: list[str] = []
    words: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            words.extend(rest)
        elif taken := flags.take(argument, rest):
            options.extend(taken)
        elif argument.startswith("-") and not words:
            options.append(argument)
        else:
            if re.match(r"--\w", argument):
                name = argument.partition("=")[0]
                raise UsageError(
                    f"there is no option {name}{did_you_mean(name, [*flags.valued, *flags.plain])}; "
                    "write -- before a query that begins with a dash"
                )
            words.append(argument)
    return [*options, "--", *words]


def settings_to_options(arguments: list[str], flags: Flags, settings: Collection[str]) -> list[str]:
    """Rewrite bare settings among the arguments of `run` as options: ``b=0.1`` as ``--b=0.1``.

    This is the command line of the original TRIX, so the default preset is that of the papers.

    Raises
    ------
    UsageError
        On a NAME=NUMBER whose name is no setting.

    Examples
    --------
    >>> flags = Flags({"--b", "--run-id"}, {"-e", "-o"})
    >>> settings_to_options(["i", "-o", "b=0.1", "t.txt", "--run-id", "b=1"], flags, ["b", "v"])
    ['--preset=study', 'i', '-o', '--b=0.1', 't.txt', '--run-id', 'b=1']
    """
    written: list[str] = []
    bare = False
    rest = iter(arguments)
    for argument in rest:
        setting = _SETTING.fullmatch(argument)
        if argument == "--":
            written.extend([argument, *rest])
        elif taken := flags.take(argument, rest):
            written.extend(taken)
        elif setting is None:
            written.append(argument)
        elif setting[1] in settings:
            written.append(f"--{argument}")
            bare = True
        else:
            raise UsageError(
                f"{argument}: no such setting{did_you_mean(setting[1], settings)}; "
                f"expected one of {', '.join(f'{name}=NUMBER' for name in settings)}"
            )
    named = any(argument.partition("=")[0] == "--preset" for argument in written)
    return ["--preset=study", *written] if bare and not named else written


def with_default(arguments: list[str], flags: Flags, wanted: int, place: int, index: str) -> list[str]:
    """Insert the default index into the arguments of a command if exactly one required argument is missing.

    Parameters
    ----------
    arguments
        As given on the command line.
    flags
        The options of the command.
    wanted
        Number of required arguments, including the index.
    place
        Position of the index among these.
    index
        The default index.

    Examples
    --------
    >>> flags = Flags({"--b", "-n"}, {"-e", "-o"})
    >>> with_default(["-e", "-o", "--b=0.1", "queries.txt"], flags, 2, 0, "my.index")
    ['-e', '-o', '--b=0.1', 'my.index', 'queries.txt']
    >>> with_default(["other.index", "queries.txt"], flags, 2, 0, "my.index")
    ['other.index', 'queries.txt']
    >>> with_default(["a.run", "-n", "3"], flags, 2, 1, "my.index"), with_default(["-e"], flags, 1, 0, "my.index")
    (['a.run', 'my.index', '-n', '3'], ['my.index', '-e'])
    """
    places = _plain_places(arguments, flags)
    if len(places) != wanted - 1:
        return arguments
    at = places[place] if place < len(places) else places[-1] + 1 if places else 0
    return [*arguments[:at], index, *arguments[at:]]


def _plain_places(arguments: list[str], flags: Flags) -> list[int]:
    """Return the positions of arguments that are neither options nor values of options."""
    found: list[int] = []
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        if argument == "--":
            return [*found, *range(at + 1, len(arguments))]
        taken = flags.take(argument, iter(arguments[at + 1 :]))
        if not taken and (argument == "-" or not argument.startswith("-")):
            found.append(at)
        at += max(len(taken), 1)
    return found
