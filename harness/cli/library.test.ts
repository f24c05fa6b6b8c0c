import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { run } from './library.ts';

const target = (name: string): string => fileURLToPath(new URL(`../test/targets/${name}`, import.meta.url));

describe('run', () => {
  it('refuses properties of the caller that no worker could import', async () => {
    const options = {
      target: target('never-lists.ts'),
      crds: [target('crd.yaml')],
      samples: [target('sample.yaml')],
      always: [{ name: 'few', resource: 'widgets.example.com', check: () => true }],
    };

    await expect(run(options)).rejects.toThrow('got properties or predicates of your own without a configuration file');
  });
});
