package com.example.buckets;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/**
 * Reconciles Buckets. The settings are owned, so that the garbage collector deletes them; the credentials are not: they represent
 * something outside of the cluster, and the finalizer keeps the bucket until they are deleted.
 */
@ControllerConfiguration(finalizerName = "storage.example.com/cleanup")
public class BucketReconciler implements Reconciler<Bucket>, Cleaner<Bucket> {

  @Override
  public List<EventSource<?, Bucket>> prepareEventSources(EventSourceContext<Bucket> context) {
    var configuration = InformerEventSourceConfiguration.from(ConfigMap.class, Bucket.class).build();
    return List.of(new InformerEventSource<>(configuration, context));
  }

  @Override
  public UpdateControl<Bucket> reconcile(Bucket bucket, Context<Bucket> context) {
    String name = bucket.getMetadata().getName();
    String namespace = bucket.getMetadata().getNamespace();
    Bucket.Spec spec = bucket.getSpec();
    ConfigMap settings =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName(name + "-settings")
            .withNamespace(namespace)
            .endMetadata()
            .addToData(Map.of("sizeGiB", String.valueOf(spec.sizeGiB), "region", spec.region))
            .build();
    settings.addOwnerReference(bucket);
    context.getClient().resource(settings).forceConflicts().serverSideApply();
    Secret credentials =
        new SecretBuilder()
            .withNewMetadata()
            .withName(name + "-credentials")
            .withNamespace(namespace)
            .endMetadata()
            .addToStringData("user", "bucket-" + name)
            .build();
    context.getClient().resource(credentials).forceConflicts().serverSideApply();
    return report(bucket);
  }

  private static UpdateControl<Bucket> report(Bucket bucket) {
    Long generation = bucket.getMetadata().getGeneration();
    String message = bucket.getSpec().sizeGiB + " GiB in " + bucket.getSpec().region;
    Condition old = ready(bucket);
    if (old != null && generation.equals(old.getObservedGeneration()) && message.equals(old.getMessage())) {
      return UpdateControl.noUpdate();
    }
    Bucket.Status status = new Bucket.Status();
    status.observedGeneration = generation;
    status.endpoint =
        "https://%s.%s.storage.example.com".formatted(bucket.getMetadata().getName(), bucket.getSpec().region);
    status.conditions =
        List.of(
            new ConditionBuilder()
                .withType("Ready")
                .withStatus("True")
                .withReason("Provided")
                .withMessage(message)
                .withObservedGeneration(generation)
                .withLastTransitionTime(
                    old != null && "True".equals(old.getStatus())
                        ? old.getLastTransitionTime()
                        : Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
                .build());
    Bucket patch = new Bucket();
    patch.getMetadata().setName(bucket.getMetadata().getName());
    patch.getMetadata().setNamespace(bucket.getMetadata().getNamespace());
    patch.setStatus(status);
    return UpdateControl.patchStatus(patch);
  }

  private static Condition ready(Bucket bucket) {
    if (bucket.getStatus() == null || bucket.getStatus().conditions == null) return null;
    return bucket.getStatus().conditions.stream()
        .filter(condition -> "Ready".equals(condition.getType()))
        .findFirst()
        .orElse(null);
  }

  @Override
  public DeleteControl cleanup(Bucket bucket, Context<Bucket> context) {
    String name = bucket.getMetadata().getName() + "-credentials";
    context.getClient().secrets().inNamespace(bucket.getMetadata().getNamespace()).withName(name).delete();
    return DeleteControl.defaultDelete();
  }
}
