package com.example.widgets;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.CustomObjectsApi;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.util.Config;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Semaphore;

/** Keeps a ConfigMap for each Widget, with the caches of two informers. */
public final class Main {
  private static final Semaphore DUE = new Semaphore(0);

  private Main() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    ApiClient client = Config.defaultClient().setReadTimeout(0);
    CoreV1Api core = new CoreV1Api(client);
    CustomObjectsApi custom = new CustomObjectsApi(client);
    SharedInformerFactory factory = new SharedInformerFactory(client);
    SharedIndexInformer<Widget> widgets =
        factory.sharedIndexInformerFor(
            params ->
                custom.listNamespacedCustomObjectCall(
                    "example.com", "v1", "default", "widgets", null, null, null, null, null,
                    params.resourceVersion, params.timeoutSeconds, params.watch, null),
            Widget.class,
            Widget.List.class);
    SharedIndexInformer<V1ConfigMap> configMaps =
        factory.sharedIndexInformerFor(
            params ->
                core.listNamespacedConfigMapCall(
                    "default", null, null, null, null, null, null,
                    params.resourceVersion, null, params.timeoutSeconds, params.watch, null),
            V1ConfigMap.class,
            V1ConfigMapList.class);
    widgets.addEventHandler(new Wake<>());
    configMaps.addEventHandler(new Wake<>());
    factory.startAllRegisteredInformers();
    while (!widgets.hasSynced() || !configMaps.hasSynced()) Thread.sleep(100);
    for (; ; ) {
      try {
        for (Widget widget : widgets.getIndexer().list()) reconcile(widget, configMaps, core);
        DUE.acquire();
        DUE.drainPermits();
      } catch (ApiException error) {
        System.err.println("reconcile failed: " + error.getCode() + " " + error.getMessage());
        Thread.sleep(1000);
      }
    }
  }

  private static void reconcile(Widget widget, SharedIndexInformer<V1ConfigMap> configMaps, CoreV1Api core)
      throws ApiException {
    V1ObjectMeta meta = widget.getMetadata();
    if (meta.getDeletionTimestamp() != null) return;
    String uid = meta.getUid();
    boolean isThere = configMaps.getIndexer().list().stream().anyMatch(one -> isOwnedBy(one, uid));
    if (isThere) return;
    V1OwnerReference owner =
        new V1OwnerReference()
            .apiVersion("example.com/v1")
            .kind("Widget")
            .name(meta.getName())
            .uid(uid)
            .controller(true);
    V1ObjectMeta wanted =
        new V1ObjectMeta()
            .name(meta.getName() + "-" + uid.substring(0, 8))
            .namespace("default")
            .addOwnerReferencesItem(owner);
    try {
      core.createNamespacedConfigMap("default", new V1ConfigMap().metadata(wanted), null, null, null);
    } catch (ApiException error) {
      // Created before, and not in the cache yet.
      if (error.getCode() != 409) throw error;
    }
  }

  private static boolean isOwnedBy(V1ConfigMap configMap, String uid) {
    List<V1OwnerReference> owners = configMap.getMetadata().getOwnerReferences();
    return owners != null && owners.stream().anyMatch(owner -> owner.getUid().equals(uid));
  }

  private static final class Wake<T extends KubernetesObject> implements ResourceEventHandler<T> {
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
