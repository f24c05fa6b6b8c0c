/**
 * How clients react to connection faults: one run each of a correct controller, with a real toxiproxy server in its connection.
 *
 * Tests run for controllers that have been built (`node scripts/controllers.ts build`), and only if a toxiproxy server is found. Nothing is
 * timed: the tests compare the order of events.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findToxiproxy, missingToxiproxyText } from 'stalemate-apiserver/control-plane/binaries';
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import { loadCrds, loadSamples } from '../harness/execution/project/manifests.ts';
import { createProcessHost } from '../harness/execution/hosts/process-host.ts';
import { resolveCommand } from '../harness/execution/config/process-target.ts';
import { TrialRunner } from '../harness/execution/run/runner.ts';
import type { ConnectionTrouble } from '../harness/model/connection-fault.ts';
import type { History } from '../harness/model/history.ts';
import { EMPTY_SCHEDULE } from '../harness/model/schedule.ts';
import { builtFolder, LANGUAGES, sourcesFolder } from './controllers/builds.ts';

const binary = findToxiproxy();
if (binary === undefined) console.log(`clients behind disturbed connections are not tried: ${missingToxiproxyText()}`);

const file = (path: string): string => fileURLToPath(new URL(`../controllers-under-test/${path}`, import.meta.url));
const built = Object.fromEntries(LANGUAGES.map((language) => [language, builtFolder(language)]));
const isBuilt = (language: string): boolean => binary !== undefined && existsSync(built[language] ?? '');

interface Subject {
  readonly folder: string;
  readonly command: readonly string[];
  /** The field that a writer changes during the fault. */
  readonly field: string;
  readonly value: JsonValue;
}

const SUBJECTS = {
  go: { folder: 'go', command: [`${built['go']}/fleets`, 'correct'], field: 'servers', value: 3 },
  python: {
    folder: 'python',
    command: [
      `${built['python']}/bin/python3`,
      ...['-m', 'kopf', 'run', '--standalone', '--namespace', '{namespace}'],
      `${sourcesFolder('python')}/correct/controller.py`,
    ],
    field: 'partitions',
    value: 3,
  },
  java: { folder: 'java', command: [`${built['java']}/surveys`, 'correct'], field: 'invitations', value: 3 },
  node: {
    folder: 'buckets',
    command: [process.execPath, file('languages/typescript/main.ts')],
    field: 'sizeGiB',
    value: 3,
  },
} satisfies { readonly [name: string]: Subject };

interface Disturbed extends Partial<Record<'env', { readonly [name: string]: string }>> {
  readonly trouble: ConnectionTrouble;
  readonly forMs: number;
}

/** Runs a trial in which a writer changes the sample, and the connection fault starts just before that write. */
async function runOf(
  { folder, command, field, value }: Subject,
  { trouble, forMs, env = {} }: Disturbed,
): Promise<Seen> {
  const crds = loadCrds([file(`${folder}/crd.yaml`)]);
  const sample = loadSamples([file(`${folder}/sample.yaml`)], crds, new Set());
  const settings = {
    seed: 1,
    stepsMax: 400,
    settleWindowMs: 500,
    settleStepsMax: 800,
    garbageCollection: true,
    namespaceController: true,
    replicasMax: 1,
  } as const;
  // Otherwise Python would write bytecode next to its sources.
  const process = resolveCommand({ command, directory: file(folder), env: { PYTHONDONTWRITEBYTECODE: '1', ...env } });
  const subject = {
    ...({ target: '', process, transport: 'http-library', cluster: 'embedded', crds, samples: sample } as const),
    ...{ toxiproxy: binary ?? null, project: null, namespace: 'default', settings, properties: [] },
    ...{ configFile: null, reportDir: null },
  };
  const host = await createProcessHost(subject, process, () => {});
  const [object] = sample;
  const group = object?.apiVersion.split('/')[0] ?? '';
  const resource = `${object?.kind.toLowerCase()}s`;
  const target = { group, version: 'v1', resource, namespace: 'default', name: object?.metadata.name ?? '' };
  const change = { do: 'set', target, path: ['spec', field], value, via: 'merge-patch' } as const;
  const at = `writer-1/patch/${resource}.${group}/default/${target.name}#0!sent`;
  const history = await new TrialRunner(host, settings).run({
    workload: {
      version: 1,
      start: 'settled',
      sample,
      programs: [{ actor: 'writer-1', writer: 'test', ops: [change] }],
    },
    schedule: { ...EMPTY_SCHEDULE, faults: [{ ...trouble, link: 'target', forMs, at }] },
  });
  return seen(history);
}

