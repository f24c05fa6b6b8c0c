"""Creates a ConfigMap with the name of each Widget, and deletes it with the Widget, for which kopf adds a finalizer."""

from typing import Any

import kopf
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

GROUP, VERSION, PLURAL = "example.com", "v1", "widgets"


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
    config.load_config()
    settings.posting.enabled = False
    settings.scanning.disabled = True


@kopf.on.resume(GROUP, VERSION, PLURAL)
@kopf.on.create(GROUP, VERSION, PLURAL)
@kopf.on.update(GROUP, VERSION, PLURAL, field="spec")
def provide(name: str, namespace: str, spec: kopf.Spec, **_: Any) -> None:
    core = client.CoreV1Api()
    data = {"size": str(spec["size"])}
    try:
        core.create_namespaced_config_map(namespace, {"metadata": {"name": name}, "data": data})
    except ApiException as error:
        if error.status != 409:
            raise
        core.patch_namespaced_config_map(name, namespace, {"data": data})


@kopf.on.delete(GROUP, VERSION, PLURAL)
def remove(name: str, namespace: str, **_: Any) -> None:
    try:
        client.CoreV1Api().delete_namespaced_config_map(name, namespace)
    except ApiException as error:
        if error.status != 404:
            raise
