package com.example.surveys;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;

/**
 * Asks for another reconcile a quarter of a second after each one.
 *
 * <p>Wrong: it is woken by everything that it depends on anyway, and a survey that is complete is looked at for ever.
 */
public class ReschedulesAlways extends Correct {
  @Override
  protected UpdateControl<Survey> report(Survey survey, Context<Survey> context) {
    return super.report(survey, context).rescheduleAfter(250);
  }
}
