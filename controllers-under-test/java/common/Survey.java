package com.example.surveys;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;

/** A form that people are invited to fill in. */
@Group("research.example.com")
@Version("v1")
public class Survey extends CustomResource<Survey.Spec, Survey.Status> implements Namespaced {

  /** The desired state. */
  public static class Spec {
    public int invitations;
    public String language;
  }

  /** The observed state. */
  public static class Status {
    public Long observedGeneration;
    public Integer invitations;
    public List<Condition> conditions;
  }
}
