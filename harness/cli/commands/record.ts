/** `stalemate record`: records and judges a run of the user's own tests, or an audit log. */
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { misspeltIn } from '../../actors/process/command.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import type { Recording } from '../../model/recording.ts';
import { deviationText } from '../../model/schedule.ts';
import { ALLOW_CLUSTER_HELP, ALLOW_CONTEXT_HELP, collect, usage, type ExistingFlags } from '../arguments.ts';
import { asking } from '../ask-cluster.ts';
import type { CommandContext } from '../command-context.ts';
import { readText } from '../read-text.ts';

interface RecordFlags extends Pick<ExistingFlags, 'kubeconfig' | 'context' | 'allowContext' | 'allowCluster'> {
  readonly auditLog?: string;
  readonly target?: string;
  readonly out: string;
}

const HELP = `
Puts the gate before the cluster of a kubeconfig, runs the command with a KUBECONFIG that points to the gate, and records what passed
and every version of every object involved. It delays and changes nothing. The kubeconfig has to be named: stalemate never looks for
one. A cluster that stalemate does not serve has to be allowed: by --allow-cluster with the uid of its namespace
kube-system, by --allow-context with the exact name of its context, or by a yes at the terminal, which is remembered.
Suites of envtest get USE_EXISTING_CLUSTER=true, and so use that cluster.

Actors are distinguished by user agent: the one that watches collections and writes most is taken for the controller; name another
with --target.
An audit log (audit.k8s.io/v1, one JSON event a line, level RequestResponse) gives the same without the watch events.

Exit codes: 0 the command succeeded, 1 it failed, 2 usage or configuration, 3 no request arrived or the cluster cannot be reached,
            5 refused by the safety guard

Examples:
  stalemate record --kubeconfig kind.yaml --context kind-dev --allow-context kind-dev -- go test ./test/e2e/...
  stalemate record --audit-log audit.log
  stalemate recheck .stalemate/recordings`;

export function recordCommand(context: CommandContext): Command {
  return new Command('record')
    .description('Record a run of your own test suite, or read an audit log: a history and the schedule in it.')
    .argument('[command...]', 'after --: the program to run, and its arguments')
    .option('--kubeconfig <file>', 'the cluster that the command is to use')
    .option('--context <name>', 'context in that file (default: its current one)')
    .option('--allow-context <name>', ALLOW_CONTEXT_HELP, collect)
    .option('--allow-cluster <uid>', ALLOW_CLUSTER_HELP, collect)
    .option('--audit-log <file>', 'read this instead of running anything')
    .option('--target <text>', "part of the controller's user agent")
    .option('--out <file>', 'where the recording goes', join('.stalemate', 'recordings', 'recording.json'))
    .addHelpText('after', HELP)
    .action(async (command: readonly string[], flags: RecordFlags) => {
      context.finish(await record(command, flags, context));
    });
}

async function record(command: readonly string[], flags: RecordFlags, context: CommandContext): Promise<ExitCode> {
  const { console } = context;
  const { auditLog } = flags;
  if (auditLog !== undefined) {
    if (command.length > 0 || flags.kubeconfig !== undefined)
      throw usage(
        'got --audit-log together with a command or --kubeconfig, expected one of both; an audit log is only read',
      );
    await write(await fromAuditLog(auditLog, flags.target), flags.out, context);
    return EXIT.holds;
  }
  if (command.length === 0)
    throw usage('got no command, expected the program to record after --, or --audit-log with a file');
  if (flags.kubeconfig === undefined)
    throw usage(
      'got no --kubeconfig, expected the file of the cluster to record; the one of your session is never used implicitly',
    );
  for (const word of command) {
    const misspelt = misspeltIn(word);
    if (misspelt?.meant === '{kubeconfig}')
      throw usage(`got "${misspelt.found}" in the command ("${word}"), which nothing replaces, expected {kubeconfig}`);
  }
  const { admitCluster } = await import('../../clusters/existing/admission.ts');
  const { recordRun } = await import('../../execution/recording/record-run.ts');
  const { kubeconfig, context: named, allowContext = [], allowCluster = [] } = flags;
  console.learn?.({ command });
  const access = await admitCluster(
    { kubeconfig: resolve(console.cwd, kubeconfig), context: named, allowed: allowContext, clusters: allowCluster },
    { ask: asking() },
  );
  const { recording, requests, ended, succeeded } = await recordRun({
    access,
    command,
    cwd: console.cwd,
    env: process.env,
    signal: context.signal,
    onListening: (url) => console.err(`recording at ${url}, before ${access.remote.url} (context ${access.context})\n`),
    ...(flags.target === undefined ? {} : { target: flags.target }),
  });
  console.err(`the command ended ${ended}\n`);
  if (requests === 0) {
    console.err('stalemate: no request arrived, so there is nothing to record; does the command use KUBECONFIG?\n');
    return EXIT.inconclusive;
  }
  await write(recording, flags.out, context);
  return succeeded ? EXIT.holds : EXIT.violated;
}

async function fromAuditLog(file: string, target: string | undefined): Promise<Recording> {
  const { readAuditLog } = await import('../../execution/recording/audit-log.ts');
  const { foldHistory } = await import('../../execution/recording/fold.ts');
  const { deviationsOf } = await import('../../execution/recording/deviations.ts');
  const { happenings, actors, notes } = readAuditLog(readText(file, 'audit log'), file, target);
  const history = foldHistory(happenings);
  return {
    version: 2,
    kind: 'recording',
    source: 'audit-log',
    actors: Object.fromEntries(actors),
    notes,
    schedule: deviationsOf(history),
    history,
  };
}

/** Maximum number of deviations printed; the file contains all of them. */
const DEVIATIONS_SHOWN = 12;

async function write(recording: Recording, out: string, { console }: CommandContext): Promise<void> {
  const { encodeRecording } = await import('../../schedule/codec/recording.ts');
  const { writeWhole } = await import('../../report/write-files.ts');
  const { redactRecording } = await import('../../report/redaction/index.ts');
  const { Vault } = await import('../../report/redaction/vault.ts');
  const redacted = redactRecording(recording, new Vault());
  writeWhole(resolve(console.cwd, out), encodeRecording(redacted));
  const { history, schedule, actors, notes } = redacted;
  const { operations, revisions, deliveries } = history;
  console.out(
    `${operations.length} requests of ${Object.keys(actors).length} actors, ${revisions.length} revisions, ${deliveries.length} watch events\n`,
  );
  for (const [actor, agent] of Object.entries(actors)) {
    const own = operations.filter((operation) => operation.actor === actor).length;
    console.out(`  ${actor.padEnd(12)} ${String(own).padStart(6)} requests  ${agent}\n`);
  }
  for (const note of notes) console.out(`  note: ${note}\n`);
  const deviations = [...schedule.preemptions, ...schedule.holds, ...schedule.faults].map(deviationText);
  console.out(
    deviations.length === 0
      ? 'nothing deviated from the default order\n'
      : `${deviations.length} deviations from the default order\n`,
  );
  for (const text of deviations.slice(0, DEVIATIONS_SHOWN)) console.out(`  ${text}\n`);
  if (deviations.length > DEVIATIONS_SHOWN)
    console.out(`  and ${deviations.length - DEVIATIONS_SHOWN} more in the file\n`);
  console.out(
    `written to ${out}; "stalemate recheck ${out}" judges it, "stalemate report ${out}" makes a page of it\n`,
  );
}
