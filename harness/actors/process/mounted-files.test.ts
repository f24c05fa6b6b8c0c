import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mountFolders, writeEntries } from './mounted-files.ts';

const text = (content: string): Uint8Array => Buffer.from(content);

describe('a mounted folder', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'stalemate-mounts-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const folders = (): { files: string; home: string; pod: string } => ({
    files: join(root, 'files'),
    home: join(root, 'home'),
    pod: join(root, 'pod'),
  });
  const visible = (): readonly string[] =>
    readdirSync(join(root, 'files/certs')).filter((name) => !name.startsWith('..'));

  it('has its files replaced all at once, as a kubelet does', () => {
    mountFolders([{ path: '/certs', entries: { 'tls.crt': text('one'), old: text('gone soon') } }], folders());
    const file = join(root, 'files/certs/tls.crt');
    const before = realpathSync(file);

    writeEntries({ path: '/certs', entries: { 'tls.crt': text('two'), 'tls.key': text('key') } }, folders());

    expect(readFileSync(file, 'utf8')).toBe('two');
    expect(visible()).toEqual(['tls.crt', 'tls.key']);
    // The old file is gone, so a watch of the file that the links point to is notified.
    expect(statSync(before, { throwIfNoEntry: false })).toBeUndefined();
    expect(readdirSync(join(root, 'files/certs')).filter((name) => name.startsWith('..'))).toEqual(['..2', '..data']);
  });

  it('is found in the temporary folder of the life as well, where a pod has it below /tmp', () => {
    mountFolders(
      [
        { path: '/tmp/server/certs', entries: {} },
        { path: '/tmp/server', entries: { a: text('1') } },
      ],
      folders(),
    );
    writeEntries({ path: '/tmp/server/certs', entries: { 'tls.crt': text('made later') } }, folders());
    writeEntries({ path: '/tmp/server', entries: { a: text('2'), certs: text('never seen') } }, folders());

    expect(readFileSync(join(root, 'home/server/certs/tls.crt'), 'utf8')).toBe('made later');
    expect(readFileSync(join(root, 'home/server/a'), 'utf8')).toBe('2');
  });

  it('holds nothing outside of itself', () => {
    mountFolders([{ path: '/../../certs', entries: { '../../../escaped': text('x') } }], folders());

    expect(readdirSync(root)).toEqual(['files']);
    expect(readFileSync(join(root, 'files/certs/escaped'), 'utf8')).toBe('x');
  });
});
