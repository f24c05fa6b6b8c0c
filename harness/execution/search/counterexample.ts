/** Converts a configuration into the subject that a worker gets, and into the data that is stored with a failure. */
import path from 'node:path';
import type { Violation } from '../../model/check-result.ts';
import type { Counterexample, CounterexampleTarget, StoredProgram } from '../../model/counterexample.ts';
import type { Trial } from '../../model/trial.ts';
import type { Subject } from '../subject.ts';
import { given } from '../../model/given.ts';
import type { RunConfig } from '../config/run-config.ts';
import { unusualManner } from '../config/process-target.ts';
import { versions } from '../versions.ts';

/** Returns the part of a configuration that a worker needs. */
export function subjectOf(config: RunConfig): Subject {
  const { target, process, transport, cluster, toxiproxy, existing, kindAccess, crds, samples, project } = config;
  const { namespace, declared, configFile, reportDir } = config;
  return {
    ...{ target, process, transport, cluster, toxiproxy, existing, ...given({ kindAccess }) },
    ...{ crds, samples, project, namespace, declared, configFile, reportDir },
    // The runs of a campaign differ by workload and schedule, never by the ids that the server draws.
    settings: { ...config.settings, seed: 1 },
    properties: config.properties.map((property) => property.name),
  };
}

/** Returns the stored form of the target: its paths relative to the working directory of the configuration. */
export function storedTarget({ target, process: started, transport, cwd }: RunConfig): CounterexampleTarget {
  if (started === null || target !== '') return { module: relative(cwd, target), transport };
  const { command, cwd: directory, programs } = started;
  const beside = Object.entries(programs ?? {}).map(([name, program]) => [
    name,
    { command: program.command, directory: relative(cwd, program.cwd), ...unusualManner(program) },
  ]);
  return {
    command,
    directory: relative(cwd, directory),
    ...(beside.length === 0 ? {} : { programs: Object.fromEntries(beside) }),
    ...unusualManner(started),
  };
}

/** Returns the target with its paths, which are relative to `from`, made relative to `to`. */
export function targetFrom(target: CounterexampleTarget, from: string, to: string): CounterexampleTarget {
  const moved = (file: string): string => relative(to, path.resolve(from, file));
  if ('module' in target) return { ...target, module: moved(target.module) };
  const beside = Object.entries(target.programs ?? {}).map(([name, program]) => [
    name,
    { ...program, directory: moved(program.directory) },
  ]);
  return {
    ...target,
    directory: moved(target.directory),
    ...(beside.length === 0 ? {} : { programs: Object.fromEntries(beside) }),
  };
}

/** Reports whether a stored target is the configured one, regardless of the working directory. */
export function isAbout(kept: CounterexampleTarget, config: RunConfig): boolean {
  const mine = storedTarget(config);
  return [config.corpus.home, config.cwd].some((folder) => isSameTarget(mine, targetFrom(kept, folder, config.cwd)));
}

/**
 * Reports whether two targets are the same, with paths relative to the same folder. Compares the programs only: arguments change with the
 * deployment.
 */
export function isSameTarget(one: CounterexampleTarget, other: CounterexampleTarget): boolean {
  if ('module' in one) return 'module' in other && other.module === one.module;
  return 'command' in other && isSameProgram(one, other) && areSamePrograms(one.programs ?? {}, other.programs ?? {});
}

function isSameProgram(one: StoredProgram, other: StoredProgram): boolean {
  return other.command[0] === one.command[0] && other.directory === one.directory;
}

function areSamePrograms(one: StoredPrograms, other: StoredPrograms): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    Object.entries(one).every(([name, program]) => {
      const { [name]: same } = other;
      return same !== undefined && isSameProgram(program, same);
    })
  );
}

type StoredPrograms = { readonly [name: string]: StoredProgram };

function relative(from: string, to: string): string {
  return path.relative(from, to).split(path.sep).join('/') || '.';
}

/** Returns everything needed to run a failed trial with a stored schedule again. */
export function counterexampleOf(trial: Trial, violation: Violation, config: RunConfig): Counterexample {
  return {
    version: 1,
    kind: 'counterexample',
    ...given({ signature: violation.signature, cause: violation.cause }),
    sentence: violation.sentence,
    target: storedTarget(config),
    namespace: config.namespace,
    ...(config.cluster === 'embedded' ? {} : { cluster: config.cluster }),
    crds: config.crds,
    ...(config.project === null ? {} : { project: config.project }),
    workload: trial.workload,
    schedule: trial.schedule,
    config: subjectOf(config).settings,
    foundWith: versions(),
  };
}
