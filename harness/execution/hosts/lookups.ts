/**
 * Names outside of the cluster that the target looked up in vain, with what it said of them.
 *
 * Owns: the line for the summary. Its port is read off the log, for a program that finds no address connects to none.
 */
import { hostname } from 'node:os';

/** Of one line; what comes behind adds nothing. */
const LINE_MAX = 300;

/** More names than that are a program that makes them up. */
const NAMES_MAX = 50;

export class Lookups {
  readonly #missed = new Map<string, string | undefined>();
  readonly #own: string = hostname().toLowerCase();

  missed(name: string): void {
    if (this.#missed.has(name) || this.#missed.size >= NAMES_MAX || isOwn(name, this.#own)) return;
    this.#missed.set(name, undefined);
  }

  printed(line: string): void {
    for (const [name, said] of this.#missed)
      if (said === undefined && line.includes(name)) this.#missed.set(name, line.slice(0, LINE_MAX));
  }

  lines(): readonly string[] {
    return [...this.#missed].map(([host, said]) => {
      const port = said === undefined ? undefined : portIn(said, host);
      const told = said === undefined ? 'it printed nothing about it' : `it printed "${said.trim()}"`;
      const where = `outside: [{host: ${host}, port: ${port ?? '…'}, http: [{path: ".*", body: "…"}]}]`;
      return `the target looked up ${host}${port === undefined ? '' : ` (port ${port})`}, which does not resolve: ${told}; if it needs that, add answers: {${where}} to the configuration`;
    });
  }
}

/** A program may ask for the address of the host that it runs on. */
function isOwn(name: string, own: string): boolean {
  return name === '' || name === own || name === 'localhost' || name.startsWith(`${own}.`);
}

const PORTS: { readonly [scheme: string]: number } = { https: 443, http: 80, ldaps: 636, ldap: 389 };

/** As a URL, or as `host:port`. */
function portIn(line: string, host: string): number | undefined {
  for (let at = line.indexOf(host); at >= 0; at = line.indexOf(host, at + 1)) {
    const port = /^:(\d{1,5})\b/.exec(line.slice(at + host.length))?.[1];
    if (port !== undefined) return Number(port);
    const scheme = /(\w+):\/\/(?:[^/@\s]*@)?$/.exec(line.slice(0, at))?.[1];
    if (scheme !== undefined && PORTS[scheme] !== undefined) return PORTS[scheme];
  }
  return undefined;
}
