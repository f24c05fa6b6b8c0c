package com.example.surveys;

import io.javaoperatorsdk.operator.api.reconciler.Context;

/**
 * Publishes the form only if the status does not report the current generation yet.
 *
 * <p>Wrong: it reacts to a new spec instead of the state of the form. A form that another writer has deleted or edited stays so.
 */
public class PublishesOnNewGeneration extends Correct {
  @Override
  protected void publish(Survey survey, Context<Survey> context) {
    boolean published =
        survey.getStatus() != null
            && survey.getMetadata().getGeneration().equals(survey.getStatus().observedGeneration);
    if (!published) super.publish(survey, context);
  }
}
