package com.example.widgets;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.concurrent.Semaphore;

/** Keeps a ConfigMap for each Widget, with the caches of two informers. */
public final class Main {
  private static final Semaphore DUE = new Semaphore(0);

  private Main() {}

  public static void main(String[] args) throws InterruptedException {
    KubernetesClient client = new KubernetesClientBuilder().build();
    SharedIndexInformer<Widget> widgets = inform(client.resources(Widget.class).inNamespace("default"));
    SharedIndexInformer<ConfigMap> configMaps = inform(client.configMaps().inNamespace("default"));
    for (; ; ) {
      try {
        for (Widget widget : widgets.getStore().list()) reconcile(widget, configMaps, client);
        DUE.acquire();
        DUE.drainPermits();
      } catch (KubernetesClientException error) {
        System.err.println("reconcile failed: " + error.getMessage());
        Thread.sleep(1000);
      }
    }
  }

  private static <T> SharedIndexInformer<T> inform(Informable<T> objects) throws InterruptedException {
    for (; ; ) {
      try {
        return objects.inform(new Wake<>());
      } catch (KubernetesClientException error) {
        System.err.println("not started: " + error.getMessage());
        Thread.sleep(1000);
      }
    }
  }

  private static void reconcile(Widget widget, SharedIndexInformer<ConfigMap> configMaps, KubernetesClient client) {
    if (widget.getMetadata().getDeletionTimestamp() != null) return;
    String uid = widget.getMetadata().getUid();
    boolean isThere =
        configMaps.getStore().list().stream()
            .flatMap(one -> one.getMetadata().getOwnerReferences().stream())
            .anyMatch(owner -> owner.getUid().equals(uid));
    if (isThere) return;
    ConfigMap configMap =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName(widget.getMetadata().getName() + "-" + uid.substring(0, 8))
            .withNamespace("default")
            .addNewOwnerReference()
            .withApiVersion("example.com/v1")
            .withKind("Widget")
            .withName(widget.getMetadata().getName())
            .withUid(uid)
            .withController(true)
            .endOwnerReference()
            .endMetadata()
            .build();
    try {
      client.resource(configMap).create();
    } catch (KubernetesClientException error) {
      // Created before, and not in the cache yet.
      if (error.getCode() != 409) throw error;
    }
  }

  private static final class Wake<T> implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T object) {
      DUE.release();
    }

    @Override
    public void onUpdate(T before, T object) {
      DUE.release();
    }

    @Override
    public void onDelete(T object, boolean isStateUnknown) {
      DUE.release();
    }
  }
}
