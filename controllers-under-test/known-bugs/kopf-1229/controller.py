"""Reports the size of each Widget in its status."""

from typing import Any

import kopf

GROUP, VERSION, PLURAL = "example.com", "v1", "widgets"


@kopf.on.startup()
def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
    settings.posting.enabled = False
    settings.scanning.disabled = True
    # A server may refuse requests for minutes; after the last attempt kopf drops the event.
    settings.networking.error_backoffs = (1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89)


@kopf.on.resume(GROUP, VERSION, PLURAL)
@kopf.on.create(GROUP, VERSION, PLURAL)
@kopf.on.update(GROUP, VERSION, PLURAL, field="spec")
def report(spec: kopf.Spec, patch: kopf.Patch, **_: Any) -> None:
    patch.status["size"] = spec["size"]
