"""Reports the size of each Widget in its status. A thread lists and watches the Widgets, and the main thread works off their names."""

import queue
import threading
import time

import httpx
from lightkube import ApiError, Client
from lightkube.generic_resource import create_namespaced_resource
from lightkube.types import PatchType

Widget = create_namespaced_resource("example.com", "v1", "Widget", "widgets")


def follow(client: Client, due: queue.SimpleQueue[str]) -> None:
    while True:
        try:
            listed = client.list(Widget, namespace="default")
            for widget in listed:
                due.put(widget.metadata.name)
            for _, widget in client.watch(Widget, namespace="default", resource_version=listed.resourceVersion):
                due.put(widget.metadata.name)
        except httpx.HTTPError as error:
            # All errors of the API and of its connections, also that the watch has expired: then list again.
            print(f"watch failed: {error}", flush=True)
            time.sleep(1)


def report(client: Client, name: str) -> None:
    widget = client.get(Widget, name, namespace="default")
    size = widget["spec"]["size"]
    if (widget.get("status") or {}).get("size") == size or widget.metadata.deletionTimestamp is not None:
        return
    patch = {
        "metadata": {"uid": widget.metadata.uid, "resourceVersion": widget.metadata.resourceVersion},
        "status": {"size": size},
    }
    client.patch(Widget.Status, name, patch, namespace="default", patch_type=PatchType.MERGE)


def main() -> None:
    client = Client()
    due: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=follow, args=(client, due), daemon=True).start()
    while True:
        name = due.get()
        try:
            report(client, name)
        except httpx.HTTPError as error:
            if isinstance(error, ApiError) and error.status.code == 404:
                continue
            print(f"report failed: {error}", flush=True)
            time.sleep(1)
            due.put(name)


main()
