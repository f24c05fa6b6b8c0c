/** Guards for clusters: which clusters are used, which files are written, and which processes are ended. */
import type { Guard } from './guard.ts';

const RECORD = 'harness/test/record.test.ts';
const SCRATCH = 'apiserver/processes/scratch.test.ts';

export const CLUSTER_GUARDS: readonly Guard[] = [
  {
    name: 'record starts no command with a misspelt placeholder',
    file: 'harness/cli/commands/record.ts',
    before: "if (misspelt?.meant === '{kubeconfig}')",
    after: "if (misspelt?.meant === 'none')",
    noticedBy: [RECORD, 'with a misspelt placeholder is not started'],
  },
  {
    name: 'record sends no request to a remote server that is not allowed',
    file: 'harness/clusters/existing/admission.ts',
    before: '  guardCluster(access, isByName || isKnownThere || clusters.length > 0 || ask !== undefined);\n',
    // Without the guard, requests go to a closed port on this machine.
    after: "  if (!remote.url.includes('127.0.0.1')) Object.assign(remote, { url: 'http://127.0.0.1:1' });\n",
    noticedBy: [RECORD, 'a cluster elsewhere, whatever its name'],
  },
  {
    name: 'record uses no cluster of the session',
    file: 'harness/cli/commands/record.ts',
    before: ".option('--kubeconfig <file>', 'the cluster that the command is to use')",
    after: ".option('--kubeconfig <file>', 'the cluster that the command is to use', process.env['KUBECONFIG'])",
    reason: 'nothing looks for the cluster of the session; the edit does',
    noticedBy: [RECORD, 'the cluster of the session'],
  },
  {
    name: 'serve replaces kubeconfigs of its own only',
    file: 'harness/cli/commands/serve.ts',
    before: '  if (flags.writeKubeconfig !== undefined) await checkOurs(flags.writeKubeconfig);\n',
    after: '',
    noticedBy: ['harness/cli/serve.test.ts', 'never writes over the kubeconfig of other clusters'],
  },
  {
    name: 'serve calls a webhook where it was installed',
    file: 'apiserver/server/http/call-out.ts',
    before: "port: url.port === '' ? 443 : Number(url.port),",
    after: 'port: 443,',
    noticedBy: ['apiserver/server/http/call-out.test.ts', 'carries the reviews of a server to a webhook and back'],
  },
  {
    name: 'clean ends no process of a live run',
    file: 'apiserver/processes/scratch.ts',
    before: '    if (isOurProcess({ host: ourHost(), pid: Number(pid), started })) return [];\n',
    after: '',
    noticedBy: [SCRATCH, 'ends what somebody has left who is gone, and nothing of those who still live'],
  },
  {
    name: 'clean ends one kind of programs at a time',
    file: 'apiserver/processes/scratch.ts',
    before: 'if (found !== `stalemate-${kind}` || host !== hostMark() || !isOwn(folder)) return [];',
    after: 'if (found === undefined || host !== hostMark() || !isOwn(folder)) return [];',
    noticedBy: [SCRATCH, 'ends what somebody has left who is gone, and nothing of those who still live'],
  },
  {
    name: 'no request of stalemate follows a redirection',
    file: 'harness/clusters/real/own-requests.ts',
    before: '  if (isRedirect(answer.code)) throw sentElsewhere(answer.code, `${method} ${path}`);\n',
    after: '',
    noticedBy: [
      'harness/clusters/existing/redirect.test.ts',
      'ends with a redirection of what stalemate asks for itself',
    ],
  },
  {
    name: 'clean uses the cluster of the run',
    file: 'harness/clusters/existing/admission.ts',
    before: 'if (same !== undefined && uid !== same)',
    after: 'if (false)',
    noticedBy: ['harness/clusters/existing/admission.test.ts', 'is the one that it was'],
  },
];
