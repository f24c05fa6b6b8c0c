"""Writes the time into the status four times a second.

Wrong: nothing has changed. A thousand topics cause four thousand writes a second, and every watch of topics receives each of them.
"""

import datetime
from typing import Any

import kopf
from common import operator, topics
from correct.steps import STEPS

operator.register(STEPS)


@kopf.timer(topics.GROUP, topics.VERSION, topics.PLURAL, interval=0.25)
def beat(patch: kopf.Patch, **_: Any) -> None:
    patch.status["lastChecked"] = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
