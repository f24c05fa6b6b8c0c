import { describe, expect, it } from 'vitest';
import { checkLayers } from './check-layers.ts';

/** Returns the problems in one file with the given text. */
function problems(path: string, text: string): readonly string[] {
  return checkLayers([{ path, text }]).complaints.map(({ problem }) => problem);
}

describe('the layer rule', () => {
  it.each([
    ['harness/gate/gate.ts', '../model/label.ts'],
    ['harness/execution/run/trial.ts', '../../actors/program.ts'],
    ['harness/gate/gate.ts', './rules.ts'],
    ['properties/convergence.ts', '../harness/oracle/property.ts'],
    ['harness/cli/registry.ts', '../../properties/convergence.ts'],
    ['harness/index.ts', './cli/registry.ts'],
    ['harness/test/replay.test.ts', '../cli/main.ts'],
    ['scripts/bench.ts', '../controllers-under-test/a/correct/main.ts'],
  ])('allows %s to import %s', (path, specifier) => {
    expect(problems(path, `import { a } from '${specifier}';`)).toEqual([]);
  });

  it.each([
    ['harness/model/label.ts', '../gate/gate.ts', 'model may not know gate'],
    ['harness/gate/gate.ts', '../schedule/pct.ts', 'gate may not know schedule'],
    ['apiserver/wire/call.ts', '../server/store.ts', 'wire may not know server'],
    ['apiserver/server/store.ts', '../../harness/model/label.ts', 'knows nothing outside of it'],
    ['harness/gate/gate.ts', '../../apiserver/server/store.ts', 'import what it exports'],
    ['harness/gate/gate.ts', '../index.ts', 'import the file that owns the name'],
    ['harness/novelty/a.ts', '../model/label.ts', 'no place in the layer rule'],
    ['harness/cli/run.ts', '../../properties/convergence.ts', 'only harness/cli/registry.ts'],
    ['properties/convergence.ts', '../harness/gate/gate.ts', 'sees harness/model and harness/oracle only'],
    ['controllers-under-test/a/correct/main.ts', '../../../harness/model/label.ts', 'gets a KubeConfig'],
    ['controllers-under-test/a/correct/main.ts', 'stalemate', 'gets a KubeConfig'],
    ['harness/cli/run.ts', '../../scripts/bench.ts', 'nothing but scripts may use scripts'],
  ])('refuses %s importing %s', (path, specifier, reason) => {
    expect(problems(path, `import { a } from '${specifier}';`)).toEqual([expect.stringContaining(reason)]);
  });

  it.each([
    ['harness/execution/run/trial.ts', '../subject.ts'],
    ['harness/execution/run/trial.ts', '../config/object-target.ts'],
    ['harness/execution/hosts/module-host.ts', '../run/host.ts'],
    ['harness/execution/soak/soak.ts', '../campaign/campaign.ts'],
    ['harness/execution/run/trial.test.ts', '../hosts/module-host.ts'],
    ['harness/execution/run/testing.ts', '../hosts/module-host.ts'],
  ])('allows %s to import %s inside execution', (path, specifier) => {
    expect(problems(path, `import { a } from '${specifier}';`)).toEqual([]);
  });

  it.each([
    ['harness/execution/run/trial.ts', '../hosts/module-host.ts', 'run may not know hosts'],
    ['harness/execution/hosts/module-host.ts', '../search/search.ts', 'hosts may not know search'],
    ['harness/execution/subject.ts', './run/host.ts', '. may not know run'],
    ['harness/execution/novelty/a.ts', '../run/host.ts', 'execution/novelty has no place'],
  ])('refuses %s importing %s inside execution', (path, specifier, reason) => {
    expect(problems(path, `import { a } from '${specifier}';`)).toEqual([expect.stringContaining(reason)]);
  });

  it.each([
    ["import type { A } from '../gate/a.ts';"],
    ["export * from '../gate/a.ts';"],
    ["export { a } from '../gate/a.ts';"],
    ["const a = await import('../gate/a.ts');"],
    ["type A = import('../gate/a.ts').A;"],
    ["import '../gate/a.ts';"],
  ])('finds the import in: %s', (text) => {
    expect(problems('harness/model/x.ts', text)).toHaveLength(1);
  });

  it('ignores an import in a comment or a string', () => {
    const text = "// import a from '../gate/a.ts'\nexport const text = `import a from '../gate/a.ts'`;";

    expect(problems('harness/model/x.ts', text)).toEqual([]);
  });

  it('restricts sockets and processes to the shell, and keeps platform modules out of pure folders', () => {
    expect(problems('harness/gate/gate.ts', "import net from 'node:net';")).toHaveLength(1);
    expect(problems('harness/gate/http/proxy.ts', "import net from 'node:net';")).toEqual([]);
    expect(problems('harness/clusters/kind.ts', "import { spawn } from 'node:child_process';")).toEqual([]);
    expect(problems('harness/model/x.ts', "import { parse } from 'yaml';")).toHaveLength(1);
    expect(problems('apiserver/wire/go-regexp.ts', "import { RE2JS } from 're2js';")).toEqual([]);
    expect(problems('apiserver/wire/http.ts', "import { RE2JS } from 're2js';")).toHaveLength(1);
  });

  it('prints which folder imports which', () => {
    const files = [
      { path: 'harness/cli/run.ts', text: "import '../gate/a.ts'; import '../execution/b.ts'; import './c.ts';" },
    ];

    expect(checkLayers(files).graph).toEqual(['cli → execution, gate']);
  });
});

