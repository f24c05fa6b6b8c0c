/** Checks what every run needs (Node, loopback and memory), and whether programs can be isolated from the network. */
import { connect, createServer, type AddressInfo } from 'node:net';
import { availableParallelism, freemem } from 'node:os';
import { processWrapper } from '../../actors/process/process-wrapper.ts';
import { openNamespace } from '../../actors/process/namespace.ts';
import { lacking, ok, type Check } from './check.ts';

export async function hostChecks(): Promise<readonly Check[]> {
  return [node(), memory(), await loopback(), ...(await isolation())];
}

/** Describes Node. Always succeeds, because the executable has already checked the version. */
function node(): Check {
  return ok('node', `${process.versions.node} on ${process.platform} ${process.arch}`);
}

/** Minimum of free memory, in bytes: roughly what the harness and four processes of a controller need. */
const MEMORY_MIN = 512 * 1024 * 1024;

function memory(): Check {
  // On Linux, the memory that is available without swapping; other systems report less than that.
  const free = process.availableMemory?.() ?? freemem();
  const found = `${mebibytes(free)} MiB free, ${availableParallelism()} processors`;
  return free >= MEMORY_MIN
    ? ok('memory', found)
    : lacking(
        'memory',
        found,
        `free some memory: ${mebibytes(MEMORY_MIN)} MiB are little for a controller and four copies of it`,
        false,
      );
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}

function loopback(): Promise<Check> {
  return new Promise((resolve) => {
    const server = createServer();
    const fail = (error: Error): void => {
      server.close();
      resolve(
        lacking(
          'loopback',
          error.message,
          'permit connections to 127.0.0.1: every target talks to its API server there',
          true,
        ),
      );
    };
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      const socket = connect(port, '127.0.0.1');
      socket.once('error', fail);
      socket.once('connect', () => {
        socket.destroy();
        server.close();
        resolve(ok('loopback', `127.0.0.1 listens and answers (port ${port} was free)`));
      });
    });
  });
}

/** Checks isolation. Runs work without it, but warn each time. */
async function isolation(): Promise<readonly Check[]> {
  const opened = await openNamespace();
  if ('refused' in opened) {
    const fix = isolationFix(opened.refused);
    return [lacking('isolation', `no network namespace: ${opened.refused}`, fix, false)];
  }
  const { openFiles, unsteered } = processWrapper('own', opened);
  if (openFiles === null)
    return [ok('isolation', 'programs run in a network and a file system of their own'), time(unsteered)];
  return [
    lacking(
      'isolation',
      `programs see the files of this host: ${openFiles}`,
      'use Linux 5.12 or newer on x86-64 or arm64, which permits mounts in namespaces; or run with --file-system host',
      false,
    ),
  ];
}

function time(unsteered: string | null): Check {
  if (unsteered === null) return ok('time', 'programs live in virtual time');
  const fix =
    'use Linux on x86-64 and, in a container, --security-opt systempaths=unconfined and --cap-add SYS_PTRACE; or use --time real';
  return lacking('time', `time of programs is real: ${unsteered}`, fix, false);
}

function isolationFix(refused: string): string {
  if (process.platform !== 'linux')
    return "nothing to fix: programs run on the host's network, where --network host stops the warning; Linux has namespaces";
  if (refused.includes('ENOENT')) return 'install util-linux, which brings unshare and nsenter';
  return (
    'permit user namespaces: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu 24.04), or user.max_user_namespaces=15000; ' +
    'in a container: --cap-add SYS_ADMIN; or run with --network host --file-system host'
  );
}
