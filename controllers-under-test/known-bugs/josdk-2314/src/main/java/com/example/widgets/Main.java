package com.example.widgets;

import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;

/** Keeps a ConfigMap for each Widget, as a dependent resource. */
@ControllerConfiguration(name = "widgets", dependents = @Dependent(type = WidgetConfigMap.class))
public final class Main implements Reconciler<Widget> {

  @Override
  public UpdateControl<Widget> reconcile(Widget widget, Context<Widget> context) {
    return UpdateControl.noUpdate();
  }

  public static void main(String[] args) {
    // The SDK gives up after five attempts by default; its own documentation recommends to remove that limit.
    var retry =
        new GenericRetry().setInitialInterval(50).setIntervalMultiplier(2).setMaxInterval(60_000).withoutMaxAttempts();
    Operator operator = new Operator(overrider -> overrider.withCloseClientOnStop(true));
    operator.register(new Main(), overrider -> overrider.withRetry(retry).watchingOnlyCurrentNamespace());
    operator.start();
  }
}
