package com.example.surveys;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import java.util.Optional;

/**
 * Edits the cached form and replaces the stored one with it.
 *
 * <p>Wrong: without a resourceVersion, the client reads the newest one and sends it with the old content. Changes by other writers since
 * the cached version are reverted.
 */
public class ReplacesCached extends Correct {
  @Override
  protected void publish(Survey survey, Context<Survey> context) {
    Optional<ConfigMap> cached =
        context
            .getSecondaryResource(ConfigMap.class)
            .filter(form -> form.hasOwnerReferenceFor(survey.getMetadata().getUid()));
    if (cached.isEmpty()) {
      super.publish(survey, context);
      return;
    }
    ConfigMap form = new ConfigMapBuilder(cached.get()).addToData(formOf(survey)).build();
    form.getMetadata().setResourceVersion(null);
    context.getClient().resource(form).update();
  }
}
