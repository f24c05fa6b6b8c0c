"""Reports a condition with kopf's patch, which is a merge patch.

Wrong: a merge patch replaces a list as a whole, so the conditions of other writers are lost.
"""

from dataclasses import replace
from typing import Any

import kopf
from common import operator
from correct import steps


def report(topic: Any, patch: kopf.Patch) -> None:
    steps.report(topic, patch)
    count = topic["spec"]["partitions"]
    patch.status["conditions"] = [
        {"type": "Ready", "status": "True", "reason": "Provided", "message": f"{count} partitions"},
    ]


operator.register(replace(steps.STEPS, report=report))
