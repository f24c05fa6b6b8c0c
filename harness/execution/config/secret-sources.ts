/** Returns the parts of a configuration that may contain secrets; redaction uses them to decide what to hide in all output. */
import type { RunConfig } from './run-config.ts';

export function secretSources({
  samples,
  project,
  process,
}: Pick<RunConfig, 'samples' | 'project' | 'process'>): object {
  const started = process === null ? [] : [process, ...Object.values(process.programs ?? {})];
  const env = started.flatMap((one) => variablesOf(one.env));
  return { samples, objects: project?.objects ?? [], command: started.flatMap(({ command }) => command), env };
}

/** Returns environment variables in the form of a container's `env` in a manifest. */
export function variablesOf(env: { readonly [name: string]: string }): readonly object[] {
  return Object.entries(env).map(([name, value]) => ({ name, value }));
}