/** What the tests check about a run. */
interface Seen {
  readonly missed: readonly string[];
  /** Watches that broke before and after the end of the fault. */
  readonly brokeDuring: number;
  readonly brokeAfter: number;
  /** Watches that the target opened after the start of the fault. */
  readonly reopened: number;
  /** Writes of the target after the start of the fault. */
  readonly writes: number;
  readonly settled: boolean;
}

function seen({ decisions, streamEnds, operations, revisions, settlement, missed }: History): Seen {
  const began = decisions.find(({ kind }) => kind === 'fault')?.at ?? Number.POSITIVE_INFINITY;
  const ended = decisions.find(({ kind }) => kind === 'release')?.at ?? Number.POSITIVE_INFINITY;
  const broken = streamEnds.filter(({ actor, at }) => actor === 'controller' && at > began);
  return {
    missed,
    brokeDuring: broken.filter(({ at }) => at < ended).length,
    brokeAfter: broken.filter(({ at }) => at > ended).length,
    reopened: operations.filter(
      ({ verb, outcome, invoked }) => verb === 'watch' && outcome.type === 'ok' && invoked.at > began,
    ).length,
    writes: revisions.filter(({ actor, at }) => actor === 'controller' && at > began).length,
    settled: settlement.result === 'quiescent',
  };
}

const HOLE: ConnectionTrouble = { do: 'black-hole' };
/** No anchor is missing, and the run comes to rest. */
const WELL = { missed: [], settled: true };

describe.concurrent('a client whose connection is disturbed', { timeout: 180_000 }, () => {
  describe.runIf(isBuilt('go'))('client-go', () => {
    it('pings a silent connection, and closes it if there is no answer', async () => {
      // The defaults are 30 s and 15 s.
      const env = { HTTP2_READ_IDLE_TIMEOUT_SECONDS: '1', HTTP2_PING_TIMEOUT_SECONDS: '1' };

      const run = await runOf(SUBJECTS.go, { trouble: HOLE, forMs: 8_000, env });

      expect(run).toMatchObject(WELL);
      // The fleet, its pods and its settings share one connection.
      expect(run.brokeDuring).toBe(3);
      expect(run.reopened).toBeGreaterThanOrEqual(3);
      expect(run.writes).toBeGreaterThan(0);
    });

    it('keeps a silent connection open if pings are disabled', async () => {
      const env = { HTTP2_READ_IDLE_TIMEOUT_SECONDS: '0' };

      const run = await runOf(SUBJECTS.go, { trouble: HOLE, forMs: 5_000, env });

      expect(run).toMatchObject({ ...WELL, brokeDuring: 0, brokeAfter: 3 });
      expect(run.reopened).toBeGreaterThanOrEqual(3);
      expect(run.writes).toBeGreaterThan(0);
    });
  });

  describe.runIf(binary !== undefined)('client-node', () => {
    it('aborts a watch that was silent for 30 s', async () => {
      const run = await runOf(SUBJECTS.node, { trouble: HOLE, forMs: 45_000 });

      expect(run).toMatchObject(WELL);
      expect(run.brokeDuring).toBeGreaterThan(0);
      expect(run.reopened).toBeGreaterThan(0);
      expect(run.writes).toBeGreaterThan(0);
    });
  });

  describe.runIf(isBuilt('python'))('kopf', () => {
    it('has no timeout for a silent watch', async () => {
      const run = await runOf(SUBJECTS.python, { trouble: HOLE, forMs: 5_000 });

      expect(run).toMatchObject({ ...WELL, brokeDuring: 0 });
      expect(run.brokeAfter).toBeGreaterThan(0);
      expect(run.reopened).toBeGreaterThan(0);
    });

    it('reconnects after a reset', async () => {
      const run = await runOf(SUBJECTS.python, { trouble: { do: 'reset' }, forMs: 500 });

      expect(run).toMatchObject(WELL);
      expect(run.reopened).toBeGreaterThan(0);
      expect(run.writes).toBeGreaterThan(0);
    });
  });

  describe.runIf(isBuilt('java'))('fabric8', () => {
    it('reconnects after the server was down for a while', async () => {
      const run = await runOf(SUBJECTS.java, { trouble: { do: 'down' }, forMs: 500 });

      expect(run).toMatchObject(WELL);
      expect(run.reopened).toBeGreaterThan(0);
      expect(run.writes).toBeGreaterThan(0);
    });
  });
});
