/**
 * Finds the declared answer to a request, and records requests without one.
 *
 * Owns: matching. Pure: no I/O. Start at {@link DeclaredKubelet}.
 */
import type { HttpAnswer, KubeletAnswers, LogAnswer, OfContainers, Speech } from '../../wire/declared-answers.ts';
import { hasHad, headersOf, httpAnswerTo } from '../../wire/declared-http.ts';
import { goRegExp } from '../../wire/go-regexp.ts';
import { fits } from '../../wire/name-pattern.ts';
import { OUTSIDE_PATH } from '../../wire/outside-path.ts';
import type { ApiRequest, ApiResponse } from '../../wire/http.ts';
import type { CommandResult } from '../../wire/session.ts';

/** A container that a request addresses. */
export interface Container {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** A request without a declared answer. */
export interface Undeclared {
  /** The kind of request: `exec`, `log`, … */
  readonly what: 'exec' | 'attach' | 'log' | 'portForward' | 'serviceProxy' | 'outside';
  readonly namespace: string;
  /** The name of the pod or service. */
  readonly name: string;
  /** The container, the port, or the method and path. */
  readonly of: string;
  readonly command: string;
}

export class DeclaredKubelet {
  readonly #answers: KubeletAnswers;
  readonly #emptyLogs: boolean;
  readonly #undeclared = new Map<string, Undeclared>();
  /** Earlier commands by pod, and earlier requests by server, in order. */
  readonly #earlier = new Map<string, string[]>();

  constructor(answers: KubeletAnswers = {}, emptyLogs = false) {
    this.#answers = answers;
    this.#emptyLogs = emptyLogs;
  }

  /** Returns the distinct requests without a declared answer so far. */
  get undeclared(): readonly Undeclared[] {
    return [...this.#undeclared.values()];
  }

  /** Resets the state for another run. */
  forget(): void {
    this.#earlier.clear();
    this.#undeclared.clear();
  }

  miss(undeclared: Undeclared): void {
    this.#undeclared.set(Object.values(undeclared).join('\n'), undeclared);
  }

  /** Returns the session of a command; undefined when none is declared. */
  command(
    of: Container,
    command: string,
  ): ((stdin: string, ended: boolean) => CommandResult | { readonly failed: string } | undefined) | undefined {
    const earlier = this.#earlierOf(`${of.namespace}/${of.pod}`);
    const fitting = (this.#answers.exec ?? []).filter(
      (one) => isFor(one, of) && hasHad(one.after, earlier) && goRegExp(one.command)?.test(command) === true,
    );
    if (fitting.length === 0) return undefined;
    return (stdin, ended) => {
      let mayFitLater = false;
      for (const one of fitting) {
        const fits = one.stdin === undefined ? ended || !mayFitLater : goRegExp(one.stdin)?.test(stdin) === true;
        if (fits) {
          earlier.push(`${command} ${stdin}`);
          return { stdout: one.stdout ?? '', stderr: one.stderr ?? '', exitCode: one.exitCode ?? 0 };
        }
        mayFitLater = true;
      }
      if (!ended) return undefined;
      this.miss({ what: 'exec', namespace: of.namespace, name: of.pod, of: of.container, command });
      return { failed: 'error executing command in container: no answer is declared for what it was given to read' };
    };
  }

  /** Returns the declared log of a container. If none is declared, records the request and returns an empty log or undefined. */
  log(of: Container, previous: boolean): LogAnswer | undefined {
    const declared = this.#answers.logs?.find((one) => isFor(one, of) && (one.previous ?? false) === previous);
    if (declared !== undefined) return declared;
    this.miss({ what: 'log', namespace: of.namespace, name: of.pod, of: of.container, command: '' });
    return this.#emptyLogs && !previous ? { text: '' } : undefined;
  }

  /** Reports whether any port of the pod is declared. */
  hasPorts(of: Omit<Container, 'container'>): boolean {
    return this.#answers.portForward?.some((one) => isFor(one, { ...of, container: '' })) === true;
  }

  port(of: Omit<Container, 'container'>, port: number): Speech | undefined {
    return this.#answers.portForward?.find((one) => one.port === port && isFor(one, { ...of, container: '' }));
  }

  /** Returns the declared answer of an external host name; undefined for other requests. */
  outside({ method, path, query, repeated = {} }: ApiRequest): ApiResponse | undefined {
    const [, host = '', port = '', behind = ''] = OUTSIDE_PATH.exec(path) ?? [];
    const declared = this.#answers.outside?.find((one) => one.host === host && String(one.port) === port);
    if (declared === undefined) return undefined;
    if (declared.http === undefined) return { code: 200, body: '', plainText: true };
    const pairs = Object.entries(query).flatMap(([key, value]) =>
      (repeated[key] ?? [value]).map((one): [string, string] => [key, one]),
    );
    const asked = pairs.length === 0 ? behind : `${behind}?${new URLSearchParams(pairs).toString()}`;
    const answer = this.#answered(declared.http, `${host}:${port}`, { method, path: asked });
    if (answer !== undefined)
      return { code: answer.status ?? 200, headers: headersOf(answer), body: answer.body ?? '', plainText: true };
    this.miss({ what: 'outside', namespace: '', name: `${host}:${port}`, of: `${method} ${asked}`, command: '' });
    return { code: 404, body: `no answer is declared for ${method} ${behind}\n`, plainText: true };
  }

  service(
    of: { readonly namespace: string; readonly service: string; readonly port: string },
    asked: { readonly method: string; readonly path: string },
  ): HttpAnswer | undefined {
    for (const one of this.#answers.serviceProxy ?? []) {
      if (!fits(one.namespace, of.namespace) || !fits(one.service, of.service)) continue;
      if (one.port !== undefined && of.port !== '' && String(one.port) !== of.port) continue;
      const answer = this.#answered(one.http, `${of.namespace}/${of.service}`, asked);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  #answered(
    answers: readonly HttpAnswer[],
    server: string,
    asked: { readonly method: string; readonly path: string },
  ): HttpAnswer | undefined {
    const earlier = this.#earlierOf(server);
    const answer = httpAnswerTo(answers, asked, earlier);
    if (answer !== undefined) earlier.push(`${asked.method} ${asked.path}`);
    return answer;
  }

  #earlierOf(place: string): string[] {
    const known = this.#earlier.get(place) ?? [];
    this.#earlier.set(place, known);
    return known;
  }
}

function isFor({ namespace, pod, container }: OfContainers, of: Container): boolean {
  return fits(namespace, of.namespace) && fits(pod, of.pod) && fits(container, of.container);
}
