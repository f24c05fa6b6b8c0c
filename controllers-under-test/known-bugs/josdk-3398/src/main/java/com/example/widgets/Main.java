package com.example.widgets;

import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;

/** Copies the spec of each Widget into its status. */
public final class Main implements Reconciler<Widget> {

  @Override
  public UpdateControl<Widget> reconcile(Widget widget, Context<Widget> context) {
    Widget.Status status = widget.getStatus();
    Widget.Spec spec = widget.getSpec();
    if (status != null && spec.size.equals(status.size) && java.util.Objects.equals(spec.color, status.color))
      return UpdateControl.noUpdate();
    Widget reported = new Widget();
    reported.getMetadata().setName(widget.getMetadata().getName());
    reported.getMetadata().setNamespace(widget.getMetadata().getNamespace());
    reported.setStatus(new Widget.Status());
    reported.getStatus().size = spec.size;
    reported.getStatus().color = spec.color;
    return UpdateControl.patchStatus(reported);
  }

  public static void main(String[] args) {
    // The SDK gives up after five attempts by default; its own documentation recommends to remove that limit.
    var retry =
        new GenericRetry().setInitialInterval(50).setIntervalMultiplier(2).setMaxInterval(60_000).withoutMaxAttempts();
    Operator operator = new Operator(overrider -> overrider.withCloseClientOnStop(true));
    operator.register(
        new Main(), overrider -> overrider.withName("widgets").withRetry(retry).watchingOnlyCurrentNamespace());
    operator.start();
  }
}
