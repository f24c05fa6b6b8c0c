import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { summarySchema, type Summary } from '../report/summary.ts';
import { stalemate, type BinResult } from './test-bin.ts';

const CONTROLLERS = fileURLToPath(new URL('../../controllers-under-test/releases/', import.meta.url));
const CONFIG = [
  `target: ${CONTROLLERS}refreshes-version-only/controller.ts`,
  `crds: [${CONTROLLERS}crd.yaml]`,
  `samples: [${CONTROLLERS}sample.yaml]`,
  'properties: [no-lost-update]',
  '',
].join('\n');

let folder: string;
let line: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-waivers-'));
  const { stdout } = run('');
  line = /^ waive: (.*)$/m.exec(stdout)?.[1] ?? '';
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(more: string, ...args: readonly string[]): BinResult {
  writeFileSync(join(folder, 'stalemate.config.yaml'), CONFIG + more);
  return stalemate(['run', '--seed', '11', '--budget', '120', '--stop-after', '1', ...args], { cwd: folder });
}

function summaryOf({ stdout }: BinResult): Summary {
  return summarySchema.parse(JSON.parse(stdout));
}

function waiver(reason: string, expires: string): string {
  return `waivers:\n  - ${line.replace("reason: ''", `reason: '${reason}'`).replace("expires: ''", `expires: '${expires}'`)}\n`;
}

describe('a waiver', () => {
  it('is refused as it is pasted: it needs a reason and a day', () => {
    const { code, stderr } = run(`waivers:\n  - ${line}\n`);

    expect(stderr).toContain('"stalemate.config.yaml" is not valid, at waivers[0].reason: expected a reason');
    expect(stderr).toContain('at waivers[0].expires: expected the last day on which it is valid, like "2027-01-31"');
    expect(code).toBe(2);
  });

  it('keeps what it covers from failing a run, and counts it', () => {
    const summary = summaryOf(run(waiver('waits for 217', '2999-12-31'), '--json'));
    const said = run(waiver('waits for 217', '2999-12-31'));

    expect(summary.waived).toMatchObject([{ reason: 'waits for 217', expires: '2999-12-31' }]);
    expect(summary.waived?.[0]?.count).toBeGreaterThan(0);
    const covered = summary.findings.filter(({ signature }) => line.includes(signature.split(' | ').at(-1) ?? ''));
    expect(covered).toEqual([]);
    expect(said.stdout).toMatch(
      /^waived: no-lost-update of deployments\.apps .*, until 2999-12-31 \(waits for 217\): covered \d/m,
    );
  });

  it('fails every run from the day after its last one, by name', () => {
    const { code, stderr, stdout } = run(waiver('waits for 217', '2020-02-29'));

    expect(stderr).toMatch(
      /^stalemate: waiver 1 \(no-lost-update of deployments\.apps .*\), for "waits for 217", expired on 2020-02-29, and today is /,
    );
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it.each([
    [
      '{ property: nope, reason: r, expires: "2999-01-01" }',
      'waiver 1 (nope) is about property "nope", expected one of',
    ],
    [
      '{ property: convergence, kind: nopes, reason: r, expires: "2999-01-01" }',
      'is about "nopes", expected a resource',
    ],
    [
      '{ property: convergence, writer: nope, reason: r, expires: "2999-01-01" }',
      'is about writer "nope", expected one of',
    ],
    ['{ property: convergence, reason: r, expires: "2999-13-01" }', 'expected the last day'],
    ['{ property: convergence, reason: r, until: "2999-01-01" }', 'unknown field "until"'],
  ])('that can never cover anything is refused: %s', (text, message) => {
    const { code, stderr } = run(`waivers:\n  - ${text}\n`);

    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

describe('a declared field', () => {
  it('that is co-owned is lost to nobody', () => {
    const field = /field: '([^']*)'/.exec(line)?.[1] ?? '';

    const summary = summaryOf(run(`coOwned:\n  - { kind: deployments.apps, field: '${field}' }\n`, '--json'));

    expect(summary.findings.filter(({ signature }) => signature.endsWith(` | ${field}`))).toEqual([]);
  });

  it('of a kind that nobody can create is refused', () => {
    const { code, stderr } = run('volatile:\n  - { kind: deployment, field: spec }\n');

    expect(stderr).toContain('"volatile" is about "deployment", expected a resource by its plural name and group');
    expect(code).toBe(2);
  });
});
