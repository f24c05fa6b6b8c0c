/**
 * Runs the command line.
 *
 * Owns: the list of commands, signals, the exit code. Does not own: what a command does (`commands/`), the text of errors
 * (`explain.ts`).
 */
import { constants } from 'node:os';
import { Command } from 'commander';
import { realNow, realSetTimeout } from '../determinism/real-time.ts';
import { EXIT, type ExitCode } from '../model/errors.ts';
import { versions } from '../execution/versions.ts';
import { applyEnvironment, unknownVariables } from './environment.ts';
import type { CommandContext } from './command-context.ts';
import { processConsole, type Console } from './console.ts';
import { explain } from './explain.ts';

const EXAMPLES = `
Examples:
  stalemate init
      set a project up and run it once: configuration, sample, CI job
  stalemate doctor
      what this machine and this project have, and the fix for what is missing
  stalemate run --target controller.ts --crds config/crd --sample sample.yaml
      search for interleavings that break the controller, for 60 s
  stalemate run --budget 5m --stop-after 1
      the same with stalemate.config.ts, until the first finding
  stalemate replay .stalemate/failures/lost-update-7f3a91.json
      run a finding again, step by step the same
  stalemate ci --base-target base/controller.ts
      judge a change: what fails on the build before it too fails nothing
  stalemate soak --budget 8h --shard 3/16
      search for hours, on many machines; "stalemate merge" adds up what they found
  stalemate recheck .stalemate/records
      judge stored histories with today's properties, without running anything

Every flag can also be set by a variable: --report-dir is STALEMATE_REPORT_DIR. Flags win; what may come several times has one value
per line.

Exit codes: 0 all properties hold, 1 a property is violated, 2 usage or configuration, 3 inconclusive or environment,
            4 a fault of stalemate itself, 5 refused by the safety guard`;

/** Runs a command line and resolves with the exit code. */
export async function main(args: readonly string[]): Promise<ExitCode> {
  const console = processConsole();
  let code: ExitCode = EXIT.holds;
  const command = Object.hasOwn(COMMANDS, args[0] ?? '') ? args[0] : undefined;
  const stop = stopOnSignals(
    console,
    ['init', 'run', 'ci', 'soak'].includes(command ?? '') ? 'stopping; findings so far are saved' : 'stopping',
  );
  guardOutput();
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => process.exit(explain(error, console, command)));
  }
  const context: CommandContext = { console, signal: stop.signal, finish: (to) => (code = to) };
  try {
    const root = await program(context, command);
    await root.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    return explain(error, console, command);
  } finally {
    stop.dispose();
  }
}

/** The time for pending output once all work is done, in ms. */
const PENDING_MS = 10_000;

/** Ends the process soon, even if something was left behind that would keep it, such as a socket. */
export function endSoon(): void {
  realSetTimeout(() => process.exit(), PENDING_MS).unref();
}

type MakeCommand = (context: CommandContext) => Command;

/** Sorted as in the help. Each command imports many modules, so only the requested one is loaded. */
const COMMANDS: { readonly [name: string]: () => Promise<MakeCommand> } = {
  init: async () => (await import('./commands/init.ts')).initCommand,
  run: async () => (await import('./commands/run.ts')).runCommand,
  ci: async () => (await import('./commands/ci.ts')).ciCommand,
  soak: async () => (await import('./commands/soak.ts')).soakCommand,
  merge: async () => (await import('./commands/merge.ts')).mergeCommand,
  replay: async () => (await import('./commands/replay.ts')).replayCommand,
  record: async () => (await import('./commands/record.ts')).recordCommand,
  recheck: async () => (await import('./commands/recheck.ts')).recheckCommand,
  corpus: async () => (await import('./commands/corpus.ts')).corpusCommand,
  report: async () => (await import('./commands/report.ts')).reportCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  completion: async () => {
    const { completionCommand } = await import('./commands/completion.ts');
    return (context) => completionCommand(context, wholeProgram);
  },
  list: async () => (await import('./commands/list.ts')).listCommand,
  clean: async () => (await import('./commands/clean.ts')).cleanCommand,
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
};

