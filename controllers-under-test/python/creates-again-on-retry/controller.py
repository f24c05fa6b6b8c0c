"""Creates all partitions in its handler for creation, with generated names.

Wrong: kopf calls a handler again if it fails, or if the operator stops before the success is recorded. Then the partitions of the first
call are created once more.
"""

from dataclasses import replace
from typing import Any

from common import operator, topics
from correct.steps import STEPS
from kubernetes import client


def create(topic: Any) -> None:
    metadata = topic["metadata"]
    for _ in range(topic["spec"]["partitions"]):
        body = topics.partition(topic, generateName=f"{metadata['name']}-")
        client.CoreV1Api().create_namespaced_config_map(metadata["namespace"], body)


def scale(topic: Any) -> None:
    core = client.CoreV1Api()
    metadata = topic["metadata"]
    found = topics.partitions_of(topic)
    for _ in range(len(found), topic["spec"]["partitions"]):
        core.create_namespaced_config_map(
            metadata["namespace"], topics.partition(topic, generateName=f"{metadata['name']}-")
        )
    for index, one in enumerate(found):
        if index >= topic["spec"]["partitions"]:
            topics.remove(one)
        elif (one.data or {}).get("retention") != topic["spec"]["retention"]:
            one.data = {**(one.data or {}), "retention": topic["spec"]["retention"]}
            core.replace_namespaced_config_map(one.metadata.name, metadata["namespace"], one)


operator.register(replace(STEPS, create=create, update=scale, restore=lambda topic: None))
