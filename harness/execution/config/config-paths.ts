/** Makes paths absolute if they are relative to the configuration file's folder. */
import { resolve } from 'node:path';
import { given } from '../../model/given.ts';
import type { ProgramOptions, StalemateOptions } from './options.ts';
import { absoluteFindingOptions } from './config-findings.ts';
import { resolveKind } from './kind-options.ts';

export function absolute(options: StalemateOptions, folder: string): StalemateOptions {
  const from = (path: string): string => resolve(folder, path);
  const one = (path: string | undefined): string | undefined => (path === undefined ? undefined : from(path));
  const { target, crds, samples, manifests, toxiproxy, command, directory, programs, kubeconfig } = options;
  const { reportDir, answers, kind } = options;
  const beside = (of: ProgramOptions): ProgramOptions => ({ ...of, directory: from(of.directory ?? '.') });
  return {
    ...options,
    ...given({
      ...{ target: one(target), toxiproxy: one(toxiproxy), kubeconfig: one(kubeconfig), reportDir: one(reportDir) },
      ...{ crds: crds?.map(from), samples: samples?.map(from), manifests: manifests?.map(from) },
      directory: command === undefined && directory === undefined ? undefined : from(directory ?? '.'),
      programs: programs && Object.fromEntries(Object.entries(programs).map(([name, of]) => [name, beside(of)])),
      answers: typeof answers === 'string' ? from(answers) : undefined,
      kind: kind && resolveKind(kind, folder),
    }),
    ...absoluteFindingOptions(options, from),
  };
}
