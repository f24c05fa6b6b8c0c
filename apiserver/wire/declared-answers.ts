/**
 * What the user declares that pods, and services, answer: output of commands, logs, HTTP and TCP behind ports. Survives a structured
 * clone and is stored with findings.
 */

/** Which containers an answer is for; `*` stands for any text, absent for all. */
export interface OfContainers {
  readonly namespace?: string;
  readonly pod?: string;
  readonly container?: string;
}

/** What a command prints and how it ends. */
export interface ExecAnswer extends OfContainers {
  /** A regular expression (RE2), found somewhere in the command's words joined by spaces. */
  readonly command: string;
  /** The same for commands of the pod: one of them has to have run before in the run. */
  readonly after?: string;
  /** The same for what the command is given to read; without it the command ends without reading. */
  readonly stdin?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Default 0. */
  readonly exitCode?: number;
}

/** What a container has logged. */
export interface LogAnswer extends OfContainers {
  /** Of the container's life before this one. */
  readonly previous?: boolean;
  readonly text: string;
}

/** What an HTTP server answers to some requests. */
export interface HttpAnswer {
  /** A regular expression (RE2) for requests that the server has had, as `POST /path`: one of them has to have come before in the run. */
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

/** What a TCP server says; HTTP where `http` is given. */
export interface Speech {
  readonly http?: readonly HttpAnswer[];
  /** Sent once a connection is there, or once its `expect` has come. */
  readonly tcp?: readonly TcpLine[];
}

export interface TcpLine {
  /** A regular expression (RE2), found somewhere in what has come since the line before. */
  readonly expect?: string;
  readonly send?: string;
  /** Ends the connection afterwards. */
  readonly close?: true;
}

/** What listens on a port of pods. */
export interface PortAnswer extends Omit<OfContainers, 'container'>, Speech {
  readonly port: number;
  /** Each connection is a server of its own: what came over another is not known. */
  readonly http?: readonly Omit<HttpAnswer, 'after'>[];
}

/** What is behind `services/proxy`. */
export interface ServiceAnswer {
  readonly namespace?: string;
  readonly service: string;
  /** Number or name; default: any. */
  readonly port?: number | string;
  readonly http: readonly HttpAnswer[];
}

/** What is behind a name outside of the cluster. */
export interface OutsideAnswer extends Speech {
  /** The name that the target looks up; `*` stands for any text. */
  readonly host: string;
  readonly port: number;
  /** Over TLS, with a certificate that the target is told to trust. */
  readonly tls?: true;
}

/** The first that fits answers. */
export interface KubeletAnswers {
  readonly exec?: readonly ExecAnswer[];
  readonly logs?: readonly LogAnswer[];
  readonly portForward?: readonly PortAnswer[];
  readonly serviceProxy?: readonly ServiceAnswer[];
  readonly outside?: readonly OutsideAnswer[];
}
