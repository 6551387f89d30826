"""Language codes: the meaning of ``xml:lang``, stemmers and stop lists by language.

A language has its two-letter code of ISO 639-1, or the longer code if there is none.
"""

from __future__ import annotations

import re
from functools import cache

from trix.errors import UsageError

STEMMERS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "cs": "czech", "da": "danish", "nl": "dutch",
    "en": "english", "eo": "esperanto", "et": "estonian", "fi": "finnish", "fr": "french", "de": "german",
    "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian",
    "lt": "lithuanian", "ne": "nepali", "nb": "norwegian", "nn": "norwegian", "no": "norwegian", "fa": "persian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "st": "sesotho",
    "es": "spanish", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Snowball stemmer by language; older versions of PyStemmer have fewer."""

_LONG = {
    "ara": "ar", "arm": "hy", "hye": "hy", "baq": "eu", "eus": "eu", "cat": "ca", "ces": "cs", "cze": "cs", "dan": "da",
    "dut": "nl", "nld": "nl", "eng": "en", "epo": "eo", "est": "et", "fin": "fi", "fra": "fr", "fre": "fr",
    "deu": "de", "ger": "de", "ell": "el", "gre": "el", "hin": "hi", "hun": "hu", "ind": "id", "gle": "ga", "ita": "it",
    "lit": "lt", "nep": "ne", "nob": "nb", "nno": "nn", "nor": "no", "fas": "fa", "per": "fa", "pol": "pl", "por": "pt",
    "ron": "ro", "rum": "ro", "rus": "ru", "srp": "sr", "sot": "st", "spa": "es", "swe": "sv", "tam": "ta", "tur": "tr",
    "yid": "yi", "lat": "la", "heb": "he", "zho": "zh", "chi": "zh", "jpn": "ja", "kor": "ko", "ukr": "uk", "bul": "bg",
    "slk": "sk", "slo": "sk", "slv": "sl", "hrv": "hr", "wel": "cy", "cym": "cy", "ice": "is", "isl": "is", "vie": "vi",
    "yue": "zh", "cmn": "zh",
}  # fmt: skip
_CODE = re.compile(r"[a-z]{2,3}(?![^-_])")
_NONE = ("und", "zxx", "mul", "mis")


def language_of(tag: str) -> str:
    """Normalise a language tag to its code; the empty string if it names no language.

    >>> language_of("fr-CA"), language_of("fra"), language_of("LAT"), language_of("grc"), language_of("und")
    ('fr', 'fr', 'la', 'grc', '')
    """
    # The primary subtag: two or three letters up to a hyphen or the end.
    found = _CODE.match(tag.strip().lower())
    code = found.group() if found else ""
    return "" if code in _NONE else _LONG.get(code, code)


def checked_language(given: str) -> str:
    """Normalise a language tag that a user wrote.

    Raises
    ------
    UsageError
        The tag names no language.
    """
    code = language_of(given)
    if not code:
        raise UsageError("expected a language code, such as fr, de or la", field="language", got=given)
    return code


def stemmer_of(language: str) -> str:
    """Return the name of the stemmer of a language, or ``none``.

    >>> stemmer_of("fr"), stemmer_of("la")
    ('french', 'none')
    """
    import Stemmer

    name = STEMMERS.get(language, "none")
    return name if name in Stemmer.algorithms() else "none"


@cache
def stop_lists() -> dict[str, list[str]]:
    """Return the stop lists of languages with a stemmer, except English."""
    from stop_words import AVAILABLE_LANGUAGES, LANGUAGE_MAPPING, get_stop_words

    from trix.indexer.words.analyzer import split_words

    found = {}
    for language, name in STEMMERS.items():
        # The lists know one Norwegian, the stemmers three codes.
        code = "nb" if name == "norwegian" else language
        if language != "en" and (code in LANGUAGE_MAPPING or name in AVAILABLE_LANGUAGES):
            found[language] = sorted({word for entry in get_stop_words(code) for word in split_words(entry)})
    return found
