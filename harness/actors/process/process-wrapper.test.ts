/** How often the permissions of the host are tested. Other test files check with real programs what is permitted. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findLauncher } from './launcher/launcher.ts';
import type { JoinedNetwork } from './process-wrapper.ts';
import { processWrapper } from './process-wrapper.ts';

const untried = processWrapper('own', undefined);
const hasLauncher = untried.openFiles === null;

describe.runIf(hasLauncher)('the name of the host', () => {
  function named(name?: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'stalemate-name-'));
    try {
      const view = { folder, view: [], ...(name === undefined ? {} : { hostname: name }) };
      const [program, ...args] = [...untried.wrapper(view), 'uname', '-n'];
      return execFileSync(program ?? '', args, { encoding: 'utf8' }).trim();
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('is that of the pod, and for others stays what it was', () => {
    expect([named('manager-0'), named()]).toEqual(['manager-0', hostname()]);
    expect(hostname()).not.toBe('manager-0');
  });
});

const isAble = typeof findLauncher() === 'string' && process.arch === 'x64';

describe.runIf(isAble)('what is tried before lives are started', () => {
  const of = (pid: number, hasUser: boolean): JoinedNetwork => ({ pid, hasUser, enter: [] });

  it('is one program for all networks of a kind', () => {
    const tried: (readonly string[])[] = [];
    const permits = (wrapper: readonly string[]): null => {
      tried.push(wrapper);
      return null;
    };

    expect([1, 2, 3].map((pid) => processWrapper('own', of(pid, false), permits).unsteered)).toEqual([
      null,
      null,
      null,
    ]);
    expect(tried).toHaveLength(1);
    expect(tried[0]).toEqual(expect.arrayContaining(['--steer', '--hide', '--overlay']));
  });

  it('is tried again where it did not work, without a steered clock as well', () => {
    const refuses = (wrapper: readonly string[]): string | null => (wrapper.includes('--steer') ? 'no tracing' : null);
    const permits = (): null => null;

    expect(processWrapper('own', of(1, true), refuses)).toMatchObject({ endsAll: true, unsteered: 'no tracing' });
    expect(processWrapper('own', of(2, true), permits).unsteered).toBeNull();
  });
});
