"""What Inspect AI finds through the package's entry point: the task and the scripted provider."""

from capability_transfer.evaluation.scripted import scripted
from capability_transfer.evaluation.task import multilingual_gsm

__all__ = ["multilingual_gsm", "scripted"]
