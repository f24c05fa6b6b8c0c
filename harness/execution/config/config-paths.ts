/** Paths of a configuration file: relative to its folder in the file, absolute afterwards. */
import { resolve } from 'node:path';
import type { StalemateOptions } from './options.ts';
import { absoluteFindingOptions } from './config-findings.ts';
import { resolveKind } from './kind-options.ts';

export function absolute(options: StalemateOptions, folder: string): StalemateOptions {
  const from = (path: string): string => resolve(folder, path);
  return {
    ...options,
    ...(options.target === undefined ? {} : { target: from(options.target) }),
    ...(options.crds === undefined ? {} : { crds: options.crds.map(from) }),
    ...(options.samples === undefined ? {} : { samples: options.samples.map(from) }),
    ...(options.manifests === undefined ? {} : { manifests: options.manifests.map(from) }),
    ...(options.toxiproxy === undefined ? {} : { toxiproxy: from(options.toxiproxy) }),
    ...(options.command === undefined && options.directory === undefined
      ? {}
      : { directory: from(options.directory ?? '.') }),
    ...(options.programs === undefined
      ? {}
      : {
          programs: Object.fromEntries(
            Object.entries(options.programs).map(([name, program]) => [
              name,
              { ...program, directory: from(program.directory ?? '.') },
            ]),
          ),
        }),
    ...(options.kubeconfig === undefined ? {} : { kubeconfig: from(options.kubeconfig) }),
    ...(options.reportDir === undefined ? {} : { reportDir: from(options.reportDir) }),
    ...(typeof options.answers === 'string' ? { answers: from(options.answers) } : {}),
    ...(options.kind === undefined ? {} : { kind: resolveKind(options.kind, folder) }),
    ...absoluteFindingOptions(options, from),
  };
}
