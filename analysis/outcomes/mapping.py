"""Where in a log each column is found, declared in YAML.

A mapping names, for each column, one source or a list of them; the first that has a value counts.
A source is a path into the log (``sample.metadata.language``), or::

    language:
      - sample.metadata.lang
      - {from: eval.task_args.file, pattern: 'mgsm_([a-z]+)', values: {de: deu}}
      - {from: file.task, read: suite}
      - {value: eng}                # a constant
      - default                     # the packaged sources of this column
    template:
      - {join: [file.task, sample.doc_id], with: ':'}
    models:                         # model names that are one model, or have another name here
      vllm/Qwen/Qwen3-8B: Qwen/Qwen3-8B

``pattern`` takes its first group (or the whole match) out of the text, or nothing; ``read`` makes
of a task's name its language (``suite``, ``ending``) or the task without it (``benchmark``, see
``task_names``); ``values`` renames what was found. ``join`` joins sources with a sign (``/``) where
all of them have a value. A user's file takes the place of the packaged default column by column.
Every record has ``file`` (path, name, folder), beside what its format puts there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from capability_transfer.analysis.outcomes import task_names
from capability_transfer.common.encoding import utf8
from capability_transfer.common.errors import InputError, name_some, option, suggest
from capability_transfer.common.tables import label
from capability_transfer.features.reasoning import mode

COLUMNS = (
    *("run", "task", "sample", "epoch", "model", "variant", "reasoning"),
    *("language", "template", "split", "instance", "score", "error"),
    *("response", "solution", "input_tokens", "output_tokens", "reasoning_tokens"),
)
"""What a mapping can place; which of them a format needs, its default shows."""


LABELS = ("model", "variant", "reasoning", "language", "template", "split", "instance")
REQUIRED = ("language", "template", "instance")


READINGS = ("suite", "ending", "benchmark")
"""What can be read in a task's name."""


@dataclass(frozen=True)
class Source:
    """One place of a column: a path, or a constant, and what is made of the text found there."""

    path: tuple[str, ...] = ()
    constant: str | None = None
    pattern: re.Pattern[str] | None = None
    values: dict[str, str] = field(default_factory=dict)
    reading: str | None = None

    @property
    def parts(self) -> tuple[Source, ...]:
        """The places that are looked at: its own."""
        return (self,)

    def __str__(self) -> str:
        return ".".join(self.path) or f"the constant {self.constant}"

    def raw(self, record: dict) -> Any:
        """What stands at the path, or None."""
        found: Any = record
        for name in self.path:
            found = found.get(name) if isinstance(found, dict) else None
        return found

    def is_in(self, record: dict) -> bool:
        """Whether the record has the place, whatever stands there."""
        *above, last = self.path or ("",)
        holder = Source(tuple(above)).raw(record)
        return self.constant is not None or (isinstance(holder, dict) and last in holder)

    def pick(self, record: dict, language: str | None = None) -> Any:
        """The value, after pattern, reading and renaming; None if there is none.

        Args:
            record: of the log.
            language: of the sample, for a task whose name does not tell what spells it.
        """
        if self.constant is not None:
            return self.constant
        found = self._matched(record)
        if self.reading is not None and found is not None:
            found = _read(self.reading, str(found), language)
        if found is None or found == "" or found != found:
            return None
        return self.values.get(str(found), found)

    def why_none(self, record: dict) -> str | None:
        """Why a task's name that is there gives no language; None for any other source."""
        found = self._matched(record) if self.reading in ("suite", "ending") else None
        return None if found in (None, "") else task_names.without_language(str(found))

    def _matched(self, record: dict) -> Any:
        found = self.raw(record)
        if self.pattern is not None and found is not None:
            match = self.pattern.search(str(found))
            found = match and match[match.re.groups and 1]
        return found


@dataclass(frozen=True)
class Join:
    """Several sources as one text, where all of them have a value."""

    parts: tuple[Source, ...]
    sign: str = "/"

    def __str__(self) -> str:
        return f"{' with '.join(map(str, self.parts))}, joined"

    def pick(self, record: dict, language: str | None = None) -> str | None:
        """The joined text, whole numbers plain; None if any part has no value."""
        found = [part.pick(record, language) for part in self.parts]
        if any(value is None or isinstance(value, dict | list | tuple) for value in found):
            return None
        return self.sign.join(label(value) or "" for value in found)

    def why_none(self, record: dict) -> str | None:
        return None


