import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { CONNECTION_KINDS } from '../../model/connection-fault.ts';
import { EMPTY_SCHEDULE, type Fault, type Schedule } from '../../model/schedule.ts';
import { chosenFaults, toxiproxyFor, undisturbable } from './chosen-faults.ts';

const folder = mkdtempSync(join(tmpdir(), 'stalemate-faults-'));
const server = join(folder, 'my-toxiproxy');
writeFileSync(server, '');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());

const PROCESS = { cwd: folder, isProcess: true, isCommand: true, replicasMax: 1 } as const;

/** Makes sure that no toxiproxy server on this machine is found. */
function nowhere(): void {
  for (const [name, value] of Object.entries({ PATH: folder, XDG_CACHE_HOME: folder, HOME: folder }))
    vi.stubEnv(name, value);
  vi.stubEnv('TOXIPROXY_SERVER', '');
  vi.stubEnv('KUBEBUILDER_ASSETS', '');
}

function scheduleWith(...faults: readonly Fault[]): Schedule {
  return { ...EMPTY_SCHEDULE, faults };
}

const DOWN: Fault = { do: 'down', at: 'a#0!sent', link: 'target', forMs: 300 };

describe('faults of a campaign', () => {
  it('leave connections alone unless asked for', () => {
    const { faults, toxiproxy } = chosenFaults({}, PROCESS);

    expect(faults).toContain('crash');
    expect(faults.filter((kind) => CONNECTION_KINDS.some((one) => one === kind))).toEqual([]);
    expect(toxiproxy).toBeNull();
  });

  it('are switched on for connections all together or one by one, and off again', () => {
    const toxiproxy = 'my-toxiproxy';
    expect(chosenFaults({ faults: { connection: true }, toxiproxy }, PROCESS)).toMatchObject({
      faults: expect.arrayContaining(['crash', ...CONNECTION_KINDS]) as unknown,
      toxiproxy: server,
    });
    expect(chosenFaults({ faults: { latency: true }, toxiproxy }, PROCESS).faults).not.toContain('down');
    expect(chosenFaults({ faults: { connection: true, down: false }, toxiproxy }, PROCESS).faults).not.toContain(
      'down',
    );
    expect(chosenFaults({ faults: { connection: false } }, PROCESS).toxiproxy).toBeNull();
  });

  it('leave out what needs a server that nobody finds, and say so', () => {
    nowhere();

    const { faults, toxiproxy, warnings } = chosenFaults({ faults: { latency: true, down: true } }, PROCESS);

    expect(faults).not.toContain('latency');
    expect(toxiproxy).toBeNull();
    expect(warnings).toEqual([
      expect.stringMatching(
        /^these faults are skipped: latency, down: found no toxiproxy-server on PATH or in .+ name one with --toxiproxy PATH, or build it once in a clone of stalemate .+ build toxiproxy-server$/,
      ),
    ]);
  });

  it.each([
    [{ faults: { gremlins: true } }, PROCESS, '"faults" has "gremlins", expected one of fail, refuse'],
    [{ toxiproxy: 'none' }, PROCESS, 'got toxiproxy "none", which does not exist, expected the path of a'],
    [
      { faults: { reset: true } },
      { ...PROCESS, isProcess: false, isCommand: false },
      'got faults of connections (reset) for a target that is a module in virtual time',
    ],
  ])('are refused where they can never be: %o', (options, circumstances, message) => {
    expect(() => chosenFaults(options, circumstances)).toThrow(message);
  });
});

describe('the faults of a stored schedule', () => {
  const embedded = { cluster: 'embedded', isProcess: true } as const;

  it('need a server only when they are about connections', () => {
    nowhere();
    const none = scheduleWith({ do: 'crash', at: 'a#0!sent' });

    expect(toxiproxyFor(none, { ...embedded, cwd: folder })).toBeNull();
    expect(toxiproxyFor(scheduleWith(DOWN), { ...embedded, cwd: folder, toxiproxy: 'my-toxiproxy' })).toBe(server);
    expect(() => toxiproxyFor(scheduleWith(DOWN), { ...embedded, cwd: folder })).toThrow(
      'its schedule disturbs connections (down): found no toxiproxy-server on PATH',
    );
  });

  it('need connections that are there', () => {
    const beyond = scheduleWith({ ...DOWN, link: 'cluster' });

    expect(undisturbable(beyond, embedded)).toMatch(/between the gate and the API server \(down\).+--cluster envtest$/);
    for (const cluster of ['envtest', 'kind'] as const)
      expect(undisturbable(beyond, { ...embedded, cluster })).toBeUndefined();
    expect(undisturbable(scheduleWith(DOWN), { ...embedded, isProcess: false })).toMatch(/a module in virtual time/);
    expect(undisturbable(scheduleWith(DOWN), embedded)).toBeUndefined();
  });
});
