/**
 * Runs the same clients through the same steps on the embedded server and on a real control plane, and compares the traffic.
 *
 * For each step, form of request and status, the facts of the answers are sets: how often a request or an answer occurred does not matter.
 * Owns: running both sides and finding differences. Does not own: what the clients do (`stories.ts`), forms (`forms.ts`), expected
 * differences (`explained.ts`). Start at {@link compareClients}.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Difference, reasonOf } from './explained.ts';
import { type Forms, formsOf } from './forms.ts';
import { StepFailed } from './processes.ts';
import { record } from './recorder.ts';
import { openServer, type Server } from './server.ts';
import type { Story } from './story.ts';

/** The traffic of each step of a client; its output counts as an answer. */
type Steps = ReadonlyMap<string, Forms>;

/** The figures of one client, and its unexplained differences. */
export interface Compared {
  readonly client: string;
  readonly ok: boolean;
  readonly text: string;
}

const SIDES = ['embedded', 'real'] as const;
const LINES_MAX = 12;

/**
 * The maximum number of recordings of both sides. A client with differences is recorded again, because its requests also depend on races
 * between its own threads.
 */
const ROUNDS = 3;

export async function compareClients(stories: readonly Story[], folder: string): Promise<readonly Compared[]> {
  const judged = new Map<string, Judged>();
  for (let round = 1; round <= ROUNDS; round += 1) {
    const left = stories.filter(({ client }) => judged.get(client)?.again ?? true);
    if (left.length === 0) break;
    const [embedded, real] = await recordBoth(left, join(folder, `round-${round}`));
    for (const { client } of left)
      judged.set(client, judge(client, judged.get(client), embedded?.get(client), real?.get(client)));
  }
  return [...judged.values()];
}

async function recordBoth(stories: readonly Story[], folder: string): Promise<readonly Map<string, Steps | string>[]> {
  const sides: Map<string, Steps | string>[] = [];
  for (const side of SIDES) {
    const own = join(folder, side);
    mkdirSync(own, { recursive: true });
    const server = await openServer(side, own);
    try {
      sides.push(await runAll(stories, server, own));
    } finally {
      await server.stop();
    }
  }
  return sides;
}

async function runAll(stories: readonly Story[], server: Server, folder: string): Promise<Map<string, Steps | string>> {
  const results = new Map<string, Steps | string>();
  for (const { client, depth, run } of stories) {
    const kubeconfig = join(folder, `${client}.kubeconfig`);
    const recorder = await record(server.kubeconfig, kubeconfig);
    const steps = new Map<string, Forms>();
    try {
      await run({
        server,
        kubeconfig,
        folder,
        done: (step, printed) => {
          const forms = new Map(formsOf(recorder.take(), depth));
          if (printed !== undefined) forms.set('prints', new Map([[printed.how, new Set(printed.lines)]]));
          steps.set(step, forms);
        },
      });
      results.set(client, steps);
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      results.set(client, error.message);
    } finally {
      await recorder.close();
    }
  }
  return results;
}

interface Judged extends Compared {
  /** Unexplained differences of every round so far; undefined until a round was completed. */
  readonly differences: readonly Difference[] | undefined;
  /** Differences and errors of earlier rounds that did not recur, for the output. */
  readonly passing: readonly string[];
  readonly again: boolean;
}

function judge(
  client: string,
  before: Judged | undefined,
  embedded: Steps | string = '',
  real: Steps | string = '',
): Judged {
  const passing = before?.passing ?? [];
  const failed = (text: string): Judged => {
    const differences = before?.differences;
    return { client, ok: false, text, differences, passing: [...passing, `  failed once ${text}`], again: true };
  };
  if (typeof embedded === 'string') return failed(`on the embedded server: ${embedded}`);
  if (typeof real === 'string') return failed(`on the real one: ${real}`);
  const found = differencesOf(client, embedded, real);
  const unexplained = found.filter((one) => reasonOf(one) === undefined);
  const differences = before?.differences === undefined ? unexplained : inBoth(before.differences, unexplained);
  const gone = (before?.differences ?? []).filter((one) => !differences.includes(one));
  const told = gone.length === 0 ? passing : [...passing, '  not in every recording:', ...tableOf(gone)];
  const forms = [...real.values()].reduce((sum, step) => sum + step.size, 0);
  const figures = `${real.size} steps, ${forms} forms of request, ${found.length - unexplained.length} differences explained`;
  const ok = differences.length === 0;
  const text = [figures, ...told, ...tableOf(differences)].join('\n');
  return { client, ok, text, differences, passing: told, again: !ok };
}

/** Returns the differences that are in both lists: a true one is in every recording, others may be races of the client or of a server. */
export function inBoth(some: readonly Difference[], others: readonly Difference[]): readonly Difference[] {
  const keys = new Set(others.map((one) => JSON.stringify(one)));
  return some.filter((one) => keys.has(JSON.stringify(one)));
}

/** Returns the differences between the two sides, grouped by request. */
export function differencesOf(client: string, embedded: Steps, real: Steps): readonly Difference[] {
  const found: Difference[] = [];
  for (const step of union(embedded, real)) {
    const ours = embedded.get(step) ?? new Map();
    const theirs = real.get(step) ?? new Map();
    for (const request of union<Forms>(ours, theirs)) {
      const add = (side: Difference['side'], fact: string): void =>
        void found.push({ client, step, request, side, fact });
      const [left, right] = [ours.get(request), theirs.get(request)];
      if (left === undefined || right === undefined) {
        add(left === undefined ? 'real' : 'embedded', 'the request');
        continue;
      }
      for (const answer of union(left, right)) {
        const [some, others] = [left.get(answer), right.get(answer)];
        if (some === undefined || others === undefined) {
          const facts = [...(some ?? others ?? [])].filter((fact) => /^(?:message|text)/.test(fact));
          add(some === undefined ? 'real' : 'embedded', `answer ${answer} ${facts.join(' ')}`.trimEnd());
          continue;
        }
        for (const fact of some) if (!others.has(fact)) add('embedded', fact);
        for (const fact of others) if (!some.has(fact)) add('real', fact);
      }
    }
  }
  return found;
}

function union<Side extends { keys(): Iterable<string> }>(one: Side, other: Side): ReadonlySet<string> {
  return new Set([...one.keys(), ...other.keys()]);
}

function tableOf(differences: readonly Difference[]): readonly string[] {
  const requests = Map.groupBy(differences, ({ step, request }) => `${step}: ${request}`);
  return [...requests].flatMap(([request, ones]) => [
    `  ${shortened(request)}`,
    ...ones.slice(0, LINES_MAX).map(({ side, fact }) => `      only ${side.padEnd(8)} ${shortened(fact)}`),
    ...(ones.length > LINES_MAX ? [`      and ${ones.length - LINES_MAX} more`] : []),
  ]);
}

const WIDTH = Number(process.env['COLUMNS'] ?? 240);

function shortened(text: string): string {
  return text.length > WIDTH ? `${text.slice(0, WIDTH)}…` : text;
}
