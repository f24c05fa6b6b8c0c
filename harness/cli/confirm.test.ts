/** Whether findings are confirmed on a real server, and for how long. `harness/test/envtest-runs.test.ts` tests the confirmation itself. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunConfig } from '../execution/config/run-config.ts';
import type { CampaignResult, Finding } from '../model/finding.ts';
import { lostUpdate } from '../report/test-findings.ts';
import { confirmBudget, confirmRun, planConfirmation } from './confirm.ts';
import { shareOf } from './base-build.ts';

/** The only options that the decision depends on. */
const on = (cluster: RunConfig['cluster'], confirm: RunConfig['confirm'] = null): RunConfig =>
  ({ cluster, confirm }) as RunConfig;
const found = (elapsedMs: number): { readonly elapsedMs: number; readonly findings: readonly Finding[] } => ({
  elapsedMs,
  findings: [{}, {}] as Finding[],
});

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('--confirm', () => {
  it('is nothing to findings of a real server', async () => {
    expect(await planConfirmation(undefined, on('envtest'))).toEqual({ why: undefined });
    expect(await planConfirmation('none', on('kind'))).toEqual({ why: undefined });
    await expect(planConfirmation('kind', on('envtest'))).rejects.toThrow(
      /got --confirm kind with cluster "envtest".*leave one of the two out/,
    );
  });

  it('is what the configuration says, unless a flag says something else', async () => {
    vi.stubEnv('TEST_ASSET_ETCD', '/nowhere/etcd');

    await expect(planConfirmation(undefined, on('embedded', 'envtest'))).rejects.toThrow(/TEST_ASSET_ETCD/);
    expect(await planConfirmation('none', on('embedded', 'envtest'))).toEqual({ why: undefined });
    expect(await planConfirmation(undefined, on('envtest', 'envtest'))).toEqual({ why: undefined });
  });

  it('needs binaries where it is asked for, and is left out with a reason where it is not', async () => {
    vi.stubEnv('TEST_ASSET_ETCD', '/nowhere/etcd');

    await expect(planConfirmation('envtest', on('embedded'))).rejects.toThrow(/TEST_ASSET_ETCD/);
    expect(await planConfirmation(undefined, on('embedded'))).toHaveProperty('why');
  });

  it('takes no longer than the search unless it is asked for', () => {
    expect(confirmBudget({ isAsked: false }, found(4_200))).toEqual({ why: expect.stringContaining('in 4.2 s') });
    expect(confirmBudget({ isAsked: false }, found(25_000))).toEqual({ timeMs: 25_000 });
    expect(confirmBudget({ isAsked: false }, found(600_000))).toEqual({ timeMs: 60_000 });
    expect(confirmBudget({ isAsked: true }, found(4_200))).toEqual({ timeMs: 600_000 });
  });

  it('gives each finding a share of the time, and what those before it have left', () => {
    expect(shareOf(240_000, 2)).toBe(120_000);
    expect(shareOf(240_000 - 10_000, 1)).toBe(230_000);
  });

  it('keeps what the search came to when no server comes up', async () => {
    vi.stubEnv('PATH', '/nowhere');
    const findings = [lostUpdate(), lostUpdate()];
    const result = { ...found(4_200), findings, outcome: 'violated', besides: 'holds' } as unknown as CampaignResult;
    const said: string[] = [];
    const confirmed = vi.fn<(finding: Finding) => void>();

    const module = { target: import.meta.filename, process: null, transport: 'http-library', cwd: import.meta.dirname };
    const config = { ...on('embedded'), ...module, settings: {}, configFile: null, existing: null, reportDir: '.' };

    const after = await confirmRun(result, { on: 'kind', isAsked: true }, config as RunConfig, {
      ...{ print: (text) => void said.push(text), onCluster: () => {}, signal: new AbortController().signal },
      confirmed,
    });

    expect(after).toEqual(result);
    expect(said.at(-1)).toMatch(/^embedded only: no kind cluster can be made: there is no "kind" on the PATH/);
    expect(confirmed).not.toHaveBeenCalled();
  });
});