/** Returns all commands as they are parsed, for completion and for tests of the help. */
export function wholeProgram(console: Console = processConsole()): Promise<Command> {
  return program({ console, signal: new AbortController().signal, finish: () => {} });
}

async function program(context: CommandContext, name?: string): Promise<Command> {
  const asked = COMMANDS[name ?? ''];
  const makers = await Promise.all((asked === undefined ? Object.values(COMMANDS) : [asked]).map((load) => load()));
  const root = new Command('stalemate')
    .description('Chaos and property-based tests for Kubernetes controllers under contention.')
    .version(versions().stalemate)
    .addHelpText('after', EXAMPLES);
  for (const command of makers) root.addCommand(command(context));
  root.hook('preAction', async (_, acting) => {
    applyEnvironment(acting, process.env);
    await warnOfVariables(root, context);
  });
  for (const command of [root, ...root.commands.flatMap((one) => [one, ...one.commands])]) {
    command.exitOverride().showSuggestionAfterError(true);
    command.configureOutput({
      writeOut: (text) => context.console.out(text),
      writeErr: (text) => context.console.err(text),
      outputError: (text, write) => write(`stalemate: ${withWholeName(root, text.replace(/^error: /, ''))}`),
    });
  }
  return root;
}

/** Adds the full name of a command to an error about a subcommand that was typed without its parent. */
function withWholeName(root: Command, text: string): string {
  const name = /^unknown command '(.+)'$/m.exec(text)?.[1];
  const group = root.commands.find(({ commands }) => commands.some((one) => one.name() === name));
  return group === undefined ? text : text.replace(/$/m, ` (did you mean "${group.name()} ${name}"?)`);
}

/**
 * Warns about unknown variables. All commands are loaded only if a variable is suspicious, because it may belong to another
 * command.
 */
async function warnOfVariables(root: Command, context: CommandContext): Promise<void> {
  if (unknownVariables(process.env, root.commands).length === 0) return;
  const makers = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  const unknown = unknownVariables(
    process.env,
    makers.map((make) => make(context)),
  );
  for (const sentence of unknown) context.console.err(`warning: ${sentence}\n`);
}

interface StopSignal {
  readonly signal: AbortSignal;
  dispose(): void;
}

/** Signals that stop a command. Closing a terminal sends SIGHUP. */
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Signals with the same name within this time count as one. */
const ECHO_MS = 300;

/** Handles signals: the first Ctrl-C aborts the command, which keeps its results; the second ends the process. */
function stopOnSignals(console: Console, farewell: string): StopSignal {
  const controller = new AbortController();
  let last: { readonly name: NodeJS.Signals; readonly at: number } | undefined;
  const listener = (name: NodeJS.Signals): void => {
    // A terminal signals a whole process group, and npx and similar tools pass signals on, so one Ctrl-C may arrive twice. Only
    // a signal that directly follows one that was handled counts as its echo: repeated key presses are not ignored.
    if (last?.name === name && realNow() - last.at < ECHO_MS) return;
    last = { name, at: realNow() };
    if (controller.signal.aborted) endBy(name);
    controller.abort();
    console.err(`\n${farewell} (once more to stop at once)\n`);
  };
  for (const name of STOPPING) process.on(name, listener);
  return {
    signal: controller.signal,
    dispose: () => {
      for (const name of STOPPING) process.off(name, listener);
    },
  };
}

/**
 * Ends the process by the signal that it received, as the default handler would; shells show that as 128 plus its number. With
 * `process.exit`, worker threads would end first, and Node aborts if one of them is reading HTTP/2 at that moment
 * (nodejs/node#38418).
 */
function endBy(name: NodeJS.Signals): never {
  const code = 128 + constants.signals[name];
  // Handlers of `exit` release locks.
  process.emit('exit', code);
  process.removeAllListeners(name);
  process.kill(process.pid, name);
  // The kernel does not deliver the signal to the first process of a container.
  process.exit(code);
}

/** Handles errors of stdout: a closed reader (`| head`) is not an error, but a full disk behind a redirection is. */
function guardOutput(): void {
  // With `2>&1 | head`, stderr has the same reader.
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`stalemate: could not write to stdout: ${error.message}\n`);
    process.exitCode = EXIT.inconclusive;
  });
}
