"""Reports the size of each Widget in its status: lists all Widgets, then watches them."""

import asyncio
from typing import Any

from kubernetes_asyncio import client, config, watch
from kubernetes_asyncio.client.rest import ApiException

WIDGETS = ("example.com", "v1", "default", "widgets")


async def report(custom: client.CustomObjectsApi, widget: dict[str, Any]) -> None:
    status = widget.get("status", {})
    size = widget["spec"]["size"]
    if status.get("size") == size or "deletionTimestamp" in widget["metadata"]:
        return
    body = {**widget, "status": {**status, "size": size}}
    try:
        await custom.replace_namespaced_custom_object_status(*WIDGETS, widget["metadata"]["name"], body)
    except ApiException as error:
        # The Widget was changed or deleted: the next event delivers that.
        if error.status not in (404, 409):
            raise


async def list_all(custom: client.CustomObjectsApi) -> str:
    listed = await custom.list_namespaced_custom_object(*WIDGETS)
    for widget in listed["items"]:
        await report(custom, widget)
    return listed["metadata"]["resourceVersion"]


async def follow(custom: client.CustomObjectsApi, version: str) -> None:
    """Watches until an error; a watch that ends is resumed from the last version that it delivered."""
    widgets = watch.Watch()
    while True:
        async with widgets.stream(custom.list_namespaced_custom_object, *WIDGETS, resource_version=version) as events:
            async for event in events:
                if event["type"] in ("ADDED", "MODIFIED"):
                    await report(custom, event["object"])
        version = widgets.resource_version


async def main() -> None:
    await config.load_kube_config()
    async with client.ApiClient() as api:
        custom = client.CustomObjectsApi(api)
        while True:
            try:
                await follow(custom, await list_all(custom))
            except Exception as error:
                # A new list contains what was missed or has failed. The library has no common class for failed watches.
                print(f"failed: {error}", flush=True)
                await asyncio.sleep(1)


asyncio.run(main())
