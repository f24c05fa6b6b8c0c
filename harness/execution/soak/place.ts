/** Which part of which soak a process makes, and what its runs are about. */
import { Random, SEED_RANGE } from '../../determinism/random.ts';
import type { ProgramBeside } from '../../model/counterexample.ts';
import type { Shard } from '../../model/soak.ts';
import type { Property } from '../../oracle/property.ts';
import { textBesidesSecrets } from '../../report/redaction/index.ts';
import { digest } from '../digest.ts';
import type { RunConfig } from '../config/run-config.ts';

/** `3/16`. */
export function shardText({ index, count }: Shard): string {
  return `${index}/${count}`;
}

/** What all batches of all shards of an epoch are drawn from. */
export function epochSeed(epoch: string): number {
  return new Random(0).child(`soak ${epoch}`).int(SEED_RANGE);
}

/** What one batch draws from: another one for each shard, the same wherever the shard runs. */
export function batchRandom(epoch: string, { index }: Pick<Shard, 'index'>, batch: number): Random {
  return new Random(epochSeed(epoch)).child(`shard ${index}`).child(`batch ${batch}`);
}

/**
 * A digest of what shapes the runs: shards that differ in it are not added up. The content of the program (`program.ts`) is no part of it, which
 * machines that build it for themselves need not agree on, nor is anything that may be a secret.
 */
export function aboutOf(config: RunConfig, target: string): string {
  const { cluster, crds, samples, project, namespace, settings, properties, writers, faults, warm, declared } = config;
  // The process that a module runs in is none of the user's.
  const { command, env, programs } = (config.target === '' ? config.process : null) ?? { command: [], env: {} };
  // Any variable's value may be a secret.
  const given = {
    ...{ samples, project, command: command.slice(1), variables: Object.keys(env).sort() },
    ...(programs === undefined ? {} : { programs: Object.entries(programs).map(besideText) }),
  };
  const parts = [
    ...[target, cluster, namespace, settings, warm, declared, writers, faults, crds],
    ...[properties.map(claimOf), textBesidesSecrets(given)],
  ];
  return digest(JSON.stringify(parts)).slice(0, 16);
}

function besideText([name, { command, env }]: readonly [string, ProgramBeside]): object {
  return { name, command: command.slice(1), variables: Object.keys(env).sort() };
}

/** Those of the catalogue are what this stalemate says that they are; the user's own, what they are made from. */
function claimOf(property: Property): unknown {
  const { name, id, about, source } = property;
  return id === undefined ? [name, about, source ?? String((property as { readonly check: unknown }).check)] : name;
}
