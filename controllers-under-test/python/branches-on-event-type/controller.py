"""Creates partitions when the topic is created, and changes them when it is changed.

Wrong: a change finds only those that are there to be changed, and so does whoever restores them. What an earlier call has not made, or
somebody has deleted, stays missing until the operator starts anew.
"""

from dataclasses import replace
from typing import Any

from common import operator, topics
from correct.steps import STEPS
from kubernetes import client


def change(topic: Any) -> None:
    core = client.CoreV1Api()
    metadata = topic["metadata"]
    found = topics.partitions_of(topic)
    for one in found:
        if (one.data or {}).get("retention") != topic["spec"]["retention"]:
            one.data = {**(one.data or {}), "retention": topic["spec"]["retention"]}
            core.replace_namespaced_config_map(one.metadata.name, metadata["namespace"], one)
    for one in found:
        if int(one.metadata.name.rsplit("-", 1)[1]) >= topic["spec"]["partitions"]:
            topics.remove(one)


operator.register(replace(STEPS, update=change))
