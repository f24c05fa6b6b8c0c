/**
 * Builds the programs of a control plane from their Go modules into the user's cache folder, once per machine and version.
 *
 * Owns: the scratch modules (`go install` refuses k8s.io/kubernetes because its go.mod replaces the staging modules), the lock that
 * parallel callers wait for, and the rename into place, so that an interrupted build leaves no incomplete file behind.
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, open, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'zx';
import {
  cacheFolder,
  ETCD_VERSION,
  findProgram,
  KUBERNETES_VERSION,
  KWOK_VERSION,
  PROGRAMS,
  TOXIPROXY_VERSION,
  userCache,
  type Program,
} from 'stalemate-apiserver/control-plane/binaries';

const GO = 'https://go.dev/dl/';
const KUBERNETES = 'k8s.io/kubernetes';
/** The builder touches its lock this often; a lock that was not touched for LOCK_DEAD_MS is from a process that died. */
const LOCK_TOUCH_MS = 5000;
const LOCK_DEAD_MS = 60_000;

/** Builds missing programs and returns the path of each. */
export async function build(programs: readonly Program[] = PROGRAMS): Promise<ReadonlyMap<Program, string>> {
  await mkdir(cacheFolder(), { recursive: true });
  for (const program of ['toxiproxy-server', 'kwok'] as const)
    await mkdir(cacheFolder(process.env, program), { recursive: true });
  if (missing(programs).length > 0) {
    const unlock = await lock(programs);
    try {
      const wanted = missing(programs);
      if (wanted.length > 0) await buildAll(wanted);
    } finally {
      await unlock();
    }
  }
  return new Map(programs.map((program) => [program, findProgram(program) ?? '']));
}

function missing(programs: readonly Program[]): readonly Program[] {
  return programs.filter((program) => findProgram(program) === undefined);
}

