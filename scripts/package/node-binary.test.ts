import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkNode, nodeDigest, pinnedNode, PLATFORMS, type Platform } from './node-binary.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-node-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the bundled Node', () => {
  it.each(Object.keys(PLATFORMS) as Platform[])('has a digest for %s', (platform) => {
    expect(nodeDigest(pinnedNode(), platform)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is refused if its digest differs, or none is known', () => {
    const file = join(folder, 'node');
    writeFileSync(file, 'something else');

    expect(() => checkNode(file, pinnedNode(), 'linux-x64')).toThrow(
      /has the SHA-256 \w{64}, expected 7fde7b8a\w+ \(scripts\/node-digests\.json\)/,
    );
    expect(() => checkNode(file, '1.2.3', 'linux-x64')).toThrow('has no digest of Node 1.2.3 for linux-x64');
  });
});
