/** Tests how additional programs of a target are configured, stored and recognised. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isSameTarget, storedTarget } from '../search/counterexample.ts';
import type { StalemateOptions } from './options.ts';
import { checkOptions } from './options.ts';
import { secretSources } from './secret-sources.ts';
import { processOf, usesEffects } from './target-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'stalemate-programs-'));
mkdirSync(join(folder, 'webhook'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const command = [process.execPath, 'manager.mjs'];
const webhook = { command: [process.execPath, 'webhook.mjs', '{port:webhook}'], directory: 'webhook', env: { A: 'b' } };

function started(options: StalemateOptions): ReturnType<typeof processOf> {
  return processOf(checkOptions(options, 'options'), folder);
}

describe('a program beside the target', () => {
  it('is started in its own folder, with variables of its own', () => {
    expect(started({ command, programs: { webhook } })?.programs).toEqual({
      webhook: {
        command: webhook.command,
        cwd: join(folder, 'webhook'),
        env: { A: 'b' },
        ready: 'quiet',
        readyWithinMs: 30_000,
      },
    });
  });

  it('is stored without its variables, and is part of what the target is', () => {
    const config = { target: '', process: started({ command, programs: { webhook } }), cwd: folder };
    const stored = storedTarget({ ...config, transport: 'http-library' } as Parameters<typeof storedTarget>[0]);

    expect(stored).toMatchObject({ programs: { webhook: { command: webhook.command, directory: 'webhook' } } });
    expect(JSON.stringify(stored)).not.toContain('"A"');
    expect(isSameTarget(stored, { ...stored, programs: {} })).toBe(false);
    expect(isSameTarget({ ...stored, programs: {} }, stored)).toBe(false);
  });

  it('may hold secrets, and may ask for the store outside of the cluster', () => {
    const process = started({ command, programs: { webhook } });

    expect(secretSources({ samples: [], project: null, process })).toMatchObject({ env: [{ name: 'A', value: 'b' }] });
    expect(usesEffects({ command, programs: { other: { command: ['other', '{effects}'] } } })).toBe(true);
  });

  it.each<[StalemateOptions, string]>([
    [{ target: 'target.ts', programs: { webhook } }, 'got program "webhook" beside a target that is a module'],
    [{ image: 'manager:dev', programs: { webhook } }, 'got program "webhook" beside a target that is an image'],
    [
      { command, programs: { webhook: { command: [process.execPath, '{kubeconfg}'] } } },
      'got "{kubeconfg}" in the command of program "webhook"',
    ],
    [{ command, programs: { webhook: { command: ['./no-such-program'] } } }, 'got command "./no-such-program"'],
    [
      { command, programs: { 'a/b': webhook } },
      'at programs["a/b"]: expected a name of small letters, digits and hyphens, found this key',
    ],
    [{ command, programs: { webhook: { command: [] } } }, 'programs.webhook.command'],
  ])('is refused: %j', (options, why) => {
    expect(() => started(options)).toThrow(why);
  });
});
