package com.example.surveys;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import java.time.Instant;

/**
 * Writes the time of publication into the form.
 *
 * <p>Wrong: the form is different each time, and it is watched, so each publication triggers the next.
 */
public class StampsForm extends Correct {
  @Override
  protected void publish(Survey survey, Context<Survey> context) {
    ConfigMap form =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName(nameOf(survey) + "-form")
            .withNamespace(survey.getMetadata().getNamespace())
            .endMetadata()
            .withData(formOf(survey))
            .addToData("publishedAt", Instant.now().toString())
            .build();
    form.addOwnerReference(survey);
    context.getClient().resource(form).fieldManager(MANAGER).forceConflicts().serverSideApply();
  }
}
