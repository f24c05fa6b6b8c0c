/**
 * Runs controllers in five languages, and client-go's own examples, against one server: the embedded one, or a real control plane.
 *
 *   npm run languages [-- --only go,python,…] [--server embedded|real|KUBECONFIG] [--gate] [--build-only]
 *   npm run languages -- --compare [--only kubectl,informers-list,go,…]
 *
 * With --gate, all clients connect through the gate.
 *
 * With --compare, records the traffic between each client and both servers, and prints the differences (scripts/languages/compare.ts).
 *
 * Each controller is built (cached), started, taken through the steps of scripts/languages/goal.ts and stopped; prints a line with the time
 * of each step. A kubeconfig must point to a control plane with a kube-controller-manager, for the garbage collector. A language whose
 * program is not installed is skipped with a message, unless --only names it. Exit code 1 if any controller did not reach its goal.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareClients } from './languages/compare.ts';
import { buildFolder, CONTROLLER_TABLE, type LanguageController } from './languages/controllers.ts';
import { EXAMPLES } from './languages/examples.ts';
import { clear, reachGoal } from './languages/goal.ts';
import { lastLines, type Running, start, StepFailed } from './languages/processes.ts';
import { openServer, type Server } from './languages/server.ts';
import { STORIES } from './languages/stories.ts';
import type { Story } from './languages/story.ts';
import { parseFlags } from './run-main.ts';

interface Row {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
}

const EXAMPLES_NAME = 'client-go-examples';

async function main(): Promise<number> {
  const { values } = parseFlags({
    options: {
      only: { type: 'string' },
      server: { type: 'string', default: 'embedded' },
      gate: { type: 'boolean', default: false },
      'build-only': { type: 'boolean' },
      compare: { type: 'boolean' },
    },
  });
  const names =
    values.compare === true
      ? STORIES.map(({ client }) => client)
      : [...CONTROLLER_TABLE.map(({ name }) => name), EXAMPLES_NAME];
  const asked = values.only?.split(',');
  const unknown = asked?.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    console.error(`got --only "${unknown}", expected some of ${names.join(',')}`);
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'stalemate-languages-'));
  const rows: Row[] = [];
  const wanted = (name: string, needs = 'node'): boolean => {
    if (asked !== undefined) return asked.includes(name);
    if (present(needs)) return true;
    console.log(`${name}: skipped, "${needs}" is not installed`);
    return false;
  };
  try {
    if (values.compare === true) {
      const stories = STORIES.filter(({ client, needs }) => wanted(client, needs));
      rows.push(...(await compareStories(stories, folder)));
      return exitCodeOf(rows);
    }
    const controllers = CONTROLLER_TABLE.filter(({ name, needs }) => wanted(name, needs));
    const examples = wanted(EXAMPLES_NAME, 'go');
    const built: LanguageController[] = [];
    // All builds come first, so that none uses the CPU while a controller is timed.
    for (const controller of controllers) {
      const log = join(folder, `${controller.name}-build.log`);
      if (await timed(rows, `${controller.name} build`, () => controller.build(buildFolder(controller.name), log)))
        built.push(controller);
    }
    if (values['build-only'] !== true) {
      const server = await openServer(values.server, folder, false, values.gate);
      try {
        for (const controller of built) rows.push(shown(await runController(controller, server, folder)));
        if (examples) {
          for (const [name, run] of Object.entries(EXAMPLES)) await timed(rows, name, () => run(server, folder));
        }
      } finally {
        await server.stop();
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return exitCodeOf(rows);
}

async function compareStories(stories: readonly Story[], folder: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const built: Story[] = [];
  for (const story of stories) {
    const log = join(folder, `${story.client}-build.log`);
    if (await timed(rows, `${story.client} build`, async () => story.build?.(log))) built.push(story);
  }
  const compared = await compareClients(built, folder);
  return [...rows, ...compared.map(({ client, ok, text }) => shown({ name: client, ok, text }))];
}

/** Prints a row immediately, so that a stage that is stopped shows its progress. */
function shown(row: Row): Row {
  console.log(`${row.ok ? 'ok    ' : 'FAILED'} ${row.name.padEnd(26)} ${row.text}`);
  return row;
}

function exitCodeOf(rows: readonly Row[]): number {
  return rows.every(({ ok }) => ok) ? 0 : 1;
}

function present(program: string): boolean {
  return spawnSync('which', [program]).status === 0;
}

async function timed(rows: Row[], name: string, work: () => Promise<void>): Promise<boolean> {
  const began = performance.now();
  const row = (ok: boolean): Row => shown({ name, ok, text: `${((performance.now() - began) / 1000).toFixed(1)} s` });
  try {
    await work();
    rows.push(row(true));
    return true;
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    console.error(`${name}: ${error.message}`);
    rows.push(row(false));
    return false;
  }
}

async function runController(controller: LanguageController, server: Server, folder: string): Promise<Row> {
  const { name, client } = controller;
  const command = controller.command(buildFolder(name));
  let running: Running | undefined;
  try {
    await clear(server.objects);
    const times = await reachGoal(server.objects, () => {
      running = start(
        { ...command, env: { ...command.env, KUBECONFIG: server.kubeconfig } },
        join(folder, `${name}.log`),
      );
      return running;
    });
    const text = Object.entries(times).map(([step, ms]) => `${step} ${String(ms).padStart(5)} ms`);
    return { name, ok: true, text: `${text.join('  ')}  ${client}` };
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    console.error(`${name}: ${error.message}; its output ends with\n${lastLines(running?.output() ?? '')}\n`);
    return { name, ok: false, text: client };
  }
}

process.exitCode = await main();
