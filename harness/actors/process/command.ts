/**
 * What a process target is started with: its command line with the placeholders filled in, and an environment by allow-list.
 *
 * Owns: that nothing of the user's own session reaches the target which could lead it to another cluster. Start at
 * {@link commandLine} and {@link cleanEnvironment}.
 */

import type { ProcessTarget } from '../../model/counterexample.ts';

/** What the placeholders stand for. */
export interface Placeholders {
  readonly kubeconfig: string;
  readonly namespace: string;
  /** A free port, for the target's own probes or metrics. */
  readonly port: string;
}

/** The command line of one life. */
export function commandLine(command: readonly string[], values: Placeholders): readonly string[] {
  return command.map((word) =>
    word.replaceAll(/\{(kubeconfig|namespace|port)\}/g, (_, name: keyof Placeholders) => values[name]),
  );
}

/** Variables that a program may need to run at all, and that lead nowhere. */
const ALLOWED = /^(?:PATH|LANG|LC_[A-Z]+|TZ|TERM|SYSTEMROOT|LD_LIBRARY_PATH|JAVA_HOME|NODE_EXTRA_CA_CERTS|PYENV_ROOT)$/;

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
  return { ...environment, HOME: home, TMPDIR: home, KUBECONFIG: kubeconfig, ...own };
}
