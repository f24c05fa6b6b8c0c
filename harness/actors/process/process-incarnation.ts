/**
 * One life of a process target: a front of its own before an `Upstream`, a kubeconfig that leads there, a process group that reads it.
 *
 * A crash is SIGKILL to the whole group and the end of all its connections. Owns: starting, output, ending. Does not own: what passes
 * between it and the server (the gate), nor the command (`command.ts`). Start at {@link startProcess}.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CertificateAuthority, type Identity } from '../../apiserver/http/certificates.ts';
import { freePorts } from '../../apiserver/http/free-ports.ts';
import { serveHttp, type HttpServer, type Served } from '../../apiserver/http/serve.ts';
import type { ActorId } from '../../model/actor.ts';
import type { ProcessTarget } from '../../model/counterexample.ts';
import type { ProcessEventKind } from '../../model/history.ts';
import { kubeconfigOf } from '../../wire/kubeconfig.ts';
import { cleanEnvironment, commandLine } from './command.ts';

/** What all lives of a target share. */
export interface ProcessHost {
  readonly target: ProcessTarget;
  readonly namespace: string;
  readonly authority: CertificateAuthority;
  readonly identity: Identity;
  /** A line that it printed. */
  readonly print: (actor: ActorId, line: string) => void;
}

/** A host for the lives of one target; the key takes a millisecond and is made once. */
export function processHost(
  target: ProcessTarget,
  namespace: string,
  print: (actor: ActorId, line: string) => void,
): ProcessHost {
  const authority = new CertificateAuthority();
  return { target, namespace, print, authority, identity: authority.issueServer() };
}

export interface ProcessIncarnation {
  /** Kills it without notice. */
  crash(): void;
}

/** Starts one life as `actor`, whose requests go to `upstream`. What goes wrong is told, never thrown. */
export function startProcess(
  host: ProcessHost,
  actor: ActorId,
  upstream: Served,
  tell: (kind: ProcessEventKind, detail: string) => void,
): ProcessIncarnation {
  const incarnation = new Incarnation(host, actor, upstream, tell);
  void incarnation.start();
  return incarnation;
}

const USER = { name: 'system:serviceaccount:stalemate:target', groups: ['system:masters'] };
/**
 * Starts the program in its place, beside somebody who kills the whole group when our end of its standard input closes: whatever
 * becomes of us, no target is left behind.
 */
const WATCHED = 'exec 3<&0; (cat <&3 >/dev/null; kill -9 -$$) >/dev/null 2>&1 & exec "$@" 3<&- </dev/null';

/** Of a line that does not end, this much is kept. */
const LINE_MAX = 4_000;

class Incarnation implements ProcessIncarnation {
  readonly #host: ProcessHost;
  readonly #actor: ActorId;
  readonly #upstream: Served;
  readonly #tell: (kind: ProcessEventKind, detail: string) => void;
  readonly #folder = mkdtempSync(join(tmpdir(), 'stalemate-target-'));
  #front: HttpServer | undefined;
  #child: ChildProcess | undefined;
  #over = false;

  constructor(
    host: ProcessHost,
    actor: ActorId,
    upstream: Served,
    tell: (kind: ProcessEventKind, detail: string) => void,
  ) {
    this.#host = host;
    this.#actor = actor;
    this.#upstream = upstream;
    this.#tell = (kind, detail) => {
      if (!this.#over) tell(kind, detail);
    };
  }

  async start(): Promise<void> {
    const { target, namespace, authority, identity } = this.#host;
    try {
      this.#front = await serveHttp(this.#upstream, {
        tls: { identity, clientCa: authority.certificate },
        authentication: { tokens: new Map([[TOKEN, USER]]) },
      });
      const [port = 0] = target.command.some((word) => word.includes('{port}')) ? await freePorts(1) : [];
      if (this.#over) return this.#clear();
      const kubeconfig = this.#writeKubeconfig(this.#front.url);
      const home = join(this.#folder, 'home');
      mkdirSync(home);
      const [program = '', ...args] = commandLine(target.command, { kubeconfig, namespace, port: String(port) });
      const child = spawn('/bin/sh', ['-c', WATCHED, 'sh', program, ...args], {
        cwd: target.cwd,
        env: cleanEnvironment(process.env, home, kubeconfig, target.env),
        // A group of its own, so that what it starts ends with it.
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      this.#child = child;
      child.once('spawn', () => this.#tell('started', ''));
      child.once('error', (error) => this.#tell('start-failed', error.message));
      child.once('exit', (code, signal) => {
        this.#tell('exited', code === null ? `by ${signal ?? 'a signal'}` : `with code ${code}`);
        this.#killGroup();
      });
      child.stdin?.on('error', () => {});
      for (const stream of [child.stdout, child.stderr]) if (stream !== null) this.#readLines(stream);
    } catch (error) {
      this.#tell('start-failed', error instanceof Error ? error.message : String(error));
    }
  }

  crash(): void {
    if (this.#over) return;
    this.#over = true;
    this.#clear();
  }

  #clear(): void {
    this.#killGroup();
    void this.#front?.close();
    // It may still be writing while it dies.
    if (!this.#removeFolder()) this.#child?.once('close', () => this.#removeFolder());
  }

  #removeFolder(): boolean {
    try {
      rmSync(this.#folder, { recursive: true, force: true });
      return true;
    } catch {
      return false;
    }
  }

  #killGroup(): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }

  #writeKubeconfig(server: string): string {
    const path = join(this.#folder, 'kubeconfig');
    const { namespace, authority } = this.#host;
    const kubeconfig = kubeconfigOf({ name: 'stalemate', server, ca: authority.certificate, token: TOKEN, namespace });
    writeFileSync(path, stringify(kubeconfig), { mode: 0o600 });
    return path;
  }

  #readLines(stream: NodeJS.ReadableStream): void {
    let rest = '';
    stream.on('data', (piece: Buffer) => {
      const lines = (rest + piece.toString('utf8')).split('\n');
      rest = (lines.pop() ?? '').slice(0, LINE_MAX);
      for (const line of lines) if (!this.#over) this.#host.print(this.#actor, line.slice(0, LINE_MAX));
    });
  }
}

/** The front is on loopback and lives as long as one run. */
const TOKEN = 'stalemate';
