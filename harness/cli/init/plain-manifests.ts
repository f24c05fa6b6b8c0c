/**
 * Finds a project's plain manifests: the file of its workload, and the files beside it that give its service account roles.
 *
 * Pure. Start at {@link plainManifests}.
 */
import { posix } from 'node:path';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { accountOfWorkload, binds, isRoleOf, type Account } from '../../execution/project/account.ts';
import { ASIDE, isController } from './deployed.ts';
import { objectsIn } from './objects-in.ts';
import type { Repository } from './repository.ts';

interface Manifests {
  readonly path: string;
  readonly objects: readonly KubeObject[];
}

const KINDS = /^kind:\s*["']?(?:Deployment|StatefulSet|ServiceAccount|(?:Cluster)?Role(?:Binding)?)\b/m;

/**
 * Returns sets of files, each with the controller's workload and the roles of its service account; the set that needs the fewest files first.
 *
 * @param names - Possible names of the program and its image.
 */
export function plainManifests(repository: Repository, names: readonly string[]): readonly (readonly string[])[] {
  const all = repository.files
    .filter((file) => /\.ya?ml$/.test(file) && !ASIDE.test(file) && KINDS.test(repository.text(file)))
    .map((path) => ({ path, objects: objectsIn(path, repository.text(path)) }));
  return all
    .flatMap((file) => {
      const deployment = file.objects.find((object) => isController(object, names));
      const set = deployment === undefined ? undefined : withRoles(file, accountOfWorkload(deployment), all);
      return set === undefined ? [] : [set];
    })
    .toSorted((a, b) => a.needed - b.needed)
    .map(({ paths }) => paths);
}

interface FileSet {
  readonly paths: readonly string[];
  /** The number of files, without those that only add further roles. */
  readonly needed: number;
}

/** Returns the files of a folder that bind the account, and those with the bound roles; undefined if no file binds it. */
function withRoles(file: Manifests, account: Account, all: readonly Manifests[]): FileSet | undefined {
  const folder = posix.dirname(file.path);
  const near = [file, ...all.filter((one) => one !== file && posix.dirname(one.path) === folder)];
  const chosen = new Set([file]);
  const take = (is: (object: KubeObject) => boolean): KubeObject | undefined => {
    for (const one of [...chosen, ...near]) {
      const found = one.objects.find(is);
      if (found === undefined) continue;
      chosen.add(one);
      return found;
    }
    return undefined;
  };
  const binding = take((object) => binds(object, account));
  if (binding === undefined || take((object) => isRoleOf(object, binding)) === undefined) return undefined;
  take(({ kind: other, metadata }) => other === 'ServiceAccount' && metadata.name === account.name);
  const needed = chosen.size;
  // The account may have several roles, each in a file of its own.
  const bindings = [...chosen].flatMap(({ objects }) => objects.filter((object) => binds(object, account)));
  for (const other of bindings) {
    const further = near.find(
      ({ objects }) => objects.some((object) => isRoleOf(object, other)) && objects.every(isRight),
    );
    if (further !== undefined) chosen.add(further);
  }
  return { paths: [...chosen].map(({ path }) => path), needed };
}

/** Reports whether an object is a role or a role binding. */
function isRight({ kind }: KubeObject): boolean {
  return /^(?:Cluster)?Role(?:Binding)?$/.test(kind);
}
