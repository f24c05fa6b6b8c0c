"""Reports the size of each Widget in its status. The watch of the library begins with all Widgets and repeats itself."""

import time

from lightkube import ApiError, Client
from lightkube.generic_resource import GenericNamespacedResource, create_namespaced_resource
from lightkube.types import OnErrorAction, OnErrorResult, PatchType

Widget = create_namespaced_resource("example.com", "v1", "Widget", "widgets")


def report(client: Client, widget: GenericNamespacedResource) -> None:
    size = widget["spec"]["size"]
    if (widget.get("status") or {}).get("size") == size or widget.metadata.deletionTimestamp is not None:
        return
    try:
        client.patch(
            Widget.Status,
            widget.metadata.name,
            # The version and the uid make sure that this is still the object that was read.
            {
                "metadata": {"uid": widget.metadata.uid, "resourceVersion": widget.metadata.resourceVersion},
                "status": {"size": size},
            },
            namespace="default",
            patch_type=PatchType.MERGE,
        )
    except ApiError as error:
        # The Widget was changed or deleted: the next event delivers that.
        if error.status.code not in (404, 409):
            raise


def retry(error: Exception, count: int) -> OnErrorResult:
    print(f"watch failed: {error}", flush=True)
    return OnErrorResult(OnErrorAction.RETRY, sleep=min(2.0 ** (count - 1), 30))


def main() -> None:
    client = Client()
    while True:
        try:
            for event, widget in client.watch(Widget, namespace="default", on_error=retry):
                if event != "DELETED":
                    report(client, widget)
        except Exception as error:
            # A new watch delivers all Widgets again.
            print(f"failed: {error}", flush=True)
            time.sleep(1)


main()
