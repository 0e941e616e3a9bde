"""The study's tables and figures: what makes each, from which data, and how far ours is from it.

A further item is one line of ``ITEMS``; ``write`` makes ``results/README.md`` of what is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from capability_transfer.analysis.outcomes.study import data_source
from capability_transfer.analysis.pipeline.steps import STEPS
from capability_transfer.common.files import read_table, write_text

CELLS = "published cells"
TOTALS = "totals by model and language"
SPLITS = "published cells; original split drawn given its totals"
FEATURES = "packaged features"
STATED = "stated by the study"
LOGS = "needs your logs"
NONE = "no data"


@dataclass(frozen=True)
class Against:
    """Where ours stands beside the published value: two columns of a results file.

    ``where`` keeps rows (pandas query); ``scale`` brings the difference to ``unit``.
    """

    file: str
    ours: str
    published: str
    unit: str
    where: str = ""
    scale: float = 1.0


@dataclass(frozen=True)
class Item:
    """A table or figure, numbered as in the study, or named if it is ours.

    Attributes:
        kind: ``table`` or ``figure``.
        label: number or name.
        title: what it shows.
        step: the command and Make target that writes it.
        data: which data it rests on.
        against: the published values it is compared with.
        remark: how it deviates, or what it needs.
    """

    kind: str
    label: str
    title: str
    step: str
    data: str
    against: tuple[Against, ...] = ()
    remark: str = ""

    @property
    def name(self) -> str:
        """The file name without suffix: ``table_03``."""
        return f"{self.kind}_{self.label}"

    @property
    def needs_logs(self) -> bool:
        """Whether the embedded data cannot make it."""
        return self.data == LOGS

    @property
    def ours(self) -> bool:
        """Whether it is ours and not the study's."""
        return not self.label.isdigit()


