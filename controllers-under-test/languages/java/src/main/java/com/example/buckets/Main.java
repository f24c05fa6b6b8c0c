package com.example.buckets;

import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;

/** Starts the operator with leader election. KUBECONFIG selects the API server. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    var election = new LeaderElectionConfiguration("bucket-controller-java", "default");
    Operator operator =
        new Operator(
            overrider -> overrider.withLeaderElectionConfiguration(election).withCloseClientOnStop(true));
    operator.register(
        new BucketReconciler(), overrider -> overrider.settingNamespace("default"));
    operator.installShutdownHook(java.time.Duration.ofSeconds(2));
    operator.start();
  }
}
