import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeFolder } from './remove-folder.ts';

let root: string;
let life: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stalemate-remove-'));
  life = join(root, 'life');
  mkdirSync(join(life, 'a', 'b'), { recursive: true });
  mkdirSync(join(root, 'precious'));
  writeFileSync(join(root, 'precious', 'file'), 'kept');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('the folder of a life', () => {
  it('is removed with all that is in it', async () => {
    writeFileSync(join(life, 'a', 'b', 'file'), '');
    writeFileSync(Buffer.concat([Buffer.from(`${life}/a/`), Buffer.from([0xff, 0xfe])]), '');

    await removeFolder(life);

    expect(existsSync(life)).toBe(false);
    await expect(removeFolder(life)).resolves.toBeUndefined();
  });

  it('is removed without what its links lead to', async () => {
    symlinkSync(join(root, 'precious'), join(life, 'a', 'link'));

    await removeFolder(life);

    expect(existsSync(life)).toBe(false);
    expect(readFileSync(join(root, 'precious', 'file'), 'utf8')).toBe('kept');
  });

  it('is not followed where it became a link itself', async () => {
    rmSync(life, { recursive: true });
    symlinkSync(join(root, 'precious'), life);

    await expect(removeFolder(life)).rejects.toThrow(/ENOTDIR|ELOOP/);
    expect(readFileSync(join(root, 'precious', 'file'), 'utf8')).toBe('kept');
  });

  // Needs perl, whose `syscall` function takes the number of the system call (renameat2).
  it.runIf(process.arch === 'x64' && spawnSync('perl', ['-v']).status === 0)(
    'leads nowhere while a program exchanges folders in it for links',
    async () => {
      const script = '$| = 1; print "x"; while (1) { syscall(316, -100, $ARGV[0], -100, $ARGV[1], 2) }';
      const exchanging = spawn('perl', ['-e', script, join(life, 'folder'), join(life, 'link')]);
      await once(exchanging.stdout, 'data');
      try {
        for (let round = 0; round < 300; round++) {
          if (existsSync(life)) renameSync(life, join(root, `left-${round}`));
          const made = join(root, 'made');
          mkdirSync(join(made, 'folder'), { recursive: true });
          for (const name of ['1', '2', '3']) writeFileSync(join(made, 'folder', name), '');
          symlinkSync(join(root, 'precious'), join(made, 'link'));
          renameSync(made, life);
          try {
            await removeFolder(life);
          } catch {
            // A folder that changed during the removal is not removed.
          }
          expect(existsSync(join(root, 'precious', 'file'))).toBe(true);
        }
      } finally {
        exchanging.kill('SIGKILL');
      }
      await once(exchanging, 'exit');
    },
  );
});
