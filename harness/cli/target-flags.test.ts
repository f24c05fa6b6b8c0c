/** A target given by a flag while the configuration file names another. */
import { describe, expect, it } from 'vitest';
import { mergeTargetFlags } from './commands/target-flags.ts';

const shared = { crds: ['crds'], kind: {} };

describe('the target of a flag', () => {
  it('takes the place of the program of the file, and of what is for programs only', () => {
    const configured = { ...shared, command: ['bin/manager'], metrics: 'http://127.0.0.1:1/metrics' };

    expect(mergeTargetFlags(configured, { target: 'target.ts' })).toEqual({ ...shared, target: 'target.ts' });
  });

  it('gives way to a program after "--" and to an image', () => {
    const configured = { ...shared, target: 'target.ts' };

    expect(mergeTargetFlags(configured, { command: ['bin/manager'] })).toEqual({ ...shared, command: ['bin/manager'] });
    expect(mergeTargetFlags(configured, { image: 'manager:dev' })).toEqual({ ...shared, image: 'manager:dev' });
  });

  it('gives way to an image, with what is for programs on this machine', () => {
    const here = { directory: '/project', network: 'host', fileSystem: 'host', time: 'real' } as const;
    const configured = { ...shared, ...here, command: ['bin/manager'], metrics: 'http://127.0.0.1:1/' };

    expect(mergeTargetFlags(configured, { image: 'manager:dev' })).toEqual({ ...shared, image: 'manager:dev' });
    expect(mergeTargetFlags({ ...shared, image: 'manager:1', command: ['-v'] }, { image: 'manager:2' })).toEqual({
      ...shared,
      image: 'manager:2',
      command: ['-v'],
    });
  });

  it('leaves contradictions within one of the two to be told', () => {
    const both = { target: 'target.ts', command: ['bin/manager'] };

    expect(mergeTargetFlags(shared, both)).toEqual({ ...shared, ...both });
    expect(mergeTargetFlags({ ...shared, ...both }, {})).toEqual({ ...shared, ...both });
  });
});
