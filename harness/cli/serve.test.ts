import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { stalemate, startStalemate } from './test-bin.ts';

const CRD = fileURLToPath(new URL('../../controllers-under-test/releases/crd.yaml', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-serve-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('serve', () => {
  it('answers API requests, writes a kubeconfig and ends on Ctrl-C', async () => {
    const kubeconfig = join(folder, 'kubeconfig.yaml');
    const child = startStalemate(['serve', '--crds', CRD, '--write-kubeconfig', kubeconfig], folder);
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().replace('serving on ', '').trim()));
      child.once('exit', () => reject(new Error('the server ended')));
    });

    const releases = await fetch(`${url}/apis/delivery.example.com/v1/namespaces/default/releases`);
    const written = parse(readFileSync(kubeconfig, 'utf8')) as { clusters: readonly { cluster: { server: string } }[] };
    child.kill('SIGINT');

    expect(releases.status).toBe(200);
    expect(await releases.json()).toMatchObject({ kind: 'ReleaseList', items: [] });
    expect(written.clusters[0]?.cluster.server).toBe(url);
    expect(await exit).toBe(0);
  });

  it('refuses a port that is none, and a CRD that is missing', () => {
    expect(stalemate(['serve', '--port', '70000'])).toMatchObject({
      code: 2,
      stderr: 'stalemate: got port "70000", expected a whole number from 0 to 65535\n',
    });
    expect(stalemate(['serve', '--crds', 'no.yaml'], { cwd: folder }).stderr).toContain('"no.yaml" does not exist');
  });
});
