"""Writes into the status when it last received an event of a topic.

Wrong: the status write causes such an event.
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
