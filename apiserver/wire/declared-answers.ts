/**
 * User-declared answers of pods and services: output of commands, logs, HTTP and TCP servers on ports. They can be cloned structurally and
 * are stored with findings.
 */

/** The containers that an answer applies to. `*` matches any text; an absent field matches all. */
export interface OfContainers {
  readonly namespace?: string;
  readonly pod?: string;
  readonly container?: string;
}

/** The output and exit code of a command. */
export interface ExecAnswer extends OfContainers {
  /** A regular expression (RE2) that must match somewhere in the command's words, joined by spaces. */
  readonly command: string;
  /** A regular expression for earlier commands in the pod: the answer applies only after a matching command in the same run. */
  readonly after?: string;
  /** A regular expression for standard input; without it the command ends without reading. */
  readonly stdin?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Default 0. */
  readonly exitCode?: number;
}

/** The log of a container. */
export interface LogAnswer extends OfContainers {
  /** True for the log of the previous container instance. */
  readonly previous?: boolean;
  readonly text: string;
}

/** An HTTP server's answer to some requests. */
export interface HttpAnswer {
  /**
   * A regular expression (RE2) for earlier requests to the server, as `POST /path`: the answer applies only after a match in the same run.
   */
  readonly after?: string;
  /** Default: any. */
  readonly method?: string;
  /** A regular expression (RE2) for the whole path, including its query; default: any. */
  readonly path?: string;
  /** Default 200. */
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}

/** What a TCP server sends; with `http`, an HTTP server. */
export interface Speech {
  readonly http?: readonly HttpAnswer[];
  /** The lines to send. Each is sent once its `expect` has matched; without `expect`, at once. */
  readonly tcp?: readonly TcpLine[];
}

export interface TcpLine {
  /** A regular expression (RE2) that must match in the input since the previous line. */
  readonly expect?: string;
  readonly send?: string;
  /** Closes the connection after this line. */
  readonly close?: true;
}

/** The server on a port of pods. */
export interface PortAnswer extends Omit<OfContainers, 'container'>, Speech {
  readonly port: number;
  /** The answers of each connection are independent: requests on other connections do not count. */
  readonly http?: readonly Omit<HttpAnswer, 'after'>[];
}

/** The server behind `services/proxy`. */
export interface ServiceAnswer {
  readonly namespace?: string;
  readonly service: string;
  /** The number or name of the port; default: any. */
  readonly port?: number | string;
  readonly http: readonly HttpAnswer[];
}

/** The server behind a host name outside of the cluster. */
export interface OutsideAnswer extends Speech {
  /** The host name that the target connects to; `*` matches any text. */
  readonly host: string;
  readonly port: number;
  /** Serves TLS, with a certificate that the target is configured to trust. */
  readonly tls?: true;
}

/** The declared answers. In each list the first match is used. */
export interface KubeletAnswers {
  readonly exec?: readonly ExecAnswer[];
  readonly logs?: readonly LogAnswer[];
  readonly portForward?: readonly PortAnswer[];
  readonly serviceProxy?: readonly ServiceAnswer[];
  readonly outside?: readonly OutsideAnswer[];
}
