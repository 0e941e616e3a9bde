"""The example data of the documentation: six made-up models in six languages, from known effects.

``python docs/examples/simulate.py`` writes outcomes.csv, translated.csv (the same but for one
German template, which is answered as if mistranslated), models.csv, few.csv and the logs of an
evaluation (in the format of Every Eval Ever) beside itself.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit

HERE = Path(__file__).parent
LANGUAGES = {"eng": 9.1, "deu": 8.1, "jpn": 8.0, "dan": 7.1, "hin": 6.5, "mar": 5.8}
SIZES = (1, 3, 8)

random = np.random.default_rng(20261006)
models = pd.DataFrame(
    [
        (f"Ours-{size}B (reasoning {mode})", f"Ours-{size}B", "Ours", size, mode)
        for size in SIZES
        for mode in ("off", "on")
    ],
    columns=["variant", "base_model", "family", "params_b", "reasoning"],
)
easiness = random.normal(0, 1, 12)
cells = [
    (model.variant, language, f"q{place + 1:02}", 10, model.params_b, model.reasoning, pages, easy)
    for model in models.itertuples()
    for language, pages in LANGUAGES.items()
    for place, easy in enumerate(easiness)
]
columns = ["variant", "language", "template", "n_total", "params_b", "reasoning", "pages", "easy"]
cells = pd.DataFrame(cells, columns=columns)
pair = cells.groupby(["variant", "language"], sort=False).ngroup()
log_odds = (
    -0.5
    + 1.0 * (np.log2(cells["params_b"]) - 1.5)
    + 0.8 * (cells["reasoning"] == "on")
    + 0.7 * (cells["pages"] - 7.4)
    + random.normal(0, 0.4, pair.nunique())[pair]
    + cells["easy"]
)
cells.insert(3, "n_correct", random.binomial(cells["n_total"], expit(log_odds)))
cells = cells[["variant", "language", "template", "n_correct", "n_total"]]
few = pd.DataFrame(
    {
        "variant": "Ours-8B (reasoning on)",
        "language": "swh",
        "template": [f"s{place:02}" for place in range(1, 11)],
        "n_correct": random.binomial(20, expit(0.6 + random.normal(0, 1, 10))),
        "n_total": 20,
    }
)
faulty = (cells["language"] == "deu") & (cells["template"] == "q08")
broken = cells.assign(n_correct=cells["n_correct"].where(~faulty, cells["n_correct"] // 8))
cells.to_csv(HERE / "outcomes.csv", index=False)
broken.to_csv(HERE / "translated.csv", index=False)
models.to_csv(HERE / "models.csv", index=False)
few.to_csv(HERE / "few.csv", index=False)

# an evaluation with two questions of each template in three languages, one file per variant
(HERE / "logs").mkdir(exist_ok=True)
for model in models.itertuples():
    lines = []
    for language in ("eng", "deu", "mar"):
        shift = np.log2(model.params_b) - 1.5 + 0.7 * (LANGUAGES[language] - 7.4)
        for template, easy in enumerate(easiness[:8], start=1):
            chance = expit(-0.5 + shift + 0.8 * (model.reasoning == "on") + easy)
            for instance in range(2):
                correct = bool(random.random() < chance)
                line = {
                    "schema_version": "0.3.0",
                    "evaluation_id": f"example/{model.base_model}/{model.reasoning}",
                    "model_id": model.base_model,
                    "evaluation_name": "example",
                    "sample_id": f"{language}-{template}-{instance}",
                    "evaluation": {"score": float(correct), "is_correct": correct},
                    "metadata": {
                        "language": language,
                        "template": f"q{template:02}",
                        "instance": str(instance),
                        "reasoning": model.reasoning,
                    },
                }
                lines.append(json.dumps(line) + "\n")
    name = f"{model.base_model}_{model.reasoning}.jsonl"
    (HERE / "logs" / name).write_text("".join(lines), encoding="utf-8")
