"""A small folder of templates of your own, made for the tests."""

import json

import pytest

QUESTION = "Ann has {a,2} apples and {b,3} pears, {fruit,ripe} all. How many?"
TEMPLATE = '''question = "Ann has 2 apples and 3 pears, ripe all. How many?"
answer = """
2 + 3 = <<2+3=5>>5
#### 5
"""
id_orig = {original}
id_shuffled = {name}
question_annotated = """
{question}

#init:
- fruit, word = sample(kinds, 2)
- $a = range(1, 5)
- $b = range(1, 5)
- total = ensure_int((b - a) / 1)

#conditions:
{conditions}

#answer: a + b
"""
answer_annotated = """
{{a}} + {{b}} = <<{{a}}+{{b}}={{a+b}}>>{{a+b}}
#### {{a+b}}
"""
language = "xyz"
'''


@pytest.fixture
def make_folder(tmp_path):
    """A function that writes a folder ``xyz`` of templates with the given conditions each."""

    def make(*conditions: str, question: str = QUESTION, prompt: str = r"Answer in \boxed{}."):
        folder = tmp_path / "xyz"
        (folder / "symbolic").mkdir(parents=True, exist_ok=True)
        for name, text in enumerate(conditions):
            filled = TEMPLATE.format(
                original=473 + name, name=name, conditions=text, question=question
            )
            (folder / "symbolic" / f"{name:04}.toml").write_text(filled)
        (folder / "instruction.toml").write_text(f"instruction = '''{prompt}'''")
        (folder / "replacements.json").write_text(json.dumps({"kinds": ["ripe", "red", "big"]}))
        return folder

    return make