@dataclass(frozen=True)
class Mapping:
    """Sources by column, and models by the names that logs give them.

    ``fields`` is where in the format a user's own fields are, for advice.
    """

    columns: dict[str, tuple[Source | Join, ...]]
    models: dict[str, str]
    fields: str = "sample.metadata"

    def pick(self, column: str, record: dict, language: str | None = None) -> Any:
        """The column's value as it stands in the record; None if no source has one."""
        for source in self.columns.get(column, ()):
            if (value := source.pick(record, language)) is not None:
                return value
        return None

    def label(
        self,
        column: str,
        record: dict,
        where: str,
        required: bool = False,
        language: str | None = None,
    ) -> str | None:
        """The column's value as a label: text without surrounding space, whole numbers plain.

        Raises InputError for a value that is not a single one, a truth value for a language (YAML
        reads ``no`` as one), and for a required column without a value.
        """
        value = self.pick(column, record, language)
        if isinstance(value, dict | list | tuple):
            raise InputError(f"{where}: {column} is {value!r:.80}; it must be a single value")
        if isinstance(value, bool) and column == "language":
            raise InputError(f"{where}: language is {value}: YAML reads the code no so; quote it")
        text = label(value)
        if text is None and required:
            reasons = (source.why_none(record) for source in self.columns.get(column, ()))
            why = next((f" {reason}" for reason in reasons if reason), "")
            raise InputError(
                f"{where} has no {column}; looked in {self.places(column)}.{why} "
                f"{ADVICE.get(column, ADVICE['other']).format(column=column, fields=self.fields)}"
            )
        return text

    def labels(self, record: dict, where: str) -> dict[str, str | None]:
        """What names a sample: model, variant, reasoning (on, off), language, template, split, …

        Raises InputError as ``label`` does; a model or a variant, a language, a template and an
        instance must be there.
        """
        language = self.label("language", record, where, required=True)
        found = {
            name: self.label(name, record, where, name in REQUIRED, language) for name in LABELS
        }
        if found["variant"] is None and found["model"] is None:
            self.label("model", record, where, required=True)
        if found["reasoning"] is not None:
            found["reasoning"] = mode(found["reasoning"], f"{where}: reasoning")
        return found

    def places(self, column: str) -> str:
        """The column's sources, for messages."""
        listed = dict.fromkeys(map(str, self.columns.get(column, ())))
        return name_some(listed or ["nowhere: the mapping does not place it"])

    def column(self, name: str) -> tuple[Source, ...]:
        """The column's sources, those that are joined one by one."""
        return tuple(part for source in self.columns.get(name, ()) for part in source.parts)


def about_file(path: Path) -> dict[str, str]:
    """What a record's ``file`` has in every format: path as given, name, name of the folder."""
    return {"path": str(path), "name": path.name, "folder": path.resolve().parent.name}


def _read(reading: str, task: str, language: str | None) -> str | None:
    if reading == "benchmark":
        return task_names.benchmark(task, language)
    named = task_names.by_suite(task) if reading == "suite" else task_names.by_ending(task)
    return named and named.code


FIELDS = {"lm_eval": "sample.doc", "rows": "row"}
"""Where each format keeps a user's own fields, if not in ``sample.metadata``."""

_PLACE = f"Say where it is in a mapping file ({option('mapping')}), such as "
ADVICE = {
    "other": _PLACE + "`{column}: {fields}.{column}`",
    "language": _PLACE + "`language: {fields}.lang`, `language: {{value: eng}}` for all files, or "
    "`language: [{{from: file.name, pattern: 'mine_([a-z]+)'}}, default]`",
}


