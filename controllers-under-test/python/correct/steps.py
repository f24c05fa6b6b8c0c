"""The steps of the topic controller as they should be.

Partitions have fixed names, so that a second create of the same one fails; what is done is decided on fresh reads of the topic and its
partitions, once the event is as new as the topic; a changed partition is replaced with the version that was read. It reports no
generation: kopf wakes nobody for a spec that is back at what was handled last.
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
