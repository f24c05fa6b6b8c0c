package com.example.buckets;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;

/** Represents storage outside of the cluster. */
@Group("storage.example.com")
@Version("v1")
public class Bucket extends CustomResource<Bucket.Spec, Bucket.Status> implements Namespaced {

  /** The desired state. */
  public static class Spec {
    public int sizeGiB;
    public String region;
  }

  /** The observed state. */
  public static class Status {
    public Long observedGeneration;
    public String endpoint;
    public List<Condition> conditions;
  }
}
