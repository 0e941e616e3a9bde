"""The page: its parts, its words from its results, and what it says where there are none."""

import json
import re
import shlex
import shutil
import subprocess
import tomllib
from email.message import Message
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
import yaml
from capability_transfer.analysis.presentation.provenance import Provenance
from capability_transfer.analysis.report import page
from capability_transfer.analysis.report.results import Results, target
from capability_transfer.analysis.report.sections import SECTIONS, finding
from capability_transfer.common.errors import InputError

RESULTS = Path(__file__).parents[3] / "results"
OPTIONAL = {"glmm/variance_explained.csv", "glmm/standardisation.csv"}
pytestmark = pytest.mark.artefacts  # all of them show the committed results
AWAY = {page.PAPER, "https://forge.example/capability-transfer", "../items/index.html"}
VOID = {"meta", "link", "input", "br", "img"}
EXPLORER = {"languages": [1], "models": [1], "families": [], "sizes": [8], "questions": 2000,
            "limit": 720,
            "key": "k", "seed": 1, "text": "</script>"}  # fmt: skip


class Reader(HTMLParser):
    """Elements in order, with what is open around them; complains of what is not closed."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def all(self, *tags):
        return [(tag, attributes) for tag, attributes in self.elements if tag in tags]


@pytest.fixture(scope="module")
def text():
    return page.render(Results(RESULTS), EXPLORER, "some data")


@pytest.fixture(scope="module")
def read(text):
    return Reader(text)


@pytest.fixture
def copied(tmp_path):
    """The committed tables, to be changed."""
    needed = {name for section in SECTIONS if not section.optional for name in section.needs}
    for name in needed | OPTIONAL:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(RESULTS / name, tmp_path / name)
    return tmp_path


def test_every_element_is_closed_and_every_id_is_there_once(read):
    assert read.open == []
    ids = [attributes["id"] for _, attributes in read.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in read.elements:
        for name in ("for", "aria-labelledby"):
            assert attributes.get(name, ids[0]) in ids
    for _, link in read.all("a"):
        assert link["href"].removeprefix("#") in ids or link["href"] in AWAY


def test_headings_are_in_order_below_one_title(read):
    levels = [int(tag[1]) for tag, _ in read.all("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= before + 1 for before, later in pairwise(levels))
    assert {"header", "nav", "main", "footer"} <= {tag for tag, _ in read.elements}
    assert read.all("html")[0][1]["lang"] == "en"


def test_it_asks_for_nothing(read, text):
    for tag, attributes in read.elements:
        for name in ("src", "href", "xlink:href", "action"):
            if tag != "a":
                assert attributes.get(name, "#").startswith(("#", "data:")), attributes
    assert not re.search(r"@import|url\((?!#)", text)


def test_figures_and_tables_say_what_they_are(read):
    assert all(svg["aria-label"] for _, svg in read.all("svg"))
    assert len(read.all("svg")) > 8
    assert len(read.all("caption")) == len(read.all("table"))
    assert all("scope" in cell for _, cell in read.all("th"))


def test_numbers_are_read_from_the_results(copied):
    name = copied / "glmm" / "fixed_effects.csv"
    fixed = pd.read_csv(name)
    fixed.loc[fixed["term"] == "size", "estimate"] = 3.14159
    fixed.to_csv(name, index=False)
    assert "is worth 3.14" in page.render(Results(copied), EXPLORER, "some data")


def test_the_first_sentence_is_computed(copied):
    """Small models keep a quarter, large ones half, whatever the middle keeps."""
    (copied / "features").mkdir(exist_ok=True)
    sizes = pd.DataFrame({"variant": list("abc"), "params_b": [1, 7.5, 30]})
    sizes.to_csv(copied / "features" / "models.csv", index=False)
    path = copied / "outcomes" / "summary.csv"
    rows = [("a", "eng", 0.8), ("a", "mar", 0.2), ("b", "eng", 0.9), ("b", "mar", 0.1),
            ("c", "eng", 0.9), ("c", "mar", 0.45)]  # fmt: skip
    counts = pd.DataFrame(rows, columns=["variant", "language", "accuracy"])
    counts.assign(split="symbolic", n_total=100).to_csv(path, index=False)
    told = "In Marathi, language models of up to 1B parameters keep 25% of their English accuracy"
    assert finding(Results(copied))["sentence"] == f"{told}; those from 30B keep 50%."
    text = page.render(Results(copied), EXPLORER, "some data")
    assert f"<h1>{told}" in text
    assert f'<meta name="description" content="{told}' in text
    assert f'<meta property="og:description" content="{told}' in text
    sizes.assign(params_b=8).to_csv(copied / "features" / "models.csv", index=False)
    assert finding(Results(copied)) is None
    assert f"<h1>{page.TITLE}</h1>" in page.render(Results(copied), EXPLORER, "some data")


def test_the_share_that_is_ceiling_is_that_of_the_studys_primary_check(copied):
    path = copied / "ceiling" / "table.csv"
    table = pd.read_csv(path)
    own = table["term"] == "resource:size"
    for restriction, estimate, low, high in (
        ("all", -0.4, -0.5, -0.3), ("english_below_90", -0.3, -0.42, -0.1),
    ):  # fmt: skip
        rows = own & (table["restriction"] == restriction)
        table.loc[rows, ["estimate", "conf_low", "conf_high"]] = [estimate, low, high]
    table.to_csv(path, index=False)
    text = page.render(Results(copied), EXPLORER, "some data")
    assert "So 25% of it is ceiling, and the rest stays" in text
    assert "allows a share from 0 to 75%" in text
    assert "Among the runs below 95% in English 17 pairs are above 90%, not the 12" in text


def test_sections_of_items_and_other_benchmarks_are_there_where_their_results_are(copied):
    for name in ("items", "pooled"):
        shutil.rmtree(copied / name, ignore_errors=True)
    results = Results(copied)
    assert page.missing(results) == []
    text = page.render(results, EXPLORER, "some data")
    assert 'id="items"' not in text
    assert 'id="pooled"' not in text
    (copied / "items").mkdir()
    rows = pd.DataFrame({
        "language": ["rus", "eng"], "items": 100, "flagged": [11, 0], "harder": [9, 0],
        "accuracy": [0.66, 0.8], "without": [0.7, 0.8], "lost": [4.1, 0],
    })  # fmt: skip
    rows.to_csv(copied / "items" / "languages.csv", index=False)
    (copied / "pooled").mkdir()
    errors = pd.DataFrame({
        "held": "language", "benchmark": "mgsm_pro", "predictor": ["pooled", "study_alone"],
        "pairs": 30, "mae": [10.1, 17.2], "language_mae": [8, 12], "coverage_80": [0.73, None],
    })  # fmt: skip
    errors.to_csv(copied / "pooled" / "errors.csv", index=False)
    text = page.render(Results(copied), EXPLORER, "some data")
    assert "Of 200 items (a template in a language) 11 are flagged" in text
    assert "They cost Russian most: 4.1 accuracy points" in text
    linked = text.partition('href="../items/index.html"')[2].partition("</p>")[0]
    assert "<code>results/items/index.html</code> in the repository" in linked
    told = "10.1 points off on MGSM-Pro (learning from the study alone, 17.2)."
    assert f"Languages held out: {told}" in text
    assert "A simpler predictor" not in text
    errors.assign(mae=[10.1, 9.9]).to_csv(copied / "pooled" / "errors.csv", index=False)
    told = "the study alone on MGSM-Pro with the language held out (9.9)."
    assert f"A simpler predictor is closer in places: {told}" in page.render(
        Results(copied), EXPLORER, "some data"
    )
    thirds = errors.assign(third="least text", languages=5)
    thirds.to_csv(copied / "pooled" / "by_resource.csv", index=False)
    text = page.render(Results(copied), EXPLORER, "some data")
    assert '<th scope="row">least text</th><td>5</td><td>10.1</td>' in text


def test_the_codes_address_stands_in_one_place(monkeypatch):
    """``pyproject.toml``; an installation made before it stood there has none."""
    text = (RESULTS.parent / "pyproject.toml").read_text(encoding="utf-8")
    stated = tomllib.loads(text)["project"]["urls"]["Source"]
    assert stated in AWAY
    assert page.address() in (stated, None)
    installed = Message()
    installed["Project-URL"] = "Paper, https://arxiv.org"
    installed["Project-URL"] = f"Source, {stated}"
    monkeypatch.setattr(page, "metadata", lambda name: installed)
    assert page.address() == stated
    assert f'<a href="{stated}">Code and data</a>' in page.render(
        Results(RESULTS), EXPLORER, "some data"
    )


def test_the_explorers_data_cannot_end_the_script(text):
    embedded = re.search(r'<script type="application/json" id="predictions">(.*?)</script>', text)
    assert json.loads(embedded[1]) == EXPLORER


def test_a_section_without_results_says_what_makes_them(copied):
    shutil.rmtree(copied / "penalty")
    results = Results(copied)
    assert page.missing(results) == ["penalty"]
    text = page.render(results, EXPLORER, "some data")
    assert "<code>transfer penalty</code>" in text
    assert text.count('class="absent"') == 2  # and the one for readers without JavaScript


def test_a_folder_without_any_results_is_refused(tmp_path):
    with pytest.raises(InputError, match="no results that a report could show: run `make all`"):
        page.check(Results(tmp_path))


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "term,estimate\nsize,1\n", ""])
@pytest.mark.parametrize(
    "name", ["glmm/fixed_effects.csv", "glmm/glance.csv", "sample_size/claims.csv"]
)
def test_tables_of_another_kind_are_refused_before_anything_is_predicted(copied, name, text):
    (copied / name).write_text(text)
    with pytest.raises(InputError, match=name):
        page.check(Results(copied))


@pytest.mark.parametrize(
    "name", ["glmm/fixed_effects.csv", "ceiling/table.csv", "transfer_metrics/determinants.csv"]
)
def test_a_table_without_rows_is_refused_before_anything_is_predicted(copied, name):
    path = copied / name
    path.write_text(path.read_text(encoding="utf-8").splitlines()[0] + "\n")
    told = f"{path} has a header and no rows: write it again with `transfer {target(name)}`"
    with pytest.raises(InputError, match=re.escape(told)):
        page.check(Results(copied))


def test_what_only_the_page_misses_is_refused_too(copied):
    (copied / "equivalence/table.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="lacks what the page shows.*Write its results again"):
        page.render(Results(copied), EXPLORER, "some data")


def test_a_users_own_model_is_shown_without_published_values(copied):
    for section in SECTIONS:
        for name in section.needs:
            if not name.startswith("glmm/"):
                (copied / name).unlink(missing_ok=True)
    own = pd.read_csv(copied / "glmm" / "fixed_effects.csv").iloc[:2]
    own.assign(published=None, difference=None).to_csv(
        copied / "glmm" / "fixed_effects.csv", index=False
    )
    page.check(Results(copied))
    text = page.render(Results(copied), EXPLORER, "my data")
    assert "Learned from: my data" in text
    assert "hollow marks" not in text


def test_a_formula_of_ones_own_is_shown_without_what_it_does_not_give(copied):
    """Random slopes, no size: nothing is explained, and slopes are told apart by name."""
    for name in OPTIONAL:
        (copied / name).unlink()
    effects = copied / "glmm" / "fixed_effects.csv"
    pd.read_csv(effects).query("term == '(Intercept)' or term == 'distance'").to_csv(
        effects, index=False
    )
    path = copied / "glmm" / "random_effects.csv"
    random = pd.read_csv(path).query("group == 'language'")
    random = pd.concat([random.assign(term=term) for term in ("(Intercept)", "size")])
    random.to_csv(path, index=False)
    assert page.missing(Results(copied)) == []
    text = page.render(Results(copied), EXPLORER, "my data")
    assert "The features explain" not in text
    assert "Language, Model size" in text


def test_a_section_whose_results_lack_rows_says_which(copied):
    path = copied / "sample_size" / "templates.csv"
    pd.read_csv(path).query("split == 'symbolic'").to_csv(path, index=False)
    path = copied / "loo" / "ladder.csv"
    pd.read_csv(path).query("predictor == 'study'").to_csv(path, index=False)
    text = page.render(Results(copied), EXPLORER, "my data")
    assert "split original in sample_size/templates.csv" in text
    assert "predictor smooth in loo/ladder.csv" in text


def test_notes_say_what_a_folder_rests_on(tmp_path):
    results = Results(tmp_path)
    (tmp_path / "x").mkdir()
    assert results.note("x") == ""
    rests = Provenance("mine, all of it", "laplace", "1.0", "~ size", 7, "More.")
    rests.write(tmp_path / "x" / "provenance.json", "X")
    assert Provenance.read(tmp_path / "x" / "provenance.json") == rests
    assert results.note("x") == (
        "Data: mine, all of it. Fit: laplace 1.0, Laplace approximation. More."
    )


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"data": 5}', '{"data": "x", "engine": ["a"]}', '{"data": "x", "y": ""}'],
)
def test_a_record_of_another_kind_is_refused(copied, text):
    (copied / "glmm" / "provenance.json").write_text(text)
    with pytest.raises(InputError, match="glmm/provenance.json does not say"):
        page.check(Results(copied))


def test_targets_are_commands():
    from capability_transfer.analysis.cli import COMMANDS

    needed = {target(name) for section in SECTIONS for name in section.needs}
    assert needed <= set(COMMANDS)
    assert {"few-templates", "loo-predict"} <= needed


def test_the_study_is_cited_as_the_citation_file_does(text):
    cited = yaml.safe_load((RESULTS.parent / "CITATION.cff").read_text(encoding="utf-8"))
    study = cited["references"][0]
    first = study["authors"][0]
    assert f"author = {{{first['family-names']}, {first['given-names']} and others}}" in text
    assert f"<cite>{study['title']}</cite>, {study['year']}" in text
    assert study["identifiers"][0]["value"] in text
    assert f"<cite>{cited['title']}</cite>, version {cited['version']}" in text
    assert cited["authors"][0]["name"] in text


def test_the_committed_page_is_of_the_committed_results():
    path = RESULTS / "report" / "index.html"
    if not path.is_file():
        pytest.skip("no page is committed")
    embedded = dict(re.findall(r'<th scope="row">(\w+/\w+\.csv)</th><td>([0-9a-f]{16})</td>',
                               path.read_text(encoding="utf-8")))  # fmt: skip
    results = Results(RESULTS)
    for name in embedded:
        results.table(name)
    assert embedded
    assert results.digests() == embedded, "run `make report`"


def test_what_users_call_things_is_text_on_the_page(copied):
    hostile = "<script>alert(1)</script>"
    for path in (copied / "glmm").glob("*.csv"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("resource", f"resource{hostile}"), encoding="utf-8")
    Provenance(f"outcomes of {hostile}.csv").write(copied / "glmm" / "provenance.json", "x")
    text = page.render(Results(copied), EXPLORER, f"outcomes of {hostile}")
    assert hostile not in text
    assert text.count("&lt;script&gt;alert(1)") + text.count("&lt;script>alert(1)") >= 3


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js here")
@pytest.mark.parametrize("name", ["Qwen3", "Granite 3.2", "it's", "$(id)", "a`b`;c", "x/y-1.5,z"])
def test_names_in_the_explorers_command_are_one_word_of_a_shell(name):
    script = (page.PAGE / "explorer.js").read_text(encoding="utf-8")
    quoted = re.search(r"  const quoted = .*?;\n", script, re.DOTALL)[0]
    program = f"{quoted} process.stdout.write(quoted({json.dumps(name)}));"
    ended = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True)
    assert shlex.split(ended.stdout) == [name]
    assert (ended.stdout == name) == (name in ("Qwen3", "x/y-1.5,z"))
