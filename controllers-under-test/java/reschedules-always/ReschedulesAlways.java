package com.example.surveys;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;

/**
 * Reschedules a reconcile 250 ms after each one.
 *
 * <p>Wrong: changes to everything it depends on already trigger a reconcile, and a completed survey is reconciled forever.
 */
public class ReschedulesAlways extends Correct {
  @Override
  protected UpdateControl<Survey> report(Survey survey, Context<Survey> context) {
    return super.report(survey, context).rescheduleAfter(250);
  }
}
