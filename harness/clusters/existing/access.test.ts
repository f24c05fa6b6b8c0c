import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { HarnessError } from '../../model/errors.ts';
import { chooseCluster } from './access.ts';

const folder = mkdtempSync(join(tmpdir(), 'access-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function kubeconfig(name: string, contexts: { readonly [context: string]: string }): string {
  const file = join(folder, name);
  const entries = Object.entries(contexts);
  writeFileSync(
    file,
    stringify({
      'current-context': entries[0]?.[0],
      clusters: entries.map(([context, server]) => ({ name: `of-${context}`, cluster: { server } })),
      users: [],
      contexts: entries.map(([context]) => ({ name: context, context: { cluster: `of-${context}`, user: '' } })),
    }),
  );
  return file;
}

const LOCAL = 'http://127.0.0.1:1';
const REMOTE = 'https://prod.example.com:6443';

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof HarnessError) return `${error.exitCode} ${error.message}`;
  }
  return 'let through';
}

describe('a cluster is named, never found', () => {
  const local = kubeconfig('local', { mine: LOCAL });

  it('refuses when only the environment leads somewhere', () => {
    const home = join(folder, 'home');
    mkdirSync(join(home, '.kube'), { recursive: true });
    writeFileSync(join(home, '.kube', 'config'), '');
    const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

    for (const environment of [{ KUBECONFIG: local }, { HOME: home }, pod])
      expect(refusal(() => chooseCluster({}, folder, environment))).toMatch(
        /^5 got cluster "existing" without a cluster/,
      );
    expect(refusal(() => chooseCluster({ prefix: 'mine', allowed: ['mine'] }, folder, { KUBECONFIG: local }))).toMatch(
      /^5 /,
    );
  });

  it('takes the file that is named and no other', () => {
    const other = kubeconfig('other', { other: 'http://127.0.0.1:2' });

    expect(chooseCluster({ kubeconfig: 'local' }, folder, { KUBECONFIG: other })).toMatchObject({
      kubeconfig: local,
      context: 'mine',
      prefix: 'stalemate',
    });
  });

  it('finds a context by its exact name alone', () => {
    const environment = { KUBECONFIG: `${kubeconfig('first', { elsewhere: REMOTE })}:${local}` };

    expect(chooseCluster({ context: 'mine' }, folder, environment)).toMatchObject({
      kubeconfig: local,
      context: 'mine',
    });
    for (const context of ['min', 'mine ', 'MINE'])
      expect(refusal(() => chooseCluster({ context }, folder, environment))).toMatch(/^2 found no context/);
  });
});
