import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { EnvVars } from 'stalemate-apiserver/processes/env-vars';
import { choice, collect, countArgument, seedArgument } from './arguments.ts';
import { applyEnvironment, unknownVariables } from './environment.ts';

function command(): Command {
  return new Command('run')
    .option('--seed <n>', '', seedArgument)
    .option('--stop-after <n>', '', countArgument('--stop-after'))
    .option('--crds <path>', '', collect)
    .option('--report-dir <dir>')
    .addOption(choice('--network <kind>', '', ['none', 'host']))
    .option('--serialised')
    .option('--no-corpus')
    .action(() => {});
}

function flags(args: readonly string[], env: EnvVars): unknown {
  const parsed = command().parse([...args], { from: 'user' });
  applyEnvironment(parsed, env);
  return parsed.opts();
}

describe('flags from the environment', () => {
  it('take the name of the flag, and are parsed as it is', () => {
    const env = { STALEMATE_SEED: '7', STALEMATE_STOP_AFTER: ' 2 ', STALEMATE_REPORT_DIR: 'a b' };

    expect(flags([], env)).toEqual({ seed: 7, stopAfter: 2, reportDir: 'a b', corpus: true });
  });

  it('give way to the command line', () => {
    expect(flags(['--seed', '1', '--crds', 'x'], { STALEMATE_SEED: '7', STALEMATE_CRDS: 'y' })).toMatchObject({
      seed: 1,
      crds: ['x'],
    });
  });

  it('hold one value per line where a flag may come several times', () => {
    expect(flags([], { STALEMATE_CRDS: 'a\n  b c\n\n' })).toMatchObject({ crds: ['a', 'b c'] });
  });

  it('switch on what they say is on, and nothing else', () => {
    expect(flags([], { STALEMATE_SERIALISED: 'true', STALEMATE_NO_CORPUS: '1' })).toEqual({
      serialised: true,
      corpus: false,
    });
    expect(flags([], { STALEMATE_SERIALISED: '0', STALEMATE_NO_CORPUS: 'off', STALEMATE_SEED: '' })).toEqual({
      corpus: true,
    });
    expect(() => flags([], { STALEMATE_SERIALISED: 'maybe' })).toThrow(
      'got STALEMATE_SERIALISED="maybe", expected true or false',
    );
  });

  it('are named when their value is wrong', () => {
    expect(() => flags([], { STALEMATE_SEED: 'x' })).toThrow(/got seed "x".*; it comes from STALEMATE_SEED$/);
    expect(() => flags([], { STALEMATE_NETWORK: 'x' })).toThrow('got STALEMATE_NETWORK="x", expected none, host');
  });

  it('are warned of when no flag has that name, except what Kubernetes and this program set', () => {
    const env = {
      STALEMATE_REPORT_DIRS: 'x',
      STALEMATE_SERVICE_HOST: '10.0.0.1',
      STALEMATE_PORT_80_TCP: 'tcp://10.0.0.1:80',
      STALEMATE_LIFE: '1',
      STALEMATE_SEED: '1',
    };

    expect(unknownVariables(env, [command()])).toEqual([
      'STALEMATE_REPORT_DIRS is set, and no command has a flag of that name; did you mean STALEMATE_REPORT_DIR?',
    ]);
  });
});
