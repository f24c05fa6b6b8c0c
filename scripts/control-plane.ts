/**
 * A real control plane (etcd, kube-apiserver, kube-controller-manager, kubectl) without containers.
 *
 *   node scripts/control-plane.ts build [PROGRAM…]   builds missing programs, once per machine; prints the path of each
 *   node scripts/control-plane.ts path [PROGRAM]     prints the paths without building
 *   node scripts/control-plane.ts start FOLDER       starts one in the background and writes FOLDER/kubeconfig, url, token, ca.crt, pids
 *     [--controller-manager] [--authorization RBAC] [-- FLAGS FOR KUBE-APISERVER]
 *   node scripts/control-plane.ts stop FOLDER        stops it and deletes its data
 *
 * KUBEBUILDER_ASSETS, TEST_ASSET_ETCD, TEST_ASSET_KUBE_APISERVER and TEST_ASSET_KUBECTL take precedence: with the binaries of envtest,
 * nothing is built.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram, missingText, PROGRAMS, type Program } from 'stalemate-apiserver/control-plane/binaries';
import { startControlPlane } from 'stalemate-apiserver/control-plane/control-plane';
import { ApiServerError } from 'stalemate-apiserver/objects/errors';
import { build } from './control-plane/build.ts';
import { parseFlags } from './run-main.ts';

const USAGE = 'expected "build [PROGRAM…]", "path [PROGRAM]", "start FOLDER" or "stop FOLDER"';
const FILES = ['kubeconfig', 'url', 'token', 'ca.crt', 'pids', 'holder', 'log'];

async function main(): Promise<void> {
  const { values, positionals } = parseFlags({
    allowPositionals: true,
    options: { 'controller-manager': { type: 'boolean' }, authorization: { type: 'string' } },
  });
  const [word, ...rest] = positionals;
  const [first = ''] = rest;
  if ((word === 'start' || word === 'stop' || word === 'hold') && first === '')
    throw new ApiServerError('USAGE', `got "${word}" without a folder, ${USAGE}`);
  switch (word) {
    case 'build':
      for (const [, path] of await build(rest.length === 0 ? PROGRAMS : rest.map(programNamed))) console.log(path);
      return;
    case 'path':
      for (const program of first === '' ? PROGRAMS : [programNamed(first)]) {
        const path = findProgram(program);
        if (path === undefined) throw new ApiServerError('CLUSTER_UNAVAILABLE', missingText(program));
        console.log(path);
      }
      return;
    case 'start':
      return start(resolve(first));
    case 'hold': {
      const manager = values['controller-manager'] === true;
      return hold(resolve(first), manager, values.authorization === 'RBAC' ? 'RBAC' : 'AlwaysAllow', rest.slice(1));
    }
    case 'stop':
      return stop(resolve(first));
    default:
      throw new ApiServerError('USAGE', `got ${word === undefined ? 'no command' : `"${word}"`}, ${USAGE}`);
  }
}

function programNamed(name: string): Program {
  const program = PROGRAMS.find((one) => one === name);
  if (program === undefined) throw new ApiServerError('USAGE', `got "${name}", expected one of ${PROGRAMS.join(', ')}`);
  return program;
}

/** Starts a background process that holds the control plane, and waits until it has written its files. */
async function start(folder: string): Promise<void> {
  if (existsSync(join(folder, 'holder')))
    throw new ApiServerError('USAGE', `"${folder}" has a control plane already; stop it, or name another folder`);
  mkdirSync(folder, { recursive: true });
  const log = openSync(join(folder, 'log'), 'w');
  const args = [fileURLToPath(import.meta.url), 'hold', ...process.argv.slice(3)];
  const holder = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log] });
  const ended = new Promise<'ended'>((settle) => holder.on('exit', () => settle('ended')));
  while (!existsSync(join(folder, 'pids'))) {
    const outcome = await Promise.race([ended, new Promise((settle) => setTimeout(settle, 20))]);
    if (outcome === 'ended')
      throw new ApiServerError('CLUSTER_UNAVAILABLE', readFileSync(join(folder, 'log'), 'utf8').trim());
  }
  holder.unref();
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8').trim();
  console.log(`${read('url')} is ready (pids ${read('pids')})`);
  console.log(`  export KUBECONFIG=${join(folder, 'kubeconfig')}`);
}

async function hold(
  folder: string,
  controllerManager: boolean,
  authorization: 'RBAC' | 'AlwaysAllow',
  apiserverArgs: readonly string[],
): Promise<void> {
  const plane = await startControlPlane({ controllerManager, authorization, apiserverArgs });
  const end = (): void => {
    void plane.stop().then(() => {
      for (const name of FILES) rmSync(join(folder, name), { force: true });
      process.exit(0);
    });
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text, { mode: 0o600 });
  write('holder', `${process.pid}\n`);
  write('kubeconfig', plane.kubeconfig);
  write('url', `${plane.url}\n`);
  write('token', `${plane.token}\n`);
  write('ca.crt', plane.ca);
  write('pids', `${plane.pids.join(' ')}\n`);
  // Keeps this process running until a signal ends it; the child processes do not.
  setInterval(() => {}, 2 ** 30);
}

async function stop(folder: string): Promise<void> {
  const file = join(folder, 'holder');
  if (!existsSync(file)) {
    console.log(`no control plane in ${folder}`);
    return;
  }
  const pid = Number(readFileSync(file, 'utf8'));
  try {
    process.kill(pid, 'SIGTERM');
    while (existsSync(file)) {
      await new Promise((settle) => setTimeout(settle, 20));
      process.kill(pid, 0);
    }
  } catch {
    // The holder has exited, and its child processes with it.
    for (const name of FILES) rmSync(join(folder, name), { force: true });
  }
  console.log('stopped');
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(error.message.trim());
  process.exitCode = error instanceof ApiServerError && error.code === 'USAGE' ? 2 : 3;
}
