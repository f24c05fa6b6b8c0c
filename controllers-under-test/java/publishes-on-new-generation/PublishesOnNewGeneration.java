package com.example.surveys;

import io.javaoperatorsdk.operator.api.reconciler.Context;

/**
 * Publishes the form when the survey has changed, and only then.
 *
 * <p>Wrong: it acts on an event instead of on what there is. A form that somebody has deleted or edited stays so.
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
