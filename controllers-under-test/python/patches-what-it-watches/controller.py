"""Writes the time of the last event of a topic into the status.

Wrong: each status write causes such an event.
"""

import datetime
from typing import Any

import kopf
from common import operator, topics
from correct.steps import STEPS

operator.register(STEPS)


@kopf.on.event(topics.GROUP, topics.VERSION, topics.PLURAL)
def note(patch: kopf.Patch, **_: Any) -> None:
    patch.status["lastChecked"] = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
