/**
 * `stalemate serve`: serves the embedded API server on a port, for kubectl, for controllers in any language, and for manual
 * experiments.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import type { HttpServer, ServeOptions, TlsOptions } from 'stalemate-apiserver/http';
import type { ApiServer, AuthorizationMode } from 'stalemate-apiserver';
import type { KubeletAnswers } from 'stalemate-apiserver/wire/declared-answers';
import type { UserInfo } from 'stalemate-apiserver/wire/http';
import { HarnessError, withOwnErrors } from '../../model/errors.ts';
import { writeWhole } from '../../report/write-files.ts';
import { choice, collect, portArgument } from '../arguments.ts';
import type { ServedControllers } from '../embedded-server.ts';
import type { CommandContext } from '../command-context.ts';
import { readText } from '../read-text.ts';
import { webhookServices } from '../webhook-services.ts';

interface ServeFlags {
  readonly port?: number;
  readonly plainHttp?: boolean;
  readonly crds?: readonly string[];
  readonly controllers: ServedControllers;
  readonly authorization: AuthorizationMode;
  readonly tokenFile?: string;
  readonly webhookService?: readonly string[];
  readonly answers?: string;
  readonly writeKubeconfig?: string;
}

const HELP = `
HTTP/1.1 and HTTP/2 over TLS, with a certificate authority of its own: the kubeconfig holds its certificate and the token of an
administrator. Requests without a known token or a certificate get 401 (under rbac they come from system:anonymous), as from
kube-apiserver. With --plain-http they may do everything.
Everything is in memory and lost when it ends (Ctrl-C).

Values of --controllers:
  none       an API server and nothing behind it: pods do not start, deleted namespaces stay
  gc         garbage collection and namespace deletion (default)
  workloads  those and Deployments, ReplicaSets, StatefulSets, Jobs, claims and pods that become ready, without containers

Webhooks are called at their url; those behind a service where --webhook-service says that it listens. Their certificates are checked
against caBundle, for the name NAME.NAMESPACE.svc.

Examples:
  stalemate serve --crds config/crd --write-kubeconfig kubeconfig.yaml
  kubectl --kubeconfig kubeconfig.yaml get namespaces
  stalemate serve --webhook-service system/webhook-service=127.0.0.1:9443
  stalemate serve --plain-http --port 8001
  curl http://127.0.0.1:8001/api/v1/namespaces`;

const ENVIRONMENTS: readonly ServedControllers[] = ['none', 'gc', 'workloads'];

export function serveCommand(context: CommandContext): Command {
  return new Command('serve')
    .description('Serve the embedded API server on loopback.')
    .option('--port <n>', 'port (default: chosen by the system)', portArgument)
    .option('--plain-http', 'HTTP/1.1 without TLS and without authentication')
    .option('--crds <path>', 'file or folder with CRDs to install; may be given several times', collect)
    .addOption(choice('--controllers <names>', 'what runs beside it', ENVIRONMENTS).default('gc'))
    .addOption(choice('--authorization <mode>', 'who may do what', ['allow-all', 'rbac']).default('allow-all'))
    .option('--token-file <csv>', 'bearer tokens: lines of token,user,uid,"group1,group2"')
    .option(
      '--webhook-service <map>',
      'where a webhook listens: NAMESPACE/NAME[:PORT]=HOST:PORT (several times)',
      collect,
    )
    .option('--answers <file>', 'what pods and services answer: exec, logs, port-forward, services/proxy')
    .option('--write-kubeconfig <file>', 'write a kubeconfig that points here')
    .addHelpText('after', HELP)
    .action((flags: ServeFlags) => serve(flags, context));
}

async function serve(flags: ServeFlags, { console, signal }: CommandContext): Promise<void> {
  // Few objects outlive a request. A small young generation, and a full collection before the heap has grown by a third, save a third of
  // the memory, and lower the rate of creates by only a twentieth.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=35');
  const { createServer, animate } = await import('../embedded-server.ts');
  const { authorization, webhookService = [] } = flags;
  const resolveService = webhookServices(webhookService);
  if (flags.writeKubeconfig !== undefined) await checkOurs(flags.writeKubeconfig);
  const security = flags.plainHttp === true ? undefined : await secured();
  const given = await tokensOf(flags);
  const tokens = security === undefined ? given : new Map([...(given ?? []), [security.adminToken, ADMINISTRATOR]]);
  const answers = flags.answers === undefined ? {} : { kubelet: await answersIn(flags.answers) };
  const server = createServer({
    authorization,
    resolveService,
    ...answers,
    ...(tokens === undefined ? {} : { tokens }),
  });
  if (flags.crds !== undefined) {
    const { loadCrds } = await import('../../execution/project/manifests.ts');
    const { installCrds } = await import('../../clusters/definitions.ts');
    installCrds(server, loadCrds(flags.crds));
  }
  const { ANONYMOUS, UNSECURED } = await import('stalemate-apiserver/http');
  // Real servers disable anonymous requests with AlwaysAllow: with both, a request without credentials could do anything.
  const anonymous = security === undefined ? UNSECURED : authorization === 'rbac' ? ANONYMOUS : undefined;
  const http = await listen(server, flags, {
    ...(security === undefined ? {} : { tls: security.tls }),
    authentication: {
      verifyToken: (token) => server.serviceAccountOf(token),
      ...(tokens === undefined ? {} : { tokens }),
      ...(anonymous === undefined ? {} : { anonymous }),
    },
  });
  server.boot(http.port);
  const forget = await noted(server, http.url);
  const stop = await animate(server, flags.controllers, security?.ca ?? '');
  try {
    if (flags.writeKubeconfig !== undefined)
      writeWhole(flags.writeKubeconfig, await kubeconfigText(http.url, security), PRIVATE);
    console.out(`serving on ${http.url}\n`);
    if (security !== undefined && flags.writeKubeconfig === undefined && flags.tokenFile === undefined)
      console.err('no client can authenticate: add --write-kubeconfig FILE or --token-file CSV\n');
    if (flags.writeKubeconfig !== undefined)
      console.err(`kubectl --kubeconfig ${flags.writeKubeconfig} get namespaces\n`);
    await new Promise<void>((stopped) => {
      if (signal.aborted) stopped();
      else signal.addEventListener('abort', () => stopped(), { once: true });
    });
  } finally {
    stop();
    forget();
    await http.close();
  }
}

/** Records the served cluster, so that a run on it needs no permission; returns a function that removes the record. */
async function noted(server: ApiServer, url: string): Promise<() => void> {
  const { noteServed } = await import('../../clusters/existing/served-clusters.ts');
  const system = server.objects('namespaces').find(({ metadata }) => metadata.name === 'kube-system');
  return noteServed(system?.metadata.uid ?? '', url);
}

