/**
 * Surveys a project: how its controller is started, its CRDs, its samples, its manifests, and its CI.
 *
 * Owns: running the detectors. Does not own: the detectors (`programs/`, `definitions.ts`, `samples.ts`), the use of the
 * results (`plan.ts`). Start at {@link survey}.
 */
import { mapOf } from 'stalemate-apiserver/objects/json';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { findDefinitions, type Definitions } from './definitions.ts';
import { goManifests, goProgram } from './programs/go.ts';
import { javaProgram } from './programs/java.ts';
import { nodeProgram } from './programs/node.ts';
import type { Program } from './programs/program.ts';
import { pythonProgram } from './programs/python.ts';
import { rustProgram } from './programs/rust.ts';
import { has, type Repository } from './repository.ts';
import { findSamples, type Samples } from './samples.ts';

export interface Survey {
  readonly program: Program | undefined;
  readonly definitions: Definitions;
  readonly samples: Samples;
  /** A kustomization that could be installed as a whole. */
  readonly manifests: string | undefined;
  readonly ci: CiKind;
}

export const CI_KINDS = ['github', 'gitlab', 'none'] as const;
export type CiKind = (typeof CI_KINDS)[number];

/**
 * @param pythonFor - Returns the interpreter that can import a module: that of the project's virtual environment, or `python3`.
 * @param wanted - The name of the program that the user wants to run, if any.
 */
export function survey(repository: Repository, pythonFor: (module: string) => string, wanted?: string): Survey {
  const definitions = findDefinitions(repository);
  const program = programOf(repository, pythonFor, wanted);
  return {
    program: program === undefined ? undefined : withScope(program, definitions.crds),
    definitions,
    samples: findSamples(repository, definitions.crds),
    manifests: goManifests(repository),
    ci: ciOf(repository),
  };
}

/**
 * Detects the program. The detectors are in order of preference for repositories with programs in several languages: operators
 * in Go often have tools in Python or Node beside them.
 */
function programOf(
  repository: Repository,
  pythonFor: (module: string) => string,
  wanted: string | undefined,
): Program | undefined {
  const detectors = [
    () => goProgram(repository, wanted),
    () => rustProgram(repository),
    () => javaProgram(repository),
    () => nodeProgram(repository),
    () => pythonProgram(repository, pythonFor),
  ];
  let first: Program | undefined;
  for (const detect of detectors) {
    const program = detect();
    // If a language has no program to start, its files may be a client library in the operator's repository.
    if (program !== undefined && (program.command.length > 0 || program.target !== undefined)) return program;
    first ??= program;
  }
  return first;
}

/** Watches all namespaces if a kind is cluster-scoped: restricted to a namespace, the program would not see its objects. */
function withScope(program: Program, crds: readonly KubeObject[]): Program {
  const outside = crds.some(({ spec }) => mapOf(spec)['scope'] === 'Cluster');
  if (!outside || !program.command.includes('--namespace={namespace}')) return program;
  const command = program.command.map((word) => (word === '--namespace={namespace}' ? '--all-namespaces' : word));
  return { ...program, command };
}

function ciOf(repository: Repository): CiKind {
  if (repository.files.some((file) => file.startsWith('.github/'))) return 'github';
  return has(repository, '.gitlab-ci.yml') ? 'gitlab' : 'none';
}