ITEMS = (
    Item("table", "01", "Benchmarks compared", "", NONE, remark="a literature overview"),
    Item(
        "table", "02", "Template budget, ranking and precision", "sample-size", SPLITS,
        (
            Against("sample_size/templates.csv", "std_error", "published", "points SE",
                    "rank_reference == 'own_split'"),
            Against("sample_size/templates.csv", "rank_correlation", "published_rank", "ρ"),
        ),
    ),
    Item("table", "03", "Estimates of the main model", "glmm", CELLS,
         (Against("glmm/fixed_effects.csv", "estimate", "published", "log-odds"),
          Against("glmm/random_effects.csv", "sd", "published", "log-odds SD"))),
    Item("table", "04", "Standardisation constants", "glmm", FEATURES,
         (Against("glmm/standardisation.csv", "mean", "published_mean", "raw mean"),
          Against("glmm/standardisation.csv", "sd", "published_sd", "raw SD"))),
    Item("table", "05", "A few templates of a held-out language", "few-templates",
         CELLS, (Against("tables/table_05.csv", "mae", "published", "points MAE"),)),
    Item("table", "06", "Effects at each stage of a solution", "stages", LOGS,
         remark="needs the text of the responses"),
    Item("table", "07", "The model without saturated cells", "ceiling", CELLS,
         (Against("ceiling/table.csv", "estimate", "published", "log-odds"),)),
    Item("table", "08", "Model repositories and revisions", "overview", STATED),
    Item("table", "09", "Languages of the benchmark", "overview", STATED),
    Item("table", "10", "Translation and review", "overview", STATED),
    Item("table", "11", "Accuracy by run", "overview", TOTALS,
         tuple(
             Against("overview/runs.csv", name, f"published_{name}", f"points ({label})")
             for name, label in (("english", "English"), ("worst_accuracy", "Worst"),
                                 ("symbolic", "Symb."), ("gap", "Gap"), ("original", "Orig."))
         ),
         "originals and excluded runs from Table 12, which pools repeats in four languages"),
    Item("table", "12", "Accuracy by run and language", "overview", TOTALS,
         tuple(
             Against("tables/table_12.csv", ours, known, f"points ({label})")
             for ours, known, label in (("accuracy", "published", "accuracy"),
                                        ("conf_low", "published_low", "lower bound"),
                                        ("conf_high", "published_high", "upper bound"))
         )),
    Item("table", "penalty", "The symbolic penalty", "penalty", SPLITS,
         (Against("penalty/fixed_effects.csv", "estimate", "published", "log-odds (δ)"),
          Against("penalty/random_effects.csv", "sd", "published", "log-odds (τ)"),
          Against("penalty/test.csv", "statistic", "published", "χ²")),
         "section 4.3, Appendix D.1; the study's figures are of an earlier state of its data"),
    Item("table", "specifications", "Alternative specifications", "specifications", CELLS,
         (Against("specifications/table.csv", "estimate", "published", "log-odds"),),
         "Appendix A.1; the study's figures are of an earlier state of its data"),
    Item("table", "equivalence", "Metric against imperial English", "equivalence", TOTALS,
         remark="Appendix A.3, in words there"),
    Item("figure", "01", "Overview drawing", "", NONE, remark="a drawing"),
    Item("figure", "02", "Fixed effects", "glmm", CELLS,
         (Against("glmm/fixed_effects.csv", "estimate", "published", "log-odds"),)),
    Item("figure", "03", "Success by depth of the solution", "stages", LOGS,
         remark="needs the text of the responses"),
    Item("figure", "04", "Levers: size and reasoning", "levers", CELLS),
    Item("figure", "05", "Forecast of language means", "loo-predict", CELLS,
         (Against("loo/published.csv", "ours", "published", "points MAE",
                  "level == 'language' and statistic == 'mae'"),)),
    Item("figure", "06", "Forecast of pairs", "loo-predict", CELLS,
         (Against("loo/published.csv", "ours", "published", "points MAE",
                  "level == 'pair' and statistic == 'mae'"),
          Against("loo/published.csv", "ours", "published", "r",
                  "level == 'pair' and statistic == 'pearson'")),
         remark="690 pairs; the study's caption says 768, of an earlier state of its data"),
    Item("figure", "07", "Machine-translated Icelandic, three runs", "equivalence", LOGS,
         remark="no scores are tabulated: --first isl --second isl_machine"),
    Item("figure", "08", "Metric and imperial English, three runs", "equivalence", TOTALS,
         remark="runs at the quartiles; the study does not say how it chose three"),
    Item("figure", "09", "How much data is needed", "sample-size", SPLITS,
         (Against("sample_size/templates.csv", "std_error", "published", "points SE",
                  "rank_reference == 'own_split'"),
          Against("sample_size/claims.csv", "value", "published", "precision ratio",
                  "statistic == 'precision_ratio'"))),
    Item("figure", "10", "Symbolic penalty by language", "penalty", TOTALS,
         (Against("penalty/by_language.csv", "gap", "published", "points"),)),
    Item("figure", "11", "Original against symbolic accuracy", "penalty", TOTALS,
         (Against("penalty/overall.csv", "gap", "published_gap", "points"),),
         "690 pairs in the model; the study's 3.14 is of 705"),
    Item("figure", "12", "Transfer gap with reasoning on and off", "overview", TOTALS),
    Item("figure", "13", "Gap at a given compute budget", "compute", LOGS,
         remark="needs the tokens of the responses"),
    Item("figure", "14", "Forecast of pairs by language", "loo-predict", CELLS),
    Item("figure", "15", "Cost of a language in parameters", "levers", CELLS,
         remark="two definitions, see levers/scale_cost.csv: the abstract's 32B in Marathi like "
         "10B in English is the one by observed error odds"),
    Item("figure", "16", "Languages in the feature space", "overview", FEATURES),
    Item("figure", "17", "Effects at each stage, drawn", "stages", LOGS,
         remark="needs the text of the responses"),
    Item("figure", "18", "Machine-translated Icelandic, all runs", "equivalence", LOGS,
         remark="no scores are tabulated: --first isl --second isl_machine"),
    Item("figure", "19", "Metric and imperial English, all runs", "equivalence", TOTALS),
    Item("figure", "ceiling", "Size interactions without saturated cells", "ceiling",
         CELLS, (Against("ceiling/table.csv", "estimate", "published", "log-odds",
                                 "term in ('resource:size', 'distance:size')"),)),
    Item("figure", "specifications", "Alternative specifications", "specifications",
         CELLS),
    Item("table", "ladder", "From the study's predictor to ours", "loo-predict", CELLS),
    Item("table", "few_templates", "A few templates, every predictor", "few-templates", CELLS),
    Item("figure", "ladder", "From the study's predictor to ours", "loo-predict", CELLS),
    Item("figure", "calibration", "Coverage of the predictive intervals", "loo-predict",
         CELLS),
    Item("figure", "resource_shape", "Shape of the resource effect", "loo-predict",
         CELLS),
    Item("table", "pooled", "Predictions held out of all benchmarks", "pooled-check", CELLS,
         remark="with MGSM-Pro's published scores; not part of `make all`"),
    Item("figure", "pooled", "20 languages on three benchmarks", "pooled-check", CELLS,
         remark="with MGSM-Pro's published scores; not part of `make all`"),
    Item("table", "power", "Power of planned studies", "power", CELLS,
         remark="simulated; not part of `make all`"),
    Item("figure", "power", "Power of planned studies", "power", CELLS,
         remark="simulated; not part of `make all`"),
    Item("table", "items", "Items that are odd in one language", "items", CELLS),
    Item("figure", "items_map", "Effects of languages on templates", "items", CELLS),
    Item("figure", "items_extreme", "The largest of these effects", "items", CELLS),
    Item("figure", "items_cost", "Accuracy points that flagged items cost", "items", CELLS),
    Item("table", "items_sensitivity", "The main model without flagged items", "sensitivity", CELLS,
         remark="not part of `make all`"),
    Item("figure", "items_sensitivity", "Conclusions without flagged items", "sensitivity", CELLS,
         remark="not part of `make all`"),
    Item("figure", "family_gaps", "English gap by family", "overview", TOTALS,
         (Against("overview/families.csv", "gap", "published", "points"),),
         "Limitations, in words there"),
)  # fmt: skip


