"""Creates one ConfigMap with a generated name for each Widget.

kopf promises to call a create handler once, unless it fails or the operator restarts: only then does it look for the ConfigMap first.
"""

from typing import Any

import kopf
from kubernetes import client, config

GROUP, VERSION, PLURAL = "example.com", "v1", "widgets"
WIDGET = "example.com/widget"

started_with: set[str] = set()


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
    config.load_config()
    settings.posting.enabled = False
    settings.scanning.disabled = True
    # Waits as long as necessary for its own writes, in releases that support this setting.
    settings.persistence.consistency_timeout = 3600
    widgets = client.CustomObjectsApi().list_namespaced_custom_object(GROUP, VERSION, "default", PLURAL)
    started_with.update(widget["metadata"]["uid"] for widget in widgets["items"])


@kopf.on.create(GROUP, VERSION, PLURAL)
def create(body: kopf.Body, name: str, namespace: str, uid: str, retry: int, **_: Any) -> None:
    core = client.CoreV1Api()
    if retry > 0 or uid in started_with:
        if core.list_namespaced_config_map(namespace, label_selector=f"{WIDGET}={uid}").items:
            return
    child: dict[str, Any] = {"metadata": {"generateName": f"{name}-", "labels": {WIDGET: uid}}, "data": {"for": name}}
    kopf.append_owner_reference(child, owner=body)
    core.create_namespaced_config_map(namespace, child)
