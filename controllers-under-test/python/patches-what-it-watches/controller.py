"""Notes in the status when it was last told of a topic.

Wrong: the note is a change, of which it is told.
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