async function listen(server: ApiServer, flags: ServeFlags, options: ServeOptions): Promise<HttpServer> {
  const { serveHttp } = await import('stalemate-apiserver/http');
  return serveHttp(server, { ...options, port: flags.port ?? 0 }).catch((error: NodeJS.ErrnoException) => {
    throw new HarnessError(
      'USAGE',
      `could not listen on port ${flags.port ?? 0} (${error.code}), expected a free port; name another with --port`,
    );
  });
}

async function tokensOf({ tokenFile }: ServeFlags): Promise<ReadonlyMap<string, UserInfo> | undefined> {
  if (tokenFile === undefined) return undefined;
  const { parseTokens } = await import('stalemate-apiserver/http');
  return withOwnErrors(() => parseTokens(readText(tokenFile, 'token'), tokenFile));
}

async function answersIn(file: string): Promise<KubeletAnswers> {
  const { readAnswers } = await import('../../execution/config/answers.ts');
  return readAnswers(resolve(file));
}

interface Security {
  readonly tls: TlsOptions;
  /** The CA certificate, in PEM format. */
  readonly ca: string;
  readonly adminToken: string;
}

const ADMINISTRATOR: UserInfo = { name: 'kubernetes-admin', groups: ['system:masters'] };

async function secured(): Promise<Security> {
  const { randomBytes } = await import('node:crypto');
  const { CertificateAuthority } = await import('stalemate-apiserver/http');
  const authority = new CertificateAuthority();
  const ca = authority.certificate;
  return {
    tls: { identity: authority.issueServer(), clientCa: ca },
    ca,
    adminToken: randomBytes(16).toString('hex'),
  };
}

/** The mode of the kubeconfig, which contains an administrator's token. */
const PRIVATE = 0o600;

/** Refuses to overwrite a kubeconfig unless `serve` has written it. */
async function checkOurs(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const { parseDocument } = await import('yaml');
  const found: unknown = parseDocument(readText(path, 'kubeconfig')).toJSON();
  const { clusters } = (found ?? {}) as { readonly clusters?: readonly { readonly name?: string }[] };
  if (found !== null && !(clusters ?? [{}]).every(({ name }) => name === 'stalemate'))
    throw new HarnessError(
      'USAGE',
      `got --write-kubeconfig "${path}", which holds other clusters or is no kubeconfig; expected a new file, or one that serve wrote; name another`,
    );
}

/**
 * Renders the kubeconfig. It has a token instead of a client certificate: fabric8 only reads RSA keys unless Bouncy Castle is
 * on its class path, and generating an RSA key takes longer than the rest of the start.
 */
async function kubeconfigText(server: string, security: Security | undefined): Promise<string> {
  const { stringify } = await import('yaml');
  const { kubeconfigOf } = await import('stalemate-apiserver/wire/kubeconfig');
  const trusted = security === undefined ? {} : { ca: security.ca, token: security.adminToken };
  return stringify(kubeconfigOf({ name: 'stalemate', server, ...trusted }));
}
