/** Detects programs in Rust with kube-rs, used directly or through another crate: a debug build of the binary that is the controller. */
import { posix } from 'node:path';
import { placeIn, type Repository } from '../repository.ts';
import type { Program } from './program.ts';

/** A package that uses kube-rs, with at least one binary. */
interface Package {
  readonly name: string;
  readonly binaries: readonly string[];
}

const KUBE = /^\s*(?:\[.*dependencies\.)?kube(?:-runtime)?\b/m;
/** Names of binaries that are usually not the controller. */
const TOOL = /crd|cli$|ctl$|gen$|xtask|example|test/i;
/** Names of controllers, the most telling one first. */
const CONTROLLER = [/operator/, /controller/, /manager/];

export function rustProgram(repository: Repository): Program | undefined {
  const manifests = repository.files.filter((file) => posix.basename(file) === 'Cargo.toml');
  const users = usersOfKube(manifests.map((file) => lockBeside(repository, file)));
  const packages = manifests
    .flatMap((file) => packageIn(repository, file, users))
    .toSorted((a, b) => placeIn(CONTROLLER, a.name) - placeIn(CONTROLLER, b.name));
  const [first] = packages;
  if (first === undefined) return undefined;
  const all = packages.flatMap(({ binaries }) => binaries);
  const [binary = first.name] = first.binaries.toSorted(
    (a, b) => Number(TOOL.test(a)) - Number(TOOL.test(b)) || placeIn(CONTROLLER, a) - placeIn(CONTROLLER, b),
  );
  const others = all.filter((name) => name !== binary && !TOOL.test(name));
  return {
    language: 'Rust, kube-rs',
    command: [`target/debug/${binary}`],
    elects: false,
    build: ['cargo', 'build', ...(manifests.length > 1 ? ['--package', first.name] : []), '--bin', binary],
    setUp: 'rust',
    notes: others.length > 0 ? [`${binary} is taken for the controller; there are also ${others.join(', ')}`] : [],
  };
}

/** Returns the package of a manifest; none if it has no binary, does not use kube-rs, or only describes a workspace. */
function packageIn({ text, files }: Repository, manifest: string, users: ReadonlySet<string>): readonly Package[] {
  const toml = text(manifest);
  const name = /^\[package\][^[]*?^name\s*=\s*"([^"]+)"/ms.exec(toml)?.[1];
  if (name === undefined || !(KUBE.test(toml) || users.has(name))) return [];
  const folder = posix.dirname(manifest);
  const below = (path: string): string => posix.join(folder, path);
  const blocks = toml.split(/^(?=\[)/m).filter((block) => block.startsWith('[[bin]]'));
  const valueIn = (block: string, key: string): string | undefined =>
    new RegExp(`^${key}\\s*=\\s*"([^"]+)"`, 'm').exec(block)?.[1];
  const declared = blocks.flatMap((block) => valueIn(block, 'name') ?? []);
  const named = new Set(blocks.flatMap((block) => below(valueIn(block, 'path') ?? '')));
  // Cargo also builds what it finds, unless a declared binary names the file.
  const found = files.flatMap((file) => {
    if (named.has(file)) return [];
    if (file === below('src/main.rs')) return [name];
    const inBin = file.startsWith(below('src/bin/')) ? file.slice(below('src/bin/').length) : '';
    return /^([^/]+)(?:\.rs|\/main\.rs)$/.exec(inBin)?.[1] ?? [];
  });
  const binaries = [...new Set([...declared, ...found])];
  return binaries.length === 0 ? [] : [{ name, binaries }];
}

/** Returns the lock file beside a manifest; empty if there is none. */
function lockBeside({ text }: Repository, manifest: string): string {
  return text(posix.join(posix.dirname(manifest), 'Cargo.lock'));
}

/** Returns the names of packages that depend on kube-rs, directly or through others, according to lock files. */
function usersOfKube(locks: readonly string[]): ReadonlySet<string> {
  const usedBy = new Map<string, string[]>();
  for (const block of locks.flatMap((lock) => lock.split('[[package]]'))) {
    const name = /^name = "([^"]+)"/m.exec(block)?.[1];
    const list = /^dependencies = \[([^\]]*)\]/m.exec(block)?.[1] ?? '';
    if (name === undefined) continue;
    // An entry is a name, followed by a version if there are several: "kube 0.98.0".
    for (const [, used = ''] of list.matchAll(/"([^" ]+)/g)) usedBy.set(used, [...(usedBy.get(used) ?? []), name]);
  }
  const users = new Set(['kube', 'kube-runtime']);
  for (const used of users) for (const user of usedBy.get(used) ?? []) users.add(user);
  return users;
}
