"""The resource, and the partitions of a topic."""

from typing import Any

import kopf
from kubernetes import client

GROUP, VERSION, PLURAL = "messaging.example.com", "v1", "topics"
FINALIZER = "messaging.example.com/drain"
LABEL = "messaging.example.com/topic"
AGAIN = "messaging.example.com/again"


def read_topic(name: str, namespace: str) -> Any:
    """The topic on the API server, or None."""
    try:
        return client.CustomObjectsApi().get_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, name)
    except client.ApiException as error:
        if error.status == 404:
            return None
        raise


def is_living(topic: Any, uid: str) -> bool:
    """Whether the topic exists with this UID and is not being deleted."""
    return topic is not None and topic["metadata"]["uid"] == uid and "deletionTimestamp" not in topic["metadata"]


def partition(topic: Any, **metadata: str) -> dict[str, Any]:
    """A partition of this topic, with the given name or generated name."""
    body: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {**metadata, "labels": {LABEL: topic["metadata"]["name"]}},
        "data": {"retention": topic["spec"]["retention"]},
    }
    kopf.append_owner_reference(body, owner=topic, controller=True, block_owner_deletion=True)
    return body


def partitions_of(topic: Any) -> list[Any]:
    """The partitions that this topic controls, read from the API server, terminating ones included."""
    metadata = topic["metadata"]
    listed = client.CoreV1Api().list_namespaced_config_map(metadata["namespace"])
    return [one for one in listed.items if any(is_owner(reference, metadata) for reference in one.metadata.owner_references or [])]


def is_owner(reference: Any, metadata: Any) -> bool:
    return bool(reference.controller) and reference.uid == metadata["uid"]


def remove(one: Any) -> None:
    """Deletes a partition. The UID precondition protects a new partition with the same name."""
    options = client.V1DeleteOptions(preconditions=client.V1Preconditions(uid=one.metadata.uid))
    try:
        client.CoreV1Api().delete_namespaced_config_map(one.metadata.name, one.metadata.namespace, body=options)
    except client.ApiException as error:
        if error.status not in (404, 409):
            raise
