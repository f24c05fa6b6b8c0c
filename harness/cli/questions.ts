/** Asks the user questions, if there is a terminal. */
import { createInterface } from 'node:readline/promises';
import { usage } from './arguments.ts';
import { shellWords } from './shell-words.ts';

/** Reports whether there is a terminal at which the user can be asked. */
export function isAsked(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}

/** Asks a question whose default is yes; returns true without a terminal. */
export async function agreed(question: string): Promise<boolean> {
  if (!isAsked()) return true;
  return !/^n/i.test((await ask(`${question} [Y/n] `)).trim());
}

/** Asks a question whose default is no; returns false without a terminal. */
export async function consented(question: string): Promise<boolean> {
  return isAsked() && /^y/i.test((await ask(question)).trim());
}

/** Asks for the command that starts the controller; undefined without a terminal or an answer. */
export async function askCommand(silent: boolean): Promise<readonly string[] | undefined> {
  if (silent || !isAsked()) return undefined;
  const answer = await ask('How is the controller started (program and arguments, {kubeconfig} is replaced)? ');
  const split = shellWords(answer);
  if ('unclosed' in split) throw usage(`got "${answer}", expected a command; nothing closes the ${split.unclosed}`);
  return split.words.length === 0 ? undefined : split.words;
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}