def read_mapping(default: str, path: Path | None = None) -> Mapping:
    """A format's packaged mapping, with a user's file in its place column by column.

    Raises InputError, naming the file, for a file that is not a YAML mapping, unknown columns, and
    sources that are not a path, constant or pattern, and columns whose place the format fixes.
    """
    packaged = files("capability_transfer.analysis.outcomes") / "mappings" / f"{default}.yaml"
    stated = _load(packaged.read_text(encoding="utf-8"), str(packaged))
    if path is not None:
        try:
            with utf8(path):
                text = Path(path).read_text(encoding="utf-8-sig")
        except OSError as error:
            raise InputError(f"the mapping {path} cannot be read: {error}") from error
        own = _load(text, str(path), stated)
        for name in own:
            if name not in (*stated, *LABELS, "models"):
                raise InputError(
                    f"{path}: {name} of {default} logs is not mapped, the format says where it is"
                )
        stated |= own
    models = stated.pop("models", {})
    return Mapping(stated, models, FIELDS.get(default, Mapping.fields))


def _load(text: str, where: str, packaged: dict | None = None) -> dict:
    """The sources by column, and the models; ``default`` stands for the packaged ones."""
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"{where} is not YAML: {error}") from error
    if not isinstance(data, dict):
        raise InputError(f"{where} must name columns and where they are found")
    known = (*COLUMNS, "models")
    for name in data:
        if name not in known:
            raise InputError(
                f"{where}: there is no column {name!r}.{suggest(str(name), known)} "
                f"Columns are {', '.join(known)}"
            )
    models = data.pop("models", None) or {}
    if not isinstance(models, dict) or not all(
        isinstance(text, str) for pair in models.items() for text in pair
    ):
        raise InputError(f"{where}: models must lead names of logs to names")
    columns = {
        name: tuple(
            source
            for one in _listed(stated)
            for source in (
                (packaged or {}).get(name, ())
                if one == "default"
                else [_source(one, f"{where}, {name}")]
            )
        )
        for name, stated in data.items()
    }
    return columns | ({"models": models} if models else {})


def _listed(stated: object) -> list:
    return stated if isinstance(stated, list) else [stated]


def _source(stated: object, where: str) -> Source | Join:
    if isinstance(stated, str):
        return Source(tuple(stated.split(".")))
    if isinstance(stated, dict) and "join" in stated:
        return _join(stated, where)
    known = ("from", "pattern", "read", "values", "value")
    if not isinstance(stated, dict) or not set(stated) <= set(known):
        raise InputError(
            f"{where}: {stated!r} is not a path and has none of {', '.join(known)}, join and with"
        )
    if ("value" in stated) == ("from" in stated):
        raise InputError(f"{where}: {stated!r} needs either from (a path) or value (a constant)")
    if "value" in stated:
        if isinstance(stated["value"], bool):
            raise InputError(f"{where}: {stated['value']} is a truth value in YAML; quote the word")
        return Source(constant=str(stated["value"]))
    values = stated.get("values") or {}
    if not isinstance(values, dict) or any(isinstance(value, bool) for value in values.values()):
        raise InputError(f"{where}: values must lead texts to texts (quote on, off, yes and no)")
    try:
        pattern = re.compile(stated["pattern"]) if "pattern" in stated else None
    except (re.error, TypeError) as error:
        raise InputError(f"{where}: {stated['pattern']!r} is not a pattern: {error}") from error
    reading = stated.get("read")
    if reading not in (None, *READINGS):
        raise InputError(
            f"{where}: read is {reading!r}; choose {name_some(READINGS)}."
            f"{suggest(str(reading), READINGS)}"
        )
    renamed = {str(key): str(value) for key, value in values.items()}
    return Source(tuple(str(stated["from"]).split(".")), None, pattern, renamed, reading)


def _join(stated: dict, where: str) -> Join:
    parts, sign = stated["join"], stated.get("with", "/")
    if not set(stated) <= {"join", "with"} or not isinstance(sign, str):
        raise InputError(f"{where}: {stated!r} may have join (sources) and with (a text) only")
    if not isinstance(parts, list) or len(parts) < 2:
        raise InputError(f"{where}: join needs a list of two sources or more, not {parts!r:.80}")
    sources = tuple(_source(part, f"{where}, join") for part in parts)
    if any(isinstance(source, Join) for source in sources):
        raise InputError(f"{where}: a join cannot hold another join")
    return Join(sources, sign)
