/**
 * Records the host names outside the cluster that the target failed to resolve, each with the log line that mentions it.
 *
 * Owns: the line for the summary. The port is taken from the log, since a program that finds no address opens no connection.
 */
import { hostname } from 'node:os';

/** The length to which a log line is cut. */
const LINE_MAX = 300;

/** The maximum number of names to record: a program that looks up more names probably generates them. */
const NAMES_MAX = 50;

export class Lookups {
  readonly #missed = new Map<string, string | undefined>();
  readonly #own: string = hostname().toLowerCase();

  missed(name: string): void {
    if (this.#missed.has(name) || this.#missed.size >= NAMES_MAX || isOwn(name, this.#own)) return;
    this.#missed.set(name, undefined);
  }

  printed(line: string): void {
    for (const [name, printed] of this.#missed)
      if (printed === undefined && line.includes(name)) this.#missed.set(name, line.slice(0, LINE_MAX));
  }

  lines(): readonly string[] {
    return [...this.#missed].map(([host, printed]) => {
      const port = printed === undefined ? undefined : portIn(printed, host);
      const output = printed === undefined ? 'it printed nothing about it' : `it printed "${printed.trim()}"`;
      const where = `outside: [{host: ${host}, port: ${port ?? '…'}, http: [{path: ".*", body: "…"}]}]`;
      return `the target looked up ${host}${port === undefined ? '' : ` (port ${port})`}, which does not resolve: ${output}; if it needs that, add answers: {${where}} to the configuration`;
    });
  }
}

/** Reports whether a name refers to the local host, which a program may look up. */
function isOwn(name: string, own: string): boolean {
  return name === '' || name === own || name === 'localhost' || name.startsWith(`${own}.`);
}

const PORTS: { readonly [scheme: string]: number } = { https: 443, http: 80, ldaps: 636, ldap: 389 };

/** Finds the port of a host in a log line, from a URL or from `host:port`. */
function portIn(line: string, host: string): number | undefined {
  for (let at = line.indexOf(host); at >= 0; at = line.indexOf(host, at + 1)) {
    const port = /^:(\d{1,5})\b/.exec(line.slice(at + host.length))?.[1];
    if (port !== undefined) return Number(port);
    const scheme = /(\w+):\/\/(?:[^/@\s]*@)?$/.exec(line.slice(0, at))?.[1];
    if (scheme !== undefined && PORTS[scheme] !== undefined) return PORTS[scheme];
  }
  return undefined;
}
