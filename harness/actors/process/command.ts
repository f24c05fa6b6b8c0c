/**
 * The command line of a process target with its placeholders filled in, and its environment by allow-list.
 *
 * Owns: hiding from the target everything in the user's session that could point it to a different cluster. Start at {@link filledIn} and
 * {@link cleanEnvironment}.
 */
import { fileURLToPath } from 'node:url';
import type { ProcessTarget } from '../../model/counterexample.ts';
import { editDistance, nearestOf } from '../../model/similar.ts';

/** The values of the placeholders. */
export interface Placeholders {
  readonly kubeconfig: string;
  /** The URL of the store outside the cluster; empty if it is not used. */
  readonly effects: string;
  readonly namespace: string;
  /** The folder of the files that a pod would have mounted. */
  readonly files: string;
  /** The folder with `tls.crt`, `tls.key` and `ca.crt` for the target's own servers. */
  readonly certs: string;
  /** Free ports by name, for the names from {@link portNames}. */
  readonly ports: ReadonlyMap<string, number>;
}

const PLACEHOLDER = /\{(?:(kubeconfig|namespace|files|certs|effects)|port(?::([\w.-]+))?)\}/g;
const NAMES = ['kubeconfig', 'namespace', 'files', 'certs', 'effects', 'port'] as const;
/** Matches a word in braces, but neither a shell variable nor a Go template's double braces. */
const BRACED = /(?<![{$\w])\{([A-Za-z][\w-]*)(:[^{}]*)?\}(?!\})/g;

/** A word in braces that is not a placeholder, and the placeholder that it resembles. */
export interface Misspelt {
  readonly found: string;
  readonly meant: string;
}

/** Finds a misspelt placeholder. Anything else in braces (JSON, templates, unrelated names) is left to the program. */
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

/** Returns the port names in the words: `webhook` for `{port:webhook}`, the empty one for `{port}`. */
export function portNames(words: readonly string[]): readonly string[] {
  const found = words.flatMap((word) => [...word.matchAll(PLACEHOLDER)]);
  return [...new Set(found.flatMap(([, other, name = '']) => (other === undefined ? [name] : [])))];
}

/** Fills in a word of the command line, or a value of the environment, for one incarnation. */
export function filledIn(word: string, values: Placeholders): string {
  return word.replaceAll(
    PLACEHOLDER,
    (_, name: 'kubeconfig' | 'namespace' | 'files' | 'certs' | 'effects' | undefined, port = '') =>
      name === undefined ? String(values.ports.get(port as string) ?? 0) : values[name],
  );
}

/** Variables that a program may need to run at all, and that point to no cluster. */
const ALLOWED = /^(?:PATH|LANG|LC_[A-Z]+|TZ|TERM|SYSTEMROOT|LD_LIBRARY_PATH|JAVA_HOME|NODE_EXTRA_CA_CERTS|PYENV_ROOT)$/;

/** Variables that Node and the harness read: code cache, temporary files, output format. */
const OWN =
  /^(?:NODE_(?:OPTIONS|COMPILE_CACHE|ENV|PATH|V8_COVERAGE|NO_WARNINGS)|XDG_(?:CACHE|STATE)_HOME|TMPDIR|CI|NO_COLOR|FORCE_COLOR)$/;
/** An empty home folder. */
const NO_HOME = fileURLToPath(new URL('no-home', import.meta.url));
/** A kubeconfig with a cluster that does not exist, so that no client falls back to an existing one. */
const NO_CLUSTER = fileURLToPath(new URL('no-cluster.yaml', import.meta.url));

/** Returns the environment of a worker with a module target: nothing in it points to a cluster or contains credentials. */
export function moduleEnvironment(session: { readonly [name: string]: string | undefined }): {
  readonly [name: string]: string;
} {
  const kept = Object.entries(session).flatMap(([name, value]) =>
    value !== undefined && (ALLOWED.test(name) || OWN.test(name)) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(kept), HOME: NO_HOME, USERPROFILE: NO_HOME, KUBECONFIG: NO_CLUSTER };
}

/**
 * Options for Java. An incarnation runs for seconds, and with less compilation a Java virtual machine needs 40 % less processor time to
 * start. Flags on its command line take precedence.
 */
const QUICK_JAVA = '-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=3';

/**
 * Returns the environment of one incarnation: the allowed part of `session`, a home folder of its own, the kubeconfig, and the author's
 * additions.
 */
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
