package com.example.surveys;

import io.fabric8.kubernetes.api.model.Secret;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import java.util.List;

/**
 * Creates as many invitations as its cache lacks, with generated names.
 *
 * <p>Wrong: an invitation that exists but has not reached the informer yet is created again. The extra one is withdrawn when the cache
 * catches up, but by then a person may have been invited with it.
 */
public class DuplicatesOnStaleCache extends Correct {
  @Override
  protected void invite(Survey survey, Context<Survey> context) {
    List<Secret> there =
        invitationsOf(survey, context).stream().filter(invitation -> !invitation.isMarkedForDeletion()).toList();
    int wanted = survey.getSpec().invitations;
    for (int count = there.size(); count < wanted; count++) {
      Secret invitation = newInvitation(survey);
      invitation.getMetadata().setGenerateName(nameOf(survey) + "-invitation-");
      context.getClient().resource(invitation).create();
    }
    there.stream().skip(wanted).forEach(surplus -> withdraw(surplus, context));
  }
}