def steps_of(kind: str) -> list[str]:
    """The commands that make all tables, or all figures, which the embedded data can make."""
    known = {step.command for step in STEPS}
    made = [item.step for item in ITEMS if item.kind == kind and not item.needs_logs]
    return [step for step in dict.fromkeys(made) if step in known]


SUFFIXES = {"table": (".md", ".csv", ".tex"), "figure": (".png", ".pdf", ".caption.txt")}
HEADINGS = ("Item", "Shows", "Target", "Data", "Largest difference from the published", "Files")


def write(directory: Path) -> Path:
    """Write the index of what is in the results directory."""
    parts = [
        "# Results\n\n"
        f"On the study's embedded data: {data_source()}. Made by `make all`; one item by its "
        "target. Every folder has a README that says the same of its files. Published values are "
        "those of arXiv 2610.03367v2; differences are ours minus the published value, the largest "
        "in size of n that are published.\n"
    ]
    if (directory / "report" / "index.html").is_file():
        parts.append("[The report](report/index.html) shows them on one page, with predictions to "
                     "explore (`make report`).\n")  # fmt: skip
    for title, ours in (("The study's tables and figures", False), ("Ours", True)):
        rows = [line(item, directory) for item in ITEMS if item.ours == ours]
        table = [HEADINGS, ["---"] * len(HEADINGS), *rows]
        written = "\n".join(f"| {' | '.join(row)} |" for row in table)
        parts.append(f"## {title}\n\n{written}\n")
    others = unlisted(directory)
    if others:
        named = "\n".join(f"- {' · '.join(_links(name, directory))}" for name in others)
        parts.append(f"## Of neighbouring methods\n\n{named}\n")
    return write_text("\n".join(parts), directory / "README.md")


def line(item: Item, directory: Path) -> list[str]:
    """One item's row of the index."""
    label = f"{item.kind.title()} {int(item.label)}" if not item.ours else item.name
    found = "; ".join(filter(None, (difference(each, directory) for each in item.against)))
    if item.remark:
        found = f"{found} ({item.remark})" if found else item.remark
    target = f"`make {item.step}`" if item.step else ""
    return [label, item.title, target, item.data, found, " · ".join(_links(item.name, directory))]


def difference(against: Against, directory: Path) -> str:
    """The largest difference from the published values, with its sign, unit and their number."""
    path = directory / against.file
    if not path.is_file():
        return ""
    table = read_table(path)
    if not {against.ours, against.published}.issubset(table.columns):
        return ""
    if against.where:
        table = table.query(against.where)
    gaps = (against.scale * (table[against.ours] - table[against.published])).dropna()
    if gaps.empty:
        return ""
    largest = gaps.loc[gaps.abs().idxmax()]
    text = f"{largest:+.3g}".replace("-", "−") if abs(largest) > 1e-9 else "0"
    return f"{text} {against.unit}, n = {len(gaps)}"


def unlisted(directory: Path) -> list[str]:
    """Tables and figures in the results that the registry does not name."""
    known = {item.name for item in ITEMS}
    found = [*directory.glob("tables/*.md"), *directory.glob("figures/*.png")]
    # a name with a dot is a file that another process is just writing
    return sorted({path.stem for path in found if not path.name.startswith(".")} - known)


def _links(name: str, directory: Path) -> list[str]:
    """Links to the files of an item that are there."""
    kind = name.split("_")[0]
    paths = [f"{kind}s/{name}{suffix}" for suffix in SUFFIXES[kind]]
    here = [path for path in paths if (directory / path).is_file()]
    return [f"[{path.removeprefix(f'{kind}s/')}]({path})" for path in here]
