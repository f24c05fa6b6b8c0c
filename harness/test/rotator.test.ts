/** A manager that issues the certificates of its webhooks itself, as it would in a cluster with a kubelet. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { openEnclosure } from '../actors/process/enclosure.ts';
import { resolveRun } from '../cli/library.ts';
import { createHost } from '../execution/hosts/create-host.ts';
import { TrialRunner } from '../execution/run/runner.ts';
import { checkAlive } from '../execution/run/undisturbed-trouble.ts';
import { subjectOf } from '../execution/search/counterexample.ts';
import type { ProgramTime } from '../model/counterexample.ts';
import type { History } from '../model/history.ts';
import { EMPTY_SCHEDULE } from '../model/schedule.ts';

const file = (name: string): string => fileURLToPath(new URL(`rotator/${name}`, import.meta.url));

/** The manager uses files at hard-coded paths, so it needs a file system of its own, and a clock that can be steered. */
const enclosure = await openEnclosure({ network: 'none', fileSystem: 'own' });
const isSteered = enclosure.unsteered === null;

const gadget = (color: string): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Gadget',
  metadata: { name: 'a', namespace: 'default' },
  spec: { size: 1, color },
});

interface Outcome {
  readonly history: History;
  readonly unanswered: string | undefined;
  readonly check: () => void;
}

async function runOnce(
  behaviour: string,
  sample: KubeObject,
  start: 'empty' | 'settled' = 'settled',
  time: ProgramTime = 'virtual',
): Promise<Outcome> {
  const config = resolveRun({
    manifests: [file('install.yaml')],
    samples: [fileURLToPath(new URL('project/sample.yaml', import.meta.url))],
    // Not started by its shebang: the node on PATH may be a version that does not run TypeScript.
    command: [process.execPath, file('manager.mjs')],
    env: { BEHAVIOUR: behaviour },
    budget: 1,
    time,
  });
  const subject = subjectOf(config);
  const host = await createHost(subject);
  const runner = new TrialRunner(host, subject.settings);
  const history = await runner.run({
    workload: { version: 1, start, sample: [sample], programs: [] },
    schedule: EMPTY_SCHEDULE,
  });
  return {
    history,
    unanswered: host.containment?.unanswered,
    check: () => checkAlive(history, host.containment),
  };
}

const outcomes = ({ operations }: History): readonly unknown[] =>
  operations
    .filter(({ actor, verb }) => actor === 'user' && verb === 'create')
    .map(({ outcome }) => (outcome.type === 'fail' ? outcome.message : outcome.type));

const made = ({ revisions }: History): readonly unknown[] =>
  revisions.filter(({ resource }) => resource === 'gadgets.example.com').map(({ object }) => object['spec']);

describe.runIf(isSteered)('a manager that makes the certificates of its webhooks itself', () => {
  it.each(['virtual', 'real'] as const)(
    'finds its Secret where it looks, and is asked once it answers, in %s time',
    async (time) => {
      const { history, check } = await runOnce('', gadget('none'), 'settled', time);

      expect(history.logs?.map(({ line }) => line)).toContain('mounted');
      expect(outcomes(history)).toEqual(['ok']);
      expect(made(history)).toEqual([{ size: 1, color: 'mounted' }]);
      expect(check).not.toThrow();
    },
  );

  it('has the sample applied again where a handler is registered later than the port', async () => {
    for (const start of ['settled', 'empty'] as const) {
      const { history, check } = await runOnce('late', gadget('none'), start);

      const notThereYet = expect.stringContaining('the server could not find the requested resource') as unknown;
      expect(outcomes(history)).toEqual([notThereYet, notThereYet, 'ok']);
      expect(made(history)).toEqual([{ size: 1, color: 'mounted' }]);
      expect(check).not.toThrow();
    }
  });

  it('is named with the port that was asked and those that it listens on, where it never answers', async () => {
    const { unanswered, check } = await runOnce('elsewhere', gadget('none'));

    expect(unanswered).toBe(
      'the webhooks of the target never answered on port 9443: connection refused; it listens on 9444',
    );
    expect(check).toThrow(
      /^the API server refused the sample gadgets\.example\.com\/a with 500: .*failed calling webhook .*dial tcp 127\.0\.0\.1:9443: connect: connection refused; the webhooks of the target never answered on port 9443: .*; it listens on 9444\nThe target printed last:\n  mounted$/,
    );
  });

  it('is said to have ended where that is why it does not answer', async () => {
    const { check } = await runOnce('ends', gadget('none'));

    expect(check).toThrow(/failed calling webhook .*; the target had ended \(with code 3\)\n/);
  });

  it('is given up by the clock of the run', async () => {
    const { history } = await runOnce('slow', gadget('slow'));

    const [first, second] = history.operations.filter(({ actor, verb }) => actor === 'user' && verb === 'create');
    expect(first?.outcome).toMatchObject({
      type: 'fail',
      message: expect.stringContaining('context deadline exceeded'),
    });
    expect((second?.invoked.timeMs ?? 0) - (first?.invoked.timeMs ?? 0)).toBeGreaterThanOrEqual(10_000);
  });
});
