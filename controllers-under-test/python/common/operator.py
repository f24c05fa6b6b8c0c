"""The handlers of the operator, its settings, and which step each handler calls."""

import json
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import kopf
from kubernetes import config

from . import topics

# Handlers run in threads; two handlers of the same topic must not run at the same time.
_lock = threading.Lock()


@dataclass(frozen=True)
class Steps:
    """What the handlers do. Each wrong variant replaces some of the steps."""

    # Make the partitions of a topic, which was just read, match its spec.
    create: Callable[[Any], None]
    update: Callable[[Any], None]
    restore: Callable[[Any], None]
    # Reports the result in a patch of the topic's status.
    report: Callable[[Any, kopf.Patch], None]


def register(steps: Steps) -> None:
    """Registers the handlers."""

    @kopf.on.startup()
    def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
        config.load_config()
        settings.persistence.finalizer = topics.FINALIZER
        settings.posting.enabled = False
        settings.scanning.disabled = True

    @kopf.on.event(topics.GROUP, topics.VERSION, topics.PLURAL)
    def wake(body: kopf.Body, patch: kopf.Patch, **_: Any) -> None:
        # If the answer to a patch is lost, kopf 1.45.2 sends it again, gets a conflict because the resourceVersion has changed, and keeps
        # the patch for the next event, for which it calls no other handler. If the patch changes nothing any more, no event follows.
        if patch.fns and topics.FINALIZER in body.metadata.get("finalizers", []):
            patch.metadata.annotations[topics.AGAIN] = body.metadata["resourceVersion"]

    @kopf.on.create(topics.GROUP, topics.VERSION, topics.PLURAL)
    def create(name: str, namespace: str, uid: str, spec: kopf.Spec, patch: kopf.Patch, **_: Any) -> None:
        provide(steps.create, name, namespace, uid, spec, patch)

    @kopf.on.update(topics.GROUP, topics.VERSION, topics.PLURAL, field="spec")
    def update(name: str, namespace: str, uid: str, spec: kopf.Spec, patch: kopf.Patch, **_: Any) -> None:
        provide(steps.update, name, namespace, uid, spec, patch)

    @kopf.on.resume(topics.GROUP, topics.VERSION, topics.PLURAL)
    def resume(name: str, namespace: str, uid: str, spec: kopf.Spec, patch: kopf.Patch, **_: Any) -> None:
        provide(steps.restore, name, namespace, uid, spec, patch)

    def provide(
        step: Callable[[Any], None], name: str, namespace: str, uid: str, spec: kopf.Spec, patch: kopf.Patch
    ) -> None:
        topic = converge(step, name, namespace, uid, partial(is_current, dict(spec)))
        if topic is not None:
            steps.report(topic, patch)
            if topics.AGAIN in topic["metadata"].get("annotations", {}):
                patch.metadata.annotations[topics.AGAIN] = None

    @kopf.on.delete(topics.GROUP, topics.VERSION, topics.PLURAL)
    def drain(body: kopf.Body, **_: Any) -> None:
        with _lock:
            for one in topics.partitions_of(body):
                topics.remove(one)

    # By owner, not by label: a partition that has lost its label must be restored too when it is deleted.
    @kopf.on.event("v1", "configmaps")
    def restore(body: kopf.Body, namespace: str, **_: Any) -> None:
        for reference in body["metadata"].get("ownerReferences", []):
            if reference["kind"] == "Topic" and reference.get("controller"):
                insistently(partial(converge, steps.restore, reference["name"], namespace, reference["uid"], is_handled))


def insistently(work: Callable[[], Any]) -> None:
    """Retries until it succeeds: kopf drops an event whose handler has failed."""
    pause = 0.1
    while True:
        try:
            work()
            return
        except Exception as error:
            logging.getLogger(__name__).warning("again in %.1f s: %s", pause, error)
        time.sleep(pause)
        pause = min(2 * pause, 30)


def converge(step: Callable[[Any], None], name: str, namespace: str, uid: str, is_due: Callable[[Any], bool]) -> Any:
    """Runs a step for a topic that exists and is due; returns the topic as it was read, or None."""
    with _lock:
        topic = topics.read_topic(name, namespace)
        if not topics.is_living(topic, uid) or not is_due(topic):
            return None
        step(topic)
        return topic


def is_current(spec: dict[str, Any], topic: Any) -> bool:
    """Whether the event has the newest spec. kopf records its spec as handled, and calls no handler when the topic returns to it."""
    if topic["spec"] == spec:
        return True
    raise kopf.TemporaryError("the topic has changed since", delay=0.1)


def is_handled(topic: Any) -> bool:
    """Whether kopf has called all handlers for the spec of the topic. It may record that late, so this raises until then and is retried."""
    noted = topic["metadata"].get("annotations", {}).get("kopf.zalando.org/last-handled-configuration")
    if noted is not None and json.loads(noted).get("spec") == topic["spec"]:
        return True
    raise RuntimeError("kopf has not noted this spec of the topic as handled")
