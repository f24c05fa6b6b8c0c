package com.example.surveys;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import java.util.List;

/**
 * Empties the list of finalizers when its own work is done.
 *
 * <p>Wrong: finalizers of other controllers are removed too, so the survey is deleted before they have finished.
 */
public class ClearsFinalizers extends Correct {
  @Override
  protected DeleteControl release(Survey survey, Context<Survey> context) {
    context
        .getClient()
        .resource(survey)
        .edit(
            current -> {
              current.getMetadata().setFinalizers(List.of());
              return current;
            });
    return DeleteControl.noFinalizerRemoval();
  }
}
