/** Guards against targets: what a program and a module can see, connect to, start and write. */
import type { Guard } from './guard.ts';

const VIEW = 'harness/actors/process/file-view.test.ts';
const ENVIRONMENT = 'harness/actors/process/command.test.ts';
const MODULES = 'harness/test/bad-targets.test.ts';
const REFUSED = 'is refused what leads to another cluster, with the line that asks for it';

export const TARGET_GUARDS: readonly Guard[] = [
  {
    name: 'a program has a network of its own',
    file: 'harness/actors/process/enclosure.ts',
    before: 'processWrapper(fileSystem, namespace)',
    after: 'processWrapper(fileSystem)',
    noticedBy: ['harness/actors/process/enclosure.test.ts', 'shows a program our socket, and none of the host'],
  },
  {
    name: 'a program writes to a copy of its project',
    file: 'harness/actors/process/file-view.ts',
    before: '[`--${access}`, path]',
    after: "[access === 'overlay' ? '--write' : `--${access}`, path]",
    noticedBy: [VIEW, 'sees its project, and what it writes there is discarded'],
  },
  {
    name: 'a program writes to no folder around its project',
    file: 'harness/actors/process/file-view.ts',
    before: "    '--cd',\n",
    after: "    '--write',\n    dirname(viewer.cwd),\n    '--cd',\n",
    reason:
      'the launcher, a binary, makes everything read-only that is not named; the edit names a folder that the test removes',
    noticedBy: [VIEW, 'writes to nothing that lasts but its own folder'],
  },
  {
    name: 'a program sees no other folder of the host',
    file: 'harness/actors/process/file-view.ts',
    before: '    ...hidden.flatMap(',
    // The other hidden folders stay: the launcher mounts the files of a pod over one of them.
    after: '    ...hidden.filter((folder) => !isWithin(viewer.cwd, folder)).flatMap(',
    noticedBy: [VIEW, 'sees no home, no state folder, and no other folder of the host'],
  },
  {
    name: 'a program sees no kubeconfig of the user',
    file: 'harness/actors/process/file-view.ts',
    before: '    ...kubeconfigs(session),\n',
    after: '',
    noticedBy: [VIEW, 'hides the user’s kubeconfig wherever it lies'],
  },
  {
    name: 'a program gets listed variables of the session only',
    file: 'harness/actors/process/command.ts',
    before: 'if (value !== undefined && ALLOWED.test(name))',
    after: 'if (value !== undefined)',
    noticedBy: [
      ENVIRONMENT,
      'gives a program a home of its own, the kubeconfig of its run, and what its author asks for',
    ],
  },
  {
    name: 'a module gets listed variables of the session only',
    file: 'harness/actors/process/command.ts',
    before: 'value !== undefined && (ALLOWED.test(name) || OWN.test(name))',
    after: 'value !== undefined',
    noticedBy: [ENVIRONMENT, 'gives a module nothing of the session that leads to a cluster or grants anything'],
  },
  {
    name: 'a module finds the kubeconfig of no cluster',
    file: 'harness/actors/process/command.ts',
    before: 'USERPROFILE: NO_HOME, KUBECONFIG: NO_CLUSTER };',
    after: 'USERPROFILE: NO_HOME };',
    noticedBy: [MODULES, `${REFUSED}: finds-a-cluster`],
  },
  {
    name: 'a module opens no connection',
    file: 'harness/actors/in-process/outward-guard.ts',
    before: "  patches.value(Socket.prototype, 'connect', connect);\n",
    after: '',
    noticedBy: [MODULES, `${REFUSED}: dials-out`],
  },
  {
    name: 'a module starts no program',
    file: 'harness/actors/in-process/outward-guard.ts',
    before: "patches.value(ChildProcess.prototype, 'spawn',",
    after: "patches.value({ spawn: () => {} }, 'spawn',",
    noticedBy: [MODULES, `${REFUSED}: starts-programs`],
  },
  {
    name: 'a module runs no program synchronously',
    file: 'harness/actors/in-process/outward-guard.ts',
    before: "for (const name of ['spawnSync', 'execFileSync', 'execSync'])",
    after: 'for (const name of [])',
    noticedBy: [MODULES, `${REFUSED}: waits-for-programs`],
  },
  {
    name: 'a module starts no thread',
    file: 'harness/actors/in-process/outward-guard.ts',
    before: "  patches.value(workerThreads, 'Worker', guarded);\n",
    after: '',
    noticedBy: [MODULES, `${REFUSED}: starts-workers`],
  },
];
