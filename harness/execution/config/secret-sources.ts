/** What of a configuration may hold secrets: what they are learnt from, so that nothing that is written of its runs has them. */
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

/** Variables as a container has them. */
export function variablesOf(env: { readonly [name: string]: string }): readonly object[] {
  return Object.entries(env).map(([name, value]) => ({ name, value }));
}
