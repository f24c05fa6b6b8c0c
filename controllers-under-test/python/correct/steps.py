"""The correct steps of the topic controller.

Partitions have fixed names, so a second create of the same one fails; fresh reads of the topic and its partitions decide what to do,
once the event has the newest spec; a changed partition is replaced with the resourceVersion that was read. No generation is reported:
kopf calls no handler for a spec that returns to the one that was handled last.
"""

from typing import Any

import kopf
from common import topics
from common.operator import Steps
from kubernetes import client


def scale(topic: Any) -> None:
    core = client.CoreV1Api()
    metadata = topic["metadata"]
    names = [f"{metadata['name']}-{index}" for index in range(topic["spec"]["partitions"])]
    found = {one.metadata.name: one for one in topics.partitions_of(topic)}
    for name in names:
        one = found.get(name)
        if one is None:
            core.create_namespaced_config_map(metadata["namespace"], topics.partition(topic, name=name))
        elif (one.data or {}).get("retention") != topic["spec"]["retention"]:
            one.data = {**(one.data or {}), "retention": topic["spec"]["retention"]}
            core.replace_namespaced_config_map(name, metadata["namespace"], one)
    for name, one in found.items():
        if name not in names:
            topics.remove(one)


def report(topic: Any, patch: kopf.Patch) -> None:
    patch.status["partitions"] = topic["spec"]["partitions"]
    patch.status["retention"] = topic["spec"]["retention"]


STEPS = Steps(create=scale, update=scale, restore=scale, report=report)
