/** Lists processes of this machine, for tests that check that none is left. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Returns the command lines that contain `text`, one per line; from /proc if it exists, else from `ps`. */
export function processesNaming(text: string): string {
  const lines = existsSync('/proc/self/cmdline') ? linesOfProc() : linesOfPs();
  return lines.filter((line) => line.includes(text)).join('\n');
}

function linesOfProc(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
      } catch {
        // The process has ended.
        return [];
      }
    });
}

function linesOfPs(): readonly string[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n');
}
