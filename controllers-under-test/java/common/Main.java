package com.example.surveys;

import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;

/** Runs the variant in the first argument, which is the name of its folder. KUBECONFIG selects the API server. */
public final class Main {
  private static final Map<String, Supplier<Correct>> VARIANTS =
      Map.of(
          "correct", Correct::new,
          "clears-finalizers", ClearsFinalizers::new,
          "duplicates-on-stale-cache", DuplicatesOnStaleCache::new,
          "publishes-on-new-generation", PublishesOnNewGeneration::new,
          "replaces-cached", ReplacesCached::new,
          "reschedules-always", ReschedulesAlways::new,
          "stamps-form", StampsForm::new);

  private Main() {}

  public static void main(String[] args) {
    Supplier<Correct> variant = args.length == 0 ? null : VARIANTS.get(args[0]);
    if (variant == null) {
      System.err.println("expected one of " + VARIANTS.keySet());
      System.exit(2);
    }
    // The Java operator SDK gives up after five attempts by default; its own documentation recommends to remove that limit.
    var retry =
        new GenericRetry()
            .setInitialInterval(50)
            .setIntervalMultiplier(2)
            .setMaxInterval(60_000)
            .withoutMaxAttempts();
    Operator operator = new Operator(overrider -> overrider.withCloseClientOnStop(true));
    operator.register(
        variant.get(),
        overrider ->
            overrider
                .withName("surveys")
                .withFieldManager(Correct.MANAGER)
                .withFinalizer(Correct.FINALIZER)
                .withRetry(retry)
                .watchingOnlyCurrentNamespace());
    operator.installShutdownHook(Duration.ofSeconds(2));
    operator.start();
  }
}
