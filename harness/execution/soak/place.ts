/** Identifies a shard of a soak and the settings of its runs. */
import { Random, SEED_RANGE } from '../../determinism/random.ts';
import type { ProgramBeside } from '../../model/counterexample.ts';
import type { Shard } from '../../model/soak.ts';
import type { Property } from '../../oracle/property.ts';
import { textBesidesSecrets } from '../../report/redaction/index.ts';
import { digest } from '../digest.ts';
import type { RunConfig } from '../config/run-config.ts';

/** Formats a shard as `3/16`. */
export function shardText({ index, count }: Shard): string {
  return `${index}/${count}`;
}

/** Returns the seed from which all batches of all shards of an epoch are drawn. */
export function epochSeed(epoch: string): number {
  return new Random(0).child(`soak ${epoch}`).int(SEED_RANGE);
}

/** Returns the random stream of one batch; it differs between shards and does not depend on the machine. */
export function batchRandom(epoch: string, { index }: Pick<Shard, 'index'>, batch: number): Random {
  return new Random(epochSeed(epoch)).child(`shard ${index}`).child(`batch ${batch}`);
}

/**
 * Returns a digest of the settings that shape the runs: shards with different digests are not merged. The digest covers neither the content
 * of the program (`program.ts`), which may differ between machines that build it themselves, nor anything that may be a secret.
 */
export function aboutOf(config: RunConfig, target: string): string {
  const { cluster, crds, samples, project, namespace, settings, properties, writers, faults, declared } = config;
  // The command of a module that runs as a process is left out: the user did not specify it.
  const { command, env, programs } = (config.target === '' ? config.process : null) ?? { command: [], env: {} };
  // Only the names of variables are included: any value may be a secret.
  const given = {
    ...{ samples, project, command: command.slice(1), variables: Object.keys(env).sort() },
    ...(programs === undefined ? {} : { programs: Object.entries(programs).map(besideText) }),
  };
  const parts = [
    ...[target, cluster, namespace, settings, declared, writers, faults, crds],
    ...[properties.map(claimOf), textBesidesSecrets(given)],
  ];
  return digest(JSON.stringify(parts)).slice(0, 16);
}

function besideText([name, { command, env }]: readonly [string, ProgramBeside]): object {
  return { name, command: command.slice(1), variables: Object.keys(env).sort() };
}

/** Returns the identity of a property: its name if it is in the catalogue, its source if it is the user's own. */
function claimOf(property: Property): unknown {
  const { name, id, about, source } = property;
  return id === undefined ? [name, about, source ?? String((property as { readonly check: unknown }).check)] : name;
}
