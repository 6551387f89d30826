"""Raw arguments, sorted where a command bends the usual rules.

- `search`: what is no known option belongs to the query, also with a sign in front;
- `run`: bare ``b=0.1`` and ``v=2`` are options, as in the original TRIX;
- all that take an index: left out, it is the one that the environment names.

The first puts options first and everything else behind ``--``, which any parser then reads alike.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from trix.errors import UsageError, did_you_mean

DEFAULT_INDEX = "TRIX_INDEX"
"""Environment variable: the index of commands that are given none."""

_SETTING = re.compile(r"([A-Za-z_]\w*)=([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")


class Flags(NamedTuple):
    """The options that a command knows, each with its dashes."""

    valued: Collection[str]
    """Those that take a value: ``--v``, ``-n``."""
    plain: Collection[str]
    """Those that take none."""

    def take(self, argument: str, rest: Iterator[str]) -> list[str]:
        """Return the argument with its value if it is a known option, else nothing.

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
    """Sort the arguments of `search`: options in front, then ``--``, the index and the query.

    What looks like an unknown option before the index is left for the parser to refuse.

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
                    f"there is no option {name}{did_you_mean(name, flags.valued)}; "
                    f"what follows -- is the query, also where it begins with a dash"
                )
            words.append(argument)
    return [*options, "--", *words]


def settings_to_options(arguments: list[str], flags: Flags, settings: Collection[str]) -> list[str]:
    """Write the bare settings among the arguments of `run` as options: ``b=0.1`` as ``--b=0.1``.

    This is the command line of the original, so the preset is that of the papers unless another one is given.

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
    """Put the default index among the arguments of a command where exactly one of those that it needs is missing.

    Parameters
    ----------
    arguments
        As they are written.
    flags
        The options of the command.
    wanted
        Arguments that it needs, the index among them.
    place
        Of the index among these.
    index
        The default.

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
    """Return the places of the arguments that are no options and no values of options."""
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
