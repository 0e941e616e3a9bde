"""The study's model, with slopes of resource and distance that vary by family and base model."""

from capability_transfer.analysis.prediction.predictors.pairs import PairModel
from capability_transfer.analysis.prediction.predictors.study_pairs import FORMULA

SLOPES = " + ".join(
    f"(0 + {feature} | {group})"
    for feature in ("resource", "distance")
    for group in ("family", "base_model")
)

predictor = PairModel("with slopes by family and base model", f"{FORMULA} + {SLOPES}")
