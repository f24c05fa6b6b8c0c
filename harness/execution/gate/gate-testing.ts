/**
 * Helpers for tests of the gate: a gate in front of the embedded API server, and actors that record what they receive.
 *
 * Located here because `gate` and `apiserver` must not import each other; this is the first layer that may import both. Used by tests only.
 */
import type { ApiServer } from 'stalemate-apiserver';
import { EPOCH_MS, testServer } from 'stalemate-apiserver/testing';
import type { KubeletAnswers } from 'stalemate-apiserver/wire/declared-answers';
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiResponse, Method, Upstream } from 'stalemate-apiserver/wire/http';
import { Gate } from '../../gate/gate.ts';
import { Naming } from '../../gate/naming.ts';
import { Recorder } from '../../gate/recorder.ts';
import type { DrawnNames } from '../../model/reference.ts';
import type { FaultAction } from '../../model/schedule.ts';

/** One request of an actor, and everything that the actor has received in response so far. */
export interface Told {
  /** Lines such as `200`, `open`, `ADDED a@7`, `ERROR 410`, `end`, `ECONNRESET`, in the order in which the actor received them. */
  readonly lines: readonly string[];
  readonly answer: ApiResponse | undefined;
  abort(): void;
}

export interface GateRig {
  readonly gate: Gate;
  readonly recorder: Recorder;
  readonly naming: Naming;
  readonly server: ApiServer;
  /**
   * What the schedule did: the name of each actor that it crashed, `replica` for each replica that it started, and a line for each pause
   * and delay.
   */
  readonly hooked: readonly string[];
  /** Releases the items that the schedule has delayed. */
  readonly arriveLate: () => void;
  /** Sends a request such as `GET path?query` as `actor`. */
  readonly send: (actor: string, method: Method, path: string, body?: JsonValue) => Told;
  /** Executes the pending item with this label. */
  readonly take: (label: string, fault?: FaultAction) => void;
  /** Executes all items, oldest first, until none is pending. */
  readonly takeAll: () => void;
  /** Returns the labels of the pending items. */
  readonly labels: () => readonly string[];
}

/**
 * Returns a gate in front of the embedded API server.
 *
 * @param lossy Wraps the server behind the gate.
 */
export function gateRig(
  drawnNames: DrawnNames = {},
  lossy: (server: Upstream) => Upstream = (server) => server,
  kubelet: KubeletAnswers = {},
): GateRig {
  const { server, clock } = testServer({ kubelet });
  const naming = new Naming(drawnNames);
  const recorder = new Recorder(() => clock.nowMs - EPOCH_MS, naming);
  server.observe((change) => recorder.committed(change));
  const hooked: string[] = [];
  const late: (() => void)[] = [];
  const gate: Gate = new Gate(lossy(server), recorder, naming, {
    crash: (actor) => {
      hooked.push(actor);
      gate.cut(actor);
    },
    startReplica: () => hooked.push('replica'),
    pause: (actor, forMs) => hooked.push(`pause ${actor} ${forMs}`),
    delay: ({ label }, forMs, goOn) => {
      hooked.push(`delay ${label} ${forMs}`);
      late.push(goOn);
    },
  });
  const take = (label: string, fault?: FaultAction): void => {
    const item = gate.pending.find((candidate) => candidate.label === label);
    if (item === undefined) throw new TypeError(`'${label}' is not pending; these are: ${labels().join(', ')}`);
    gate.execute(item, fault);
  };
  const labels = (): readonly string[] => gate.pending.map((item) => item.label);
  return {
    gate,
    recorder,
    naming,
    server,
    hooked,
    take,
    labels,
    arriveLate: () => {
      for (const goOn of late.splice(0)) goOn();
    },
    takeAll: () => {
      for (let item = gate.pending[0]; item !== undefined; item = gate.pending[0]) gate.execute(item);
    },
    send: (actor, method, path, body) => {
      const lines: string[] = [];
      let answer: ApiResponse | undefined;
      const [bare = '', search = ''] = path.split('?', 2);
      const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
      const query = Object.fromEntries(new URLSearchParams(search));
      const abort = gate.port(actor).send(
        { method, path: bare, query, headers, ...(body === undefined ? {} : { body }) },
        {
          answer: (given) => {
            answer = given;
            lines.push(String(given.code));
          },
          open: () => lines.push('open'),
          event: ({ type, object }) => {
            const { metadata, code } = object as { readonly metadata?: KubeObject['metadata']; readonly code?: number };
            lines.push(type === 'ERROR' ? `ERROR ${String(code)}` : `${type} ${metadata?.name ?? '-'}`);
          },
          end: (error) => lines.push(error === undefined ? 'end' : error.code),
        },
      );
      return {
        lines,
        get answer() {
          return answer;
        },
        abort,
      };
    },
  };
}
