/**
 * Stores the references beside the findings, so that a replay of a process starts at once.
 *
 * Owns: when stored references are valid (same program, CRDs, sample, settings, cluster, and version of this harness), and where they are
 * stored. A campaign always makes them again and stores them here. Secrets of the target, including values of its environment variables,
 * are replaced by keyed hashes, both in the content and in the digest that names the file. Does not own: making the references
 * (`references.ts`). Start at {@link referenceCache}.
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
  /** Returns the stored references for this target, if any, and gives the runner what it would have learned from making them. */
  recall(runner: TrialRunner): References | undefined;
  keep(runner: TrialRunner, references: References): void;
}

const NOTHING: ReferenceCache = { recall: () => undefined, keep: () => {} };

/**
 * Returns the cache for a subject's target. It stores nothing if there is no way to detect that the program has changed.
 *
 * @param server - The cluster's description of itself; `null` for the embedded cluster.
 */
export function referenceCache(subject: Subject, base: Workload, server: string | null): ReferenceCache {
  const program = subject.process === null ? undefined : programsOf(subject.process);
  if (subject.reportDir === null || program === undefined) return NOTHING;
  const { cluster, crds, project, namespace, settings, process: target } = subject;
  const { kubeconfig, context, writes = [] } = subject.existing ?? {};
  const where = [cluster, server, kubeconfig, context, ...writes];
  const vault = new Vault();
  const redaction = new Redaction(() => vault.key()).learn(secretSources(subject)).learn({ project, base });
  // A plain digest would allow anyone who has the file to guess passwords. Without secrets, the digest is the same on every machine.
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
      // The history of an undisturbed run is long, and a replay does not need it.
      const { history: _, ...rest } = references;
      const kept: Kept = { references: rest, hints, habits, reads: [...host.reads] };
      const hidden = redaction.learn(kept).hide(kept);
      vault.keep(hidden, (standIn) => redaction.secretOf(standIn));
      const text = JSON.stringify(hidden);
      try {
        writeWhole(file, text);
      } catch {
        // If the folder cannot be written, only the next replay takes longer; the error is reported when findings are written there.
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

/** Matches interpreters, whose own file does not contain the program's code. */
const INTERPRETER = /^(?:node|deno|bun|python|ruby|perl|java|bash|dash|zsh|sh|env|go)[\d.]*$/;
const NATIVE = ['7f454c46', 'cffaedfe', 'feedfacf', 'cafebabe'];

/** Returns the digests of all programs of a target; undefined if one of them consists of unknown files. */
function programsOf(target: ProcessTarget): string | undefined {
  const contents = [target, ...Object.values(target.programs ?? {})].map(contentOf);
  return contents.includes(undefined) ? undefined : contents.join(' ');
}

/** Returns the digest of a native program; undefined for a program that consists of unknown files. */
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
