/**
 * User-declared answers of pods and services: output of commands, logs, HTTP and TCP behind ports. Can be cloned structurally and is stored
 * with findings.
 */

/** The containers that an answer applies to; `*` stands for any text, absent for all. */
export interface OfContainers {
  readonly namespace?: string;
  readonly pod?: string;
  readonly container?: string;
}

/** The output and exit code of a command. */
export interface ExecAnswer extends OfContainers {
  /** A regular expression (RE2), found somewhere in the command's words joined by spaces. */
  readonly command: string;
  /** The same for earlier commands in the pod: one of them must have run in this run. */
  readonly after?: string;
  /** The same for standard input; without it the command ends without reading. */
  readonly stdin?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Default 0. */
  readonly exitCode?: number;
}

/** The log of a container. */
export interface LogAnswer extends OfContainers {
  /** The log of the previous container. */
  readonly previous?: boolean;
  readonly text: string;
}

/** An HTTP server's answer to some requests. */
export interface HttpAnswer {
  /** A regular expression (RE2) for earlier requests to the server, as `POST /path`: one of them must have come in this run. */
  readonly after?: string;
  /** Default: any. */
  readonly method?: string;
  /** A regular expression (RE2) for the whole path with its query; default: any. */
  readonly path?: string;
  /** Default 200. */
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}

/** A TCP server's output; HTTP where `http` is given. */
export interface Speech {
  readonly http?: readonly HttpAnswer[];
  /** Sent once the connection is open, or once its `expect` has matched. */
  readonly tcp?: readonly TcpLine[];
}

export interface TcpLine {
  /** A regular expression (RE2), found in the input since the previous line. */
  readonly expect?: string;
  readonly send?: string;
  /** Closes the connection afterwards. */
  readonly close?: true;
}

/** The server on a port of pods. */
export interface PortAnswer extends Omit<OfContainers, 'container'>, Speech {
  readonly port: number;
  /** Each connection is independent: input of other connections does not count. */
  readonly http?: readonly Omit<HttpAnswer, 'after'>[];
}

/** The server behind `services/proxy`. */
export interface ServiceAnswer {
  readonly namespace?: string;
  readonly service: string;
  /** Number or name; default: any. */
  readonly port?: number | string;
  readonly http: readonly HttpAnswer[];
}

/** The server behind a name outside of the cluster. */
export interface OutsideAnswer extends Speech {
  /** The name that the target resolves; `*` stands for any text. */
  readonly host: string;
  readonly port: number;
  /** Over TLS, with a certificate that the target is configured to trust. */
  readonly tls?: true;
}

/** The first match answers. */
export interface KubeletAnswers {
  readonly exec?: readonly ExecAnswer[];
  readonly logs?: readonly LogAnswer[];
  readonly portForward?: readonly PortAnswer[];
  readonly serviceProxy?: readonly ServiceAnswer[];
  readonly outside?: readonly OutsideAnswer[];
}