describe('time and randomness', () => {
  it.each([
    ['Date.now()'],
    ['new Date()'],
    ['Date()'],
    ['Math.random()'],
    ['performance.now()'],
    ['setTimeout(f, 1)'],
    ['setInterval(f, 1)'],
    ['globalThis.setTimeout(f, 1)'],
    ['promisify(setTimeout)'],
    ['crypto.randomUUID()'],
    ["Date['now']()"],
    ['process.hrtime.bigint()'],
  ])('are refused outside harness/determinism: %s', (expression) => {
    expect(problems('harness/gate/gate.ts', `export const a = ${expression};`)).toHaveLength(1);
    expect(problems('harness/determinism/clock.ts', `export const a = ${expression};`)).toEqual([]);
    expect(problems('harness/gate/gate.test.ts', `export const a = ${expression};`)).toEqual([]);
  });

  it('are refused as imports too', () => {
    expect(problems('harness/gate/gate.ts', "import { randomUUID } from 'node:crypto';")).toHaveLength(1);
    expect(problems('harness/gate/gate.ts', "import { setTimeout as sleep } from 'node:timers/promises';")).not.toEqual(
      [],
    );
  });

  it.each([['new Date(0)'], ['clock.now()'], ['socket.setTimeout(1)'], ['Date.parse(text)'], ['{ setTimeout: 1 }']])(
    'are not reported for %s',
    (expression) => {
      expect(problems('harness/gate/gate.ts', `export const a = ${expression};`)).toEqual([]);
    },
  );

  it('reports an import cycle once, whether values or types are imported', () => {
    const files = [
      { path: 'harness/model/a.ts', text: "import { b } from './b.ts';" },
      { path: 'harness/model/b.ts', text: "import type { C } from './c.ts';" },
      { path: 'harness/model/c.ts', text: "export { a } from './a.ts';\nimport { d } from './d.ts';" },
      { path: 'harness/model/d.ts', text: '' },
    ];

    expect(checkLayers(files).complaints).toEqual([
      {
        where: 'harness/model/a.ts',
        problem:
          'imports itself by way of harness/model/b.ts, harness/model/c.ts, harness/model/a.ts: move what they share into a file of its own',
      },
    ]);
  });
});
