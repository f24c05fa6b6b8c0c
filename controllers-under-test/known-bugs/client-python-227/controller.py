"""Reports the size of each Widget in its status: lists all Widgets, then watches them with a timeout of five minutes."""

import time
from typing import Any

from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException
from urllib3.exceptions import HTTPError

WIDGETS = ("example.com", "v1", "default", "widgets")


def report(custom: client.CustomObjectsApi, widget: dict[str, Any]) -> None:
    status = widget.get("status", {})
    size = widget["spec"]["size"]
    if status.get("size") == size or "deletionTimestamp" in widget["metadata"]:
        return
    body = {**widget, "status": {**status, "size": size}}
    try:
        custom.replace_namespaced_custom_object_status(*WIDGETS, widget["metadata"]["name"], body)
    except ApiException as error:
        # The Widget was changed or deleted: the next event delivers that.
        if error.status not in (404, 409):
            raise


def list_all(custom: client.CustomObjectsApi) -> str:
    listed = custom.list_namespaced_custom_object(*WIDGETS)
    for widget in listed["items"]:
        report(custom, widget)
    return listed["metadata"]["resourceVersion"]


def follow(custom: client.CustomObjectsApi, version: str) -> str:
    events = watch.Watch().stream(
        custom.list_namespaced_custom_object, *WIDGETS, resource_version=version, timeout_seconds=300
    )
    for event in events:
        if event["type"] != "DELETED":
            report(custom, event["object"])
        version = event["object"]["metadata"]["resourceVersion"]
    return version


def main() -> None:
    config.load_kube_config()
    custom = client.CustomObjectsApi()
    version = ""
    while True:
        try:
            if version == "":
                version = list_all(custom)
            version = follow(custom, version)
        except (ApiException, HTTPError) as error:
            # A new list contains what was missed or has failed.
            version = ""
            if getattr(error, "status", None) != 410:
                print(f"failed: {error}", flush=True)
                time.sleep(1)


main()
