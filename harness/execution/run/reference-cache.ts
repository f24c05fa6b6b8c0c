/**
 * What the references measured, kept beside the findings, so that a replay of a process starts at once.
 *
 * Owns: when they are the same (program, definitions, sample, settings, cluster, our own version), and where they lie. A campaign takes them
 * anew each time and leaves them here. Secrets of the target, the values of its variables among them, are replaced by keyed hashes, in the
 * content and in what the file is named after. Does not own: taking them (`references.ts`). Start at {@link referenceCache}.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ProcessTarget } from '../../model/counterexample.ts';
import type { Workload } from '../../model/workload.ts';
import { Redaction } from '../../report/redaction/redaction.ts';
import { Vault } from '../../report/redaction/vault.ts';
import { writeWhole } from '../../report/write-files.ts';
import { digest } from '../digest.ts';
import { isFile, programPaths } from '../config/process-target.ts';
import { secretSources, variablesOf } from '../config/secret-sources.ts';
import type { Subject } from '../subject.ts';
import type { References } from './references.ts';
import type { TrialRunner } from './runner.ts';
import { versions } from '../versions.ts';

export interface ReferenceCache {
  /** What lies there for this target, if anything does; the runner then knows what it would have learned. */
  recall(runner: TrialRunner): References | undefined;
  keep(runner: TrialRunner, references: References): void;
}

const NOTHING: ReferenceCache = { recall: () => undefined, keep: () => {} };

/**
 * The cache for the target of a subject; one that holds nothing where nobody can say whether the program is still the same.
 *
 * @param server - What the cluster says that it is; `null` for the embedded one.
 */
export function referenceCache(subject: Subject, base: Workload, server: string | null): ReferenceCache {
  const program = subject.process === null ? undefined : programsOf(subject.process);
  if (subject.reportDir === null || program === undefined) return NOTHING;
  const { cluster, crds, project, namespace, settings, process: target } = subject;
  const { kubeconfig, context, writes = [] } = subject.existing ?? {};
  const where = [cluster, server, kubeconfig, context, ...writes];
  const vault = new Vault();
  const redaction = new Redaction(() => vault.key()).learn(secretSources(subject)).learn({ project, base });
  // A plain digest would let anyone who has the file try passwords. Without a secret it is the same on every machine.
  const started = { ...target, env: variablesOf(subject.process?.env ?? {}) };
  const facts = redaction.hide([versions(), where, program, started, project, namespace, settings, base]);
  const key = digest(JSON.stringify([facts, crds]));
  const folder = join(subject.reportDir, 'references');
  const file = join(folder, `${key.slice(0, 16)}.json`);
  return {
    recall: (runner) => {
      const kept = read(file);
      if (kept === undefined) return undefined;
      const { references, hints, habits, reads } = vault.restore(kept).value;
      runner.hints = hints;
      runner.learning = false;
      Object.assign(runner.habits, habits);
      for (const resource of reads) runner.host.reads.add(resource);
      return references;
    },
    keep: ({ hints, habits, host }, references) => {
      // The history of an undisturbed run is long, and nobody asks a replay for it.
      const { history: _, ...rest } = references;
      const kept: Kept = { references: rest, hints, habits, reads: [...host.reads] };
      const hidden = redaction.learn(kept).hide(kept);
      vault.keep(hidden, (standIn) => redaction.secretOf(standIn));
      const text = JSON.stringify(hidden);
      try {
        writeWhole(file, text);
      } catch {
        // A folder that cannot be written costs the next replay its time, and is told when findings go there.
      }
    },
  };
}

type Kept = Pick<TrialRunner, 'hints' | 'habits'> & {
  readonly references: References;
  readonly reads: readonly string[];
};

function read(file: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Kept;
  } catch {
    return undefined;
  }
}

/** Programs that run others: what they do does not stand in their own file. */
const INTERPRETER = /^(?:node|deno|bun|python|ruby|perl|java|bash|dash|zsh|sh|env|go)[\d.]*$/;
const NATIVE = ['7f454c46', 'cffaedfe', 'feedfacf', 'cafebabe'];

/** The content of all native programs of a target, as digests; undefined where one consists of files that we do not know. */
function programsOf(target: ProcessTarget): string | undefined {
  const contents = [target, ...Object.values(target.programs ?? {})].map(contentOf);
  return contents.includes(undefined) ? undefined : contents.join(' ');
}

/** The content of a native program, as a digest; undefined for one that consists of files that we do not know. */
function contentOf({ command, cwd }: Pick<ProcessTarget, 'command' | 'cwd'>): string | undefined {
  const [program = '', ...args] = command;
  if (INTERPRETER.test(program.slice(program.lastIndexOf('/') + 1))) return undefined;
  const [path] = programPaths(program, cwd);
  if (path === undefined) return undefined;
  const content = readFileSync(path);
  if (!NATIVE.includes(content.subarray(0, 4).toString('hex'))) return undefined;
  const files = args.map((word) => resolve(cwd, word)).filter(isFile);
  return [content, ...files.map((place) => readFileSync(place))].map(digest).join(' ');
}
