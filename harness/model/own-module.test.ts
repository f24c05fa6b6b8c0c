import { expect, it } from 'vitest';
import { ownModule } from './own-module.ts';

it('names a source beside a source', () => {
  expect(ownModule('file:///clone/harness/cli/library.ts', './worker.ts').href).toBe(
    'file:///clone/harness/cli/worker.ts',
  );
});

it('names a compiled module beside a compiled one', () => {
  expect(ownModule('file:///package/harness/execution/options.js', '../actors/run-module.ts').href).toBe(
    'file:///package/harness/actors/run-module.js',
  );
});
