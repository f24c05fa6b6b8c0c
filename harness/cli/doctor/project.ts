/** Checks the working directory: a valid configuration, and writable folders. */
import { existsSync, rmdirSync, rmSync, statfsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { findConfigFile, loadConfigFile } from '../../execution/config/config-file.ts';
import type { StalemateOptions } from '../../execution/config/options.ts';
import { countText } from '../../report/count-text.ts';
import { writeWhole } from '../../report/write-files.ts';
import type { Console } from '../console.ts';
import { lacking, ok, probed, type Check } from './check.ts';
import { stateFolder } from '../../report/state-folder.ts';

export interface ProjectChecks {
  readonly options: StalemateOptions;
  readonly checks: readonly Check[];
}

/** @param file - The configuration file, if given. */
export async function projectChecks(file: string | undefined, { cwd, called }: Console): Promise<ProjectChecks> {
  const configFile = file ?? findConfigFile(cwd);
  let options: StalemateOptions = {};
  const configuration =
    configFile === undefined
      ? lacking('configuration', `none in ${cwd}`, `${called} init`, false)
      : await probed('configuration', true, async () => {
          options = await loadConfigFile(configFile);
          const { resolveRun } = await import('../library.ts');
          const config = resolveRun(options, { cwd, configFile });
          return `${basename(configFile)}: ${countText(config.crds.length, 'CRD')}, ${countText(config.samples.length, 'sample')}, ${config.properties.length} properties`;
        });
  const reports = resolve(cwd, options.reportDir ?? '.stalemate');
  return {
    options,
    checks: [
      configuration,
      await writable('report folder', reports, true, 'name another one with --report-dir'),
      await writable(
        'state folder',
        stateFolder(),
        false,
        'set XDG_STATE_HOME to a writable folder: without it, replays use placeholders instead of secrets',
      ),
    ],
  };
}

/** Minimum of free disk space, in bytes. A single finding is small, but a nightly run may write many. */
const DISK_MIN = 200 * 1024 * 1024;

async function writable(name: string, folder: string, needed: boolean, fix: string): Promise<Check> {
  // A missing folder is created for the check, and removed afterwards.
  const made = existsSync(folder) ? undefined : uppermostMissing(folder);
  const written = await probed(name, needed, () => {
    const probe = join(folder, '.doctor');
    writeWhole(probe, '');
    rmSync(probe, { force: true });
    return folder;
  });
  if (written.state !== 'ok') return lacking(name, written.found, fix, needed);
  const { bavail, bsize } = statfsSync(folder);
  if (made !== undefined) removeEmpty(folder, made);
  const free = bavail * bsize;
  const found = `${folder}, ${Math.round(free / 1024 / 1024)} MiB free`;
  return free >= DISK_MIN ? ok(name, found) : lacking(name, found, `make room: ${fix}`, needed);
}

/** Removes a folder and its parents up to `last`, as long as they are empty: another process may have begun to use them. */
export function removeEmpty(folder: string, last: string): void {
  try {
    rmdirSync(folder);
  } catch {
    return;
  }
  if (folder !== last) removeEmpty(dirname(folder), last);
}

function uppermostMissing(folder: string): string {
  const parent = dirname(folder);
  return existsSync(parent) ? folder : uppermostMissing(parent);
}
