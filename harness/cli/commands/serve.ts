/** `stalemate serve`: the embedded API server on a port, for kubectl and for trying a controller by hand. */
import { Command } from 'commander';
import { stringify } from 'yaml';
import { loadCrds } from '../../execution/manifests.ts';
import { HarnessError } from '../../model/errors.ts';
import { writeWhole } from '../../report/write-files.ts';
import { collect, portArgument } from '../arguments.ts';
import type { CommandContext } from '../main.ts';

interface ServeFlags {
  readonly port?: number;
  readonly crds?: readonly string[];
  readonly writeKubeconfig?: string;
}

const HELP = `
Everything is kept in memory and gone when it ends (Ctrl-C). There are no nodes and no controllers behind it: pods do not start.

Example:
  stalemate serve --crds config/crd --write-kubeconfig kubeconfig.yaml
  kubectl --kubeconfig kubeconfig.yaml get namespaces`;

export function serveCommand(context: CommandContext): Command {
  return new Command('serve')
    .description('Serve the embedded API server on loopback.')
    .option('--port <n>', 'port (default: chosen by the system)', portArgument)
    .option('--crds <path>', 'file or folder with CRDs to install; may be given several times', collect)
    .option('--write-kubeconfig <file>', 'write a kubeconfig that points here')
    .addHelpText('after', HELP)
    .action((flags: ServeFlags) => serve(flags, context));
}

async function serve(flags: ServeFlags, { console, signal }: CommandContext): Promise<void> {
  const { createServer } = await import('../embedded-server.ts');
  const { serveHttp } = await import('../../apiserver/http/serve.ts');
  const server = createServer();
  for (const crd of loadCrds(flags.crds ?? [])) server.installCrd(crd);
  const http = await serveHttp(server, { port: flags.port ?? 0 }).catch((error: NodeJS.ErrnoException) => {
    throw new HarnessError(
      'USAGE',
      `could not listen on port ${flags.port ?? 0} (${error.code}), expected a free port; name another with --port`,
    );
  });
  try {
    if (flags.writeKubeconfig !== undefined) writeWhole(flags.writeKubeconfig, kubeconfigText(http.url));
    console.out(`serving on ${http.url}\n`);
    if (flags.writeKubeconfig !== undefined)
      console.err(`kubectl --kubeconfig ${flags.writeKubeconfig} get namespaces\n`);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    await http.close();
  }
}

/** `insecure-skip-tls-verify` because client-node asks for it before it talks plain HTTP. */
function kubeconfigText(url: string): string {
  const name = 'stalemate';
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  });
}
