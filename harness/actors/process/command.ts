/**
 * What a process target is started with: its command line with the placeholders filled in, and an environment by allow-list.
 *
 * Owns: that nothing of the user's own session reaches the target which could lead it to another cluster. Start at
 * {@link filledIn} and {@link cleanEnvironment}.
 */
import { fileURLToPath } from 'node:url';
import type { ProcessTarget } from '../../model/counterexample.ts';
import { editDistance, nearestOf } from '../../model/similar.ts';

/** What the placeholders stand for. */
export interface Placeholders {
  readonly kubeconfig: string;
  /** Address of the store outside the cluster; empty where it is not used. */
  readonly effects: string;
  readonly namespace: string;
  /** Folder below which the files lie that a pod would have mounted. */
  readonly files: string;
  /** Folder with `tls.crt`, `tls.key` and `ca.crt` for the target's own servers. */
  readonly certs: string;
  /** Free ports by name, as {@link portNames} found them. */
  readonly ports: ReadonlyMap<string, number>;
}

const PLACEHOLDER = /\{(?:(kubeconfig|namespace|files|certs|effects)|port(?::([\w.-]+))?)\}/g;
const NAMES = ['kubeconfig', 'namespace', 'files', 'certs', 'effects', 'port'] as const;
/** A word in braces; not a variable of the shell's, nor a Go template's braces in braces. */
const BRACED = /(?<![{$\w])\{([A-Za-z][\w-]*)(:[^{}]*)?\}(?!\})/g;

/** Something in braces that is no placeholder but looks as if one had been meant, and that one. */
export interface Misspelt {
  readonly found: string;
  readonly meant: string;
}

/** Anything else in braces (JSON, templates, names that are like none of ours) is the program's own business. */
export function misspeltIn(word: string): Misspelt | undefined {
  for (const [found, name = '', rest = ''] of word.matchAll(BRACED)) {
    if (found.replace(PLACEHOLDER, '') === '') continue;
    const meant = meantBy(name.toLowerCase());
    if (meant !== undefined) return { found, meant: meant === 'port' && rest !== '' ? '{port:NAME}' : `{${meant}}` };
  }
  return undefined;
}

function meantBy(name: string): string | undefined {
  const part = NAMES.find((known) => name.startsWith(known) || (name.length > 3 && known.includes(name)));
  if (part !== undefined) return part;
  const nearest = nearestOf(name, NAMES);
  return nearest !== undefined && editDistance(name, nearest) <= Math.min(2, name.length / 2) ? nearest : undefined;
}

/** Names of the ports that the words ask for: `{port:webhook}` for `webhook`, `{port}` for the empty one. */
export function portNames(words: readonly string[]): readonly string[] {
  const found = words.flatMap((word) => [...word.matchAll(PLACEHOLDER)]);
  return [...new Set(found.flatMap(([, other, name = '']) => (other === undefined ? [name] : [])))];
}

/** A word of the command line, or a value of the environment, of one life. */
export function filledIn(word: string, values: Placeholders): string {
  return word.replaceAll(
    PLACEHOLDER,
    (_, name: 'kubeconfig' | 'namespace' | 'files' | 'certs' | 'effects' | undefined, port = '') =>
      name === undefined ? String(values.ports.get(port as string) ?? 0) : values[name],
  );
}

/** Variables that a program may need to run at all, and that lead nowhere. */
const ALLOWED = /^(?:PATH|LANG|LC_[A-Z]+|TZ|TERM|SYSTEMROOT|LD_LIBRARY_PATH|JAVA_HOME|NODE_EXTRA_CA_CERTS|PYENV_ROOT)$/;

/** What Node and the harness themselves read: where code is cached, where temporary files go, how to write. */
const OWN =
  /^(?:NODE_(?:OPTIONS|COMPILE_CACHE|ENV|PATH|V8_COVERAGE|NO_WARNINGS)|XDG_(?:CACHE|STATE)_HOME|TMPDIR|CI|NO_COLOR|FORCE_COLOR)$/;
/** Where nothing lies. */
const NO_HOME = fileURLToPath(new URL('no-home', import.meta.url));
/** A file with a cluster that does not exist, so that no client falls back to one that does. */
const NO_CLUSTER = fileURLToPath(new URL('no-cluster.yaml', import.meta.url));

/** The environment of a worker whose target is a module: nothing in it leads to a cluster or grants anything. */
export function moduleEnvironment(session: { readonly [name: string]: string | undefined }): {
  readonly [name: string]: string;
} {
  const kept = Object.entries(session).flatMap(([name, value]) =>
    value !== undefined && (ALLOWED.test(name) || OWN.test(name)) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(kept), HOME: NO_HOME, USERPROFILE: NO_HOME, KUBECONFIG: NO_CLUSTER };
}

/**
 * A life lasts for seconds: a Java virtual machine takes 40 % less processor time for its start when it compiles less, and once only. What
 * its command line says wins.
 */
const QUICK_JAVA = '-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=3';

/** The environment of one life: what is allowed of `session`, a home of its own, the kubeconfig, and what its author asks for. */
export function cleanEnvironment(
  session: { readonly [name: string]: string | undefined },
  home: string,
  kubeconfig: string,
  own: ProcessTarget['env'],
): { readonly [name: string]: string } {
  const environment: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(session))
    if (value !== undefined && ALLOWED.test(name)) environment[name] = value;
  return { ...environment, HOME: home, TMPDIR: home, KUBECONFIG: kubeconfig, JAVA_TOOL_OPTIONS: QUICK_JAVA, ...own };
}
