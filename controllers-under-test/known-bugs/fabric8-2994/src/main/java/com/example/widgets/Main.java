package com.example.widgets;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.DefaultKubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.SharedInformerFactory;
import java.util.concurrent.Semaphore;

/** Keeps a ConfigMap for each Widget, with the caches of two informers. */
public final class Main {
  private static final Semaphore DUE = new Semaphore(0);

  private Main() {}

  public static void main(String[] args) throws InterruptedException {
    DefaultKubernetesClient client = new DefaultKubernetesClient();
    SharedInformerFactory informers = client.informers().inNamespace("default");
    SharedIndexInformer<Widget> widgets = informers.sharedIndexInformerForCustomResource(Widget.class, 0);
    SharedIndexInformer<ConfigMap> configMaps = informers.sharedIndexInformerFor(ConfigMap.class, 0);
    widgets.addEventHandler(new Wake<>());
    configMaps.addEventHandler(new Wake<>());
    informers.startAllRegisteredInformers();
    while (!widgets.hasSynced() || !configMaps.hasSynced()) Thread.sleep(20);
    for (; ; ) {
      DUE.acquire();
      DUE.drainPermits();
      try {
        for (Widget widget : widgets.getIndexer().list()) reconcile(widget, configMaps, client);
      } catch (KubernetesClientException error) {
        System.err.println("reconcile failed: " + error.getMessage());
        Thread.sleep(1000);
        DUE.release();
      }
    }
  }

  private static void reconcile(
      Widget widget, SharedIndexInformer<ConfigMap> configMaps, DefaultKubernetesClient client) {
    if (widget.getMetadata().getDeletionTimestamp() != null) return;
    String uid = widget.getMetadata().getUid();
    boolean isThere =
        configMaps.getIndexer().list().stream()
            .flatMap(one -> one.getMetadata().getOwnerReferences().stream())
            .anyMatch(owner -> owner.getUid().equals(uid));
    if (isThere) return;
    ConfigMap configMap =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName(widget.getMetadata().getName() + "-" + uid.substring(0, 8))
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
      client.configMaps().inNamespace("default").create(configMap);
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
