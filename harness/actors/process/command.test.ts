import { expect, it } from 'vitest';
import { cleanEnvironment, moduleEnvironment } from './command.ts';

const SESSION = {
  ...{ PATH: '/bin', HOME: '/users/me', KUBECONFIG: '/users/me/.kube/config', STALEMATE_KUBECONFIG: '/users/me/other' },
  ...{ GITHUB_TOKEN: 't', AWS_SECRET_ACCESS_KEY: 's', NODE_AUTH_TOKEN: 'n', SSH_AUTH_SOCK: '/run/agent' },
  ...{ NODE_OPTIONS: '--enable-source-maps', NO_COLOR: '1' },
};

it('gives a module nothing of the session that leads to a cluster or grants anything', () => {
  const { HOME, USERPROFILE, KUBECONFIG, ...rest } = moduleEnvironment(SESSION);

  expect(rest).toEqual({ PATH: '/bin', NODE_OPTIONS: '--enable-source-maps', NO_COLOR: '1' });
  expect([HOME, USERPROFILE]).toEqual([HOME, HOME]);
  expect(HOME).not.toBe(SESSION.HOME);
  expect(KUBECONFIG).toMatch(/no-cluster\.yaml$/);
});

it('gives a program a home of its own, the kubeconfig of its run, and what its author asks for', () => {
  const { JAVA_TOOL_OPTIONS, ...rest } = cleanEnvironment(SESSION, '/tmp/life', '/tmp/life/kubeconfig', {
    MODE: 'fast',
  });

  expect(rest).toEqual({
    ...{ PATH: '/bin', HOME: '/tmp/life', TMPDIR: '/tmp/life', KUBECONFIG: '/tmp/life/kubeconfig', MODE: 'fast' },
  });
  expect(JAVA_TOOL_OPTIONS).toBeDefined();
});

it('lets Java start quickly, unless its author has options of their own', () => {
  const optionsWith = (own: { readonly [name: string]: string }): string | undefined =>
    cleanEnvironment({ ...SESSION, JAVA_TOOL_OPTIONS: '-Xmx1g' }, '/home', '/kubeconfig', own)['JAVA_TOOL_OPTIONS'];

  expect(optionsWith({})).toBe('-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=3');
  expect(optionsWith({ JAVA_TOOL_OPTIONS: '-Xmx64m' })).toBe('-Xmx64m');
  expect(optionsWith({ JAVA_TOOL_OPTIONS: '' })).toBe('');
});
