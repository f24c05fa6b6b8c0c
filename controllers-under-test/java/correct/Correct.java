package com.example.surveys;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
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
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The correct survey controller.
 *
 * <p>Invitations have fixed names, so a second create of the same one fails, even if the cache is stale; an apply contains only what the
 * controller owns; the SDK adds and removes the finalizer; every exception, conflicts included, is retried with back-off. A variant
 * overrides one of the steps.
 */
public class Correct implements Reconciler<Survey>, Cleaner<Survey> {
  static final String FINALIZER = "research.example.com/close";
  static final String MANAGER = "surveys";

  @Override
  public List<EventSource<?, Survey>> prepareEventSources(EventSourceContext<Survey> context) {
    return List.of(
        new InformerEventSource<>(InformerEventSourceConfiguration.from(Secret.class, Survey.class).build(), context),
        new InformerEventSource<>(InformerEventSourceConfiguration.from(ConfigMap.class, Survey.class).build(), context));
  }

  @Override
  public UpdateControl<Survey> reconcile(Survey survey, Context<Survey> context) {
    invite(survey, context);
    publish(survey, context);
    return report(survey, context);
  }

  @Override
  public DeleteControl cleanup(Survey survey, Context<Survey> context) {
    invitationsOf(survey, context).forEach(invitation -> withdraw(invitation, context));
    return release(survey, context);
  }

  /** Removes the finalizer of a survey whose invitations are withdrawn. */
  protected DeleteControl release(Survey survey, Context<Survey> context) {
    return DeleteControl.defaultDelete();
  }

  /** Creates missing invitations and withdraws surplus ones. */
  protected void invite(Survey survey, Context<Survey> context) {
    List<Secret> there = invitationsOf(survey, context);
    Set<String> names = there.stream().map(Correct::nameOf).collect(Collectors.toSet());
    List<String> wanted =
        IntStream.range(0, survey.getSpec().invitations).mapToObj(index -> nameOf(survey) + "-invitation-" + index).toList();
    for (String name : wanted) {
      // A terminating invitation keeps its name until it is deleted, and the deletion triggers a reconcile.
      if (names.contains(name)) continue;
      Secret invitation = newInvitation(survey);
      invitation.getMetadata().setName(name);
      context.getClient().resource(invitation).create();
    }
    there.stream().filter(invitation -> !wanted.contains(nameOf(invitation))).forEach(surplus -> withdraw(surplus, context));
  }

  /** Applies the ConfigMap with the form. */
  protected void publish(Survey survey, Context<Survey> context) {
    ConfigMap form =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName(nameOf(survey) + "-form")
            .withNamespace(survey.getMetadata().getNamespace())
            .endMetadata()
            .withData(formOf(survey))
            .build();
    form.addOwnerReference(survey);
    context.getClient().resource(form).fieldManager(MANAGER).forceConflicts().serverSideApply();
  }

  /**
   * Writes the status if it has changed. It is compared with the API server's: the cache may be older than the last write, and no reconcile
   * follows when the cache later shows that the status is outdated.
   */
  protected UpdateControl<Survey> report(Survey survey, Context<Survey> context) {
    Survey there = context.getClient().resource(survey).get();
    // After a restart the cache may be older than the reported status: the event that updates the cache triggers another reconcile.
    if (there == null || there.getMetadata().getGeneration() > survey.getMetadata().getGeneration())
      return UpdateControl.noUpdate();
    Survey.Status old = there.getStatus();
    Survey.Status status = statusOf(survey, old, context);
    boolean same =
        old != null
            && status.observedGeneration.equals(old.observedGeneration)
            && status.invitations.equals(old.invitations)
            && old.conditions != null
            && old.conditions.containsAll(status.conditions);
    if (same) return UpdateControl.noUpdate();
    // The SDK applies it, so conditions of other managers in the same list are kept.
    Survey patch = new Survey();
    patch.getMetadata().setName(nameOf(survey));
    patch.getMetadata().setNamespace(survey.getMetadata().getNamespace());
    patch.setStatus(status);
    return UpdateControl.patchStatus(patch);
  }

  /** The invitations of this survey, not those of an earlier survey with the same name. */
  static List<Secret> invitationsOf(Survey survey, Context<Survey> context) {
    return context
        .getSecondaryResourcesAsStream(Secret.class)
        .filter(secret -> secret.hasOwnerReferenceFor(survey.getMetadata().getUid()))
        .toList();
  }

  /** A new invitation, without a name. */
  static Secret newInvitation(Survey survey) {
    Secret invitation =
        new SecretBuilder()
            .withNewMetadata()
            .withNamespace(survey.getMetadata().getNamespace())
            .endMetadata()
            .withStringData(Map.of("survey", nameOf(survey)))
            .build();
    invitation.addOwnerReference(survey);
    return invitation;
  }

  /** Deletes an invitation. The resourceVersion precondition protects a new invitation with the same name. */
  static void withdraw(Secret invitation, Context<Survey> context) {
    if (invitation.isMarkedForDeletion()) return;
    context.getClient().resource(invitation).lockResourceVersion().delete();
  }

  static Map<String, String> formOf(Survey survey) {
    return Map.of("language", survey.getSpec().language, "invitations", String.valueOf(survey.getSpec().invitations));
  }

  static String nameOf(HasMetadata object) {
    return object.getMetadata().getName();
  }

  private static Survey.Status statusOf(Survey survey, Survey.Status before, Context<Survey> context) {
    long invitations = invitationsOf(survey, context).stream().filter(secret -> !secret.isMarkedForDeletion()).count();
    String ready = invitations == survey.getSpec().invitations ? "True" : "False";
    Condition old = readyCondition(before);
    Survey.Status status = new Survey.Status();
    status.observedGeneration = survey.getMetadata().getGeneration();
    status.invitations = (int) invitations;
    status.conditions =
        List.of(
            new ConditionBuilder()
                .withType("Ready")
                .withStatus(ready)
                .withReason("Invited")
                .withMessage(invitations + " of " + survey.getSpec().invitations + " invitations")
                .withObservedGeneration(survey.getMetadata().getGeneration())
                .withLastTransitionTime(
                    old != null && ready.equals(old.getStatus())
                        ? old.getLastTransitionTime()
                        : Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
                .build());
    return status;
  }

  private static Condition readyCondition(Survey.Status status) {
    if (status == null || status.conditions == null) return null;
    return status.conditions.stream()
        .filter(condition -> "Ready".equals(condition.getType()))
        .findFirst()
        .orElse(null);
  }
}
