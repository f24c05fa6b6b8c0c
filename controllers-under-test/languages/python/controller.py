"""Reconciles Buckets with kopf: a finalizer, handlers for creation, update, resumption and deletion, an owned ConfigMap that is watched,
and a status subresource. Run as `kopf run --namespace default controller.py`; KUBECONFIG selects the API server.

The settings are owned, so that the garbage collector deletes them; the credentials are not: they represent something outside of the
cluster, and kopf's finalizer keeps the bucket until they are deleted.
"""

import base64
import datetime
from collections.abc import Callable
from typing import Any

import kopf
from kubernetes import client, config

GROUP, VERSION, PLURAL = "storage.example.com", "v1", "buckets"
FINALIZER = "storage.example.com/cleanup"


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
    config.load_config()
    settings.persistence.finalizer = FINALIZER
    settings.posting.enabled = True
    settings.watching.server_timeout = 600


@kopf.on.create(GROUP, VERSION, PLURAL)
@kopf.on.update(GROUP, VERSION, PLURAL, field="spec")
@kopf.on.resume(GROUP, VERSION, PLURAL)
def provide(body: kopf.Body, spec: kopf.Spec, name: str, namespace: str, patch: kopf.Patch, **_: Any) -> None:
    region = spec.get("region", "north")
    keep_settings(body, spec, name, namespace)
    core = client.CoreV1Api()
    user = base64.b64encode(f"bucket-{name}".encode()).decode()
    credentials = {"metadata": {"name": f"{name}-credentials"}, "data": {"user": user}}
    create_or_patch(
        lambda: core.create_namespaced_secret(namespace, credentials),
        lambda: core.patch_namespaced_secret(f"{name}-credentials", namespace, credentials),
    )
    generation = body["metadata"]["generation"]
    patch.status["observedGeneration"] = generation
    patch.status["endpoint"] = f"https://{name}.{region}.storage.example.com"
    patch.status["conditions"] = [
        {
            "type": "Ready",
            "status": "True",
            "reason": "Provided",
            "message": f"{spec['sizeGiB']} GiB in {region}",
            "observedGeneration": generation,
            "lastTransitionTime": transition_time(body),
        }
    ]


@kopf.on.delete(GROUP, VERSION, PLURAL)
def clean_up(name: str, namespace: str, **_: Any) -> None:
    try:
        client.CoreV1Api().delete_namespaced_secret(f"{name}-credentials", namespace)
    except client.ApiException as error:
        if error.status != 404:
            raise


@kopf.on.event("v1", "configmaps", field="metadata.ownerReferences")
def restore(event: kopf.RawEvent, body: kopf.Body, namespace: str, **_: Any) -> None:
    """Creates the settings again if they were deleted and the bucket still exists."""
    owner = next((one for one in body["metadata"].get("ownerReferences", []) if one["kind"] == "Bucket"), None)
    if event["type"] != "DELETED" or owner is None:
        return
    try:
        bucket = client.CustomObjectsApi().get_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, owner["name"])
    except client.ApiException as error:
        if error.status == 404:
            return
        raise
    if bucket["metadata"]["uid"] == owner["uid"] and "deletionTimestamp" not in bucket["metadata"]:
        keep_settings(bucket, bucket["spec"], owner["name"], namespace)


def keep_settings(owner: Any, spec: Any, name: str, namespace: str) -> None:
    data = {"sizeGiB": str(spec["sizeGiB"]), "region": spec.get("region", "north")}
    settings = {"metadata": {"name": f"{name}-settings"}, "data": data}
    kopf.append_owner_reference(settings, owner=owner)
    core = client.CoreV1Api()
    create_or_patch(
        lambda: core.create_namespaced_config_map(namespace, settings),
        lambda: core.patch_namespaced_config_map(f"{name}-settings", namespace, settings),
    )


def create_or_patch(create: Callable[[], Any], patch: Callable[[], Any]) -> None:
    try:
        create()
    except client.ApiException as error:
        if error.status != 409:
            raise
        patch()


def transition_time(body: kopf.Body) -> str:
    for condition in body.get("status", {}).get("conditions", []):
        if condition["type"] == "Ready" and condition["status"] == "True":
            return condition["lastTransitionTime"]
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
