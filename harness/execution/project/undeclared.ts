/** Describes requests to pods and services without a declared answer, with the answer to declare where there can be one. */
import { POD_ADDRESS } from '../../actors/environment/workloads/pod-address.ts';
import type { Undeclared } from 'stalemate-apiserver';

/** Returns one line for each distinct request, whichever pod it is for: the request, and what to add under `answers`. */
export function undeclaredText(all: readonly Undeclared[]): readonly string[] {
  return [...new Set(all.map(lineOf))];
}

/** What programs print when they cannot connect. */
const FAILS = /dial|connect|refused|unreachable|timed? ?out/i;

/** Describes a connection to a pod that the target's output names; undefined if it names none. */
export function toPodText(lines: readonly { readonly line: string }[]): string | undefined {
  for (const { line } of lines) {
    const address = FAILS.test(line) ? POD_ADDRESS.exec(line)?.[0] : undefined;
    if (address !== undefined)
      return `the target connects to a pod by its address, ${address}: nothing runs in the pods of the embedded cluster, and no answer can be declared for an address, so that what follows is not put to the test`;
  }
  return undefined;
}

function lineOf({ what, name, of, command }: Undeclared): string {
  // Arguments may contain secrets.
  const program = command.split(' ', 1)[0] ?? '';
  switch (what) {
    case 'exec':
      return `the target runs "${program}" in container ${of} (pods/exec), and no answer is declared for it: ${declare(`exec: [{container: ${of}, command: ${quoted(program)}, stdout: "…"}]`)}`;
    case 'log':
      return `the target reads the log of container ${of} (pods/log), and none is declared: ${declare(`logs: [{container: ${of}, text: "…"}]`)}`;
    case 'portForward':
      return `the target forwards port ${of} of a pod (pods/portforward), and nothing is declared to listen there: ${declare(`portForward: [{port: ${of}, tcp: [{send: "…"}]}]`)}`;
    case 'serviceProxy':
      return `the target requests ${withoutQuery(of)} from service ${name} (services/proxy), and no answer is declared for it: ${declare(`serviceProxy: [{service: ${name}, http: [{path: ${quoted(pathOf(of))}, body: "…"}]}]`)}`;
    case 'outside':
      return `the target requests ${withoutQuery(of)} from ${name}, and no answer is declared for it: ${declare(`outside: [{host: ${name.replace(/:.*/, '')}, port: ${name.replace(/.*:/, '')}, http: [{path: ${quoted(pathOf(of))}, body: "…"}]}]`)}`;
    case 'attach':
      return `the target attaches to container ${of} (pods/attach), which cannot be declared: use exec or logs`;
  }
}

function declare(answer: string): string {
  return `add answers: {${answer}} to the configuration`;
}

/** Removes the query, which may contain secrets. */
function withoutQuery(of: string): string {
  return of.split('?', 1)[0] ?? '';
}

function pathOf(of: string): string {
  return `${withoutQuery(of.replace(/^\S+ /, ''))}.*`;
}

/** Quotes a regular expression for YAML. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
