/** A script whose flags select nothing must fail, not report success. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it.each([
  ['soak-self.ts', ['--section', 'alarm'], 'got --section "alarm", expected some of canary, seeds, alarms'],
  ['soak-self.ts', ['--only', 'nothing', '--section', 'alarms'], 'got --only "nothing", expected part of'],
  ['soak-self.ts', ['--section', 'alarms', '--trials', 'x'], 'got --trials "x", expected a whole number'],
  ['alarms.ts', ['--only', 'nothing'], 'got --only "nothing", expected part of'],
  ['check-budget.ts', ['--only', 'nothing'], 'got --only "nothing", expected part of'],
  ['guards.ts', ['--only', 'nothing at all'], 'got --only "nothing at all", expected part of'],
])('%s %j', (script, args, said) => {
  const path = fileURLToPath(new URL(script, import.meta.url));

  const { status, stderr } = spawnSync(process.execPath, [path, ...args], { encoding: 'utf8', timeout: 100_000 });

  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(said) as string });
});
