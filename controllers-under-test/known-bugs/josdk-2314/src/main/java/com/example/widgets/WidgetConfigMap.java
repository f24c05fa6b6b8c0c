package com.example.widgets;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;

@KubernetesDependent
public class WidgetConfigMap extends CRUDKubernetesDependentResource<ConfigMap, Widget> {

  public WidgetConfigMap() {
    super(ConfigMap.class);
  }

  @Override
  protected ConfigMap desired(Widget widget, Context<Widget> context) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(widget.getMetadata().getName())
        .withNamespace(widget.getMetadata().getNamespace())
        .endMetadata()
        .build();
  }
}