async function buildAll(programs: readonly Program[]): Promise<void> {
  const version = await $({ nothrow: true })`go version`;
  if (version.exitCode !== 0)
    throw new Error(
      `building ${programs.join(', ')} needs Go 1.26 or newer and found none; install it from ${GO}, or point KUBEBUILDER_ASSETS at envtest's binaries`,
    );
  console.log(`building ${programs.join(', ')} into ${cacheFolder(process.env, programs[0])} at low priority`);
  if (programs.some((program) => program.startsWith('kube')))
    console.log('(about five minutes and 4 GB of Go caches from cold ones, one minute from warm ones)');
  const folder = await mkdtemp(join(tmpdir(), 'control-plane-'));
  const began = Date.now();
  try {
    if (programs.includes('toxiproxy-server')) await buildToxiproxy(folder);
    if (programs.includes('etcd')) await buildEtcd(folder);
    if (programs.includes('kwok')) await buildKwok(folder);
    const kubernetes = programs.filter((program) => program.startsWith('kube'));
    if (kubernetes.length > 0) await buildKubernetes(folder, kubernetes);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  console.log(`built ${programs.length} programs in ${seconds(began)}`);
}

async function buildToxiproxy(parent: string): Promise<void> {
  const name = 'github.com/Shopify/toxiproxy/v2';
  const command = `${name}/cmd/server`;
  const folder = await scratchModule(parent, 'toxiproxy', [`require ${name} ${TOXIPROXY_VERSION}`], [command]);
  await goBuild(folder, 'toxiproxy-server', command, `-s -w -X ${name}.Version=${TOXIPROXY_VERSION.slice(1)}`);
}

async function buildEtcd(parent: string): Promise<void> {
  const name = 'go.etcd.io/etcd/server/v3';
  const folder = await scratchModule(parent, 'etcd', [`require ${name} ${ETCD_VERSION}`], [name]);
  await goBuild(folder, 'etcd', name, '-s -w');
}

async function buildKwok(parent: string): Promise<void> {
  const name = 'sigs.k8s.io/kwok';
  const command = `${name}/cmd/kwok`;
  const folder = await scratchModule(parent, 'kwok', [`require ${name} ${KWOK_VERSION}`], [command]);
  await goBuild(folder, 'kwok', command, `-s -w -X ${name}/pkg/consts.Version=${KWOK_VERSION}`);
}

async function buildKubernetes(parent: string, programs: readonly Program[]): Promise<void> {
  const { folder, flags } = await kubernetesModule(parent, KUBERNETES_VERSION, programs);
  for (const program of programs) await goBuild(folder, program, `${KUBERNETES}/cmd/${program}`, flags);
}

/** Builds one program of another Kubernetes release unless it is in the cache, and returns its path. */
export async function buildRelease(program: Program, version: string): Promise<string> {
  const cache = join(userCache(), 'kubernetes', version);
  const target = join(cache, program);
  if (existsSync(target)) return target;
  await mkdir(cache, { recursive: true });
  const parent = await mkdtemp(join(cache, '.build-'));
  try {
    const { folder, flags } = await kubernetesModule(parent, version, [program]);
    await rename(await compiled(folder, program, `${KUBERNETES}/cmd/${program}`, flags), target);
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
  return target;
}

/** Creates a module for building programs of a Kubernetes release, and returns it with the linker flags. */
async function kubernetesModule(
  parent: string,
  version: string,
  programs: readonly Program[],
): Promise<{ readonly folder: string; readonly flags: string }> {
  const download = await $({ cwd: parent })`go mod download -json ${KUBERNETES}@${version}`;
  const { GoMod } = JSON.parse(download.stdout) as { readonly GoMod: string };
  const staging = (await readFile(GoMod, 'utf8')).matchAll(/^\s*(k8s\.io\/[a-z0-9-]+) v0\.0\.0$/gm);
  const names = [...new Set([...staging].map(([, found]) => found ?? ''))];
  const replaced = names.map((one) => `replace ${one} => ${one} ${version.replace('v1.', 'v0.')}`);
  const commands = programs.map((program) => `${KUBERNETES}/cmd/${program}`);
  const requirement = `require ${KUBERNETES} ${version}`;
  const folder = await scratchModule(parent, 'kubernetes', [requirement, '', ...replaced], commands);
  // Otherwise /version has no numeric version, which clients fail to parse.
  const stamp = 'k8s.io/component-base/version';
  const [, minor = ''] = version.split('.');
  const flags = `-s -w -X ${stamp}.gitVersion=${version} -X ${stamp}.gitMajor=1 -X ${stamp}.gitMinor=${minor}`;
  return { folder, flags };
}

async function scratchModule(
  parent: string,
  name: string,
  lines: readonly string[],
  imports: readonly string[],
): Promise<string> {
  const folder = join(parent, name);
  await mkdir(folder);
  await writeFile(join(folder, 'go.mod'), ['module control-plane', '', 'go 1.26.0', '', ...lines, ''].join('\n'));
  const tools = ['//go:build tools', '', 'package tools', '', ...imports.map((one) => `import _ "${one}"`), ''];
  await writeFile(join(folder, 'tools.go'), tools.join('\n'));
  await $({ cwd: folder })`nice -n 10 go mod tidy`;
  return folder;
}

/** Compiles a command of a module at low priority, and returns the program's path. */
async function compiled(folder: string, program: Program, command: string, flags: string): Promise<string> {
  const built = join(folder, program);
  await $({ cwd: folder, stdio: 'inherit' })`nice -n 10 go build -trimpath -ldflags ${flags} -o ${built} ${command}`;
  return built;
}

async function goBuild(folder: string, program: Program, command: string, flags: string): Promise<void> {
  const began = Date.now();
  const built = await compiled(folder, program, command, flags);
  const target = join(cacheFolder(process.env, program), program);
  await copyFile(built, `${target}.new`);
  await rename(`${target}.new`, target);
  const { size } = await stat(target);
  console.log(`  ${program.padEnd(24)} ${seconds(began).padStart(6)}  ${Math.round(size / 1e6)} MB`);
}

/** Waits until no other process is building. Returns a function that releases the lock. */
async function lock(programs: readonly Program[]): Promise<() => Promise<void>> {
  const path = join(cacheFolder(), 'building');
  for (let waited = false; ; waited = true) {
    try {
      const file = await open(path, 'wx');
      await file.writeFile(`${process.pid}\n`);
      await file.close();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const age = Date.now() - (await stat(path).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
      if (age > LOCK_DEAD_MS) await rm(path, { force: true });
      else if (!waited) console.log(`waiting for another build of the control plane (${path})`);
      if (missing(programs).length === 0 && !existsSync(path)) return async () => {};
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
  const touch = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, LOCK_TOUCH_MS);
  return async () => {
    clearInterval(touch);
    await rm(path, { force: true });
  };
}

function seconds(sinceMs: number): string {
  return `${((Date.now() - sinceMs) / 1000).toFixed(0)} s`;
}
