/**
 * The container engine that kind uses, and its node images.
 *
 * Owns: choosing the engine and the image of a cluster. If either is missing, the error appears within a second, before anything is
 * created. Images are never pulled implicitly, as each is half a gigabyte. Start at {@link findEngine} and {@link nodeImage}.
 */
import type { EnvVars } from 'stalemate-apiserver/processes/env-vars';
import { HarnessError } from '../../model/errors.ts';
import type { KindOptions } from '../../model/kind-options.ts';
import { called } from './cli.ts';

/** The engines, in kind's search order. */
const ENGINES = ['docker', 'nerdctl', 'podman'] as const;
export type Engine = (typeof ENGINES)[number];

/** The time limit for an engine that hangs; an engine that is missing or not running fails at once. */
const ANSWER_MS = 10_000;
const PROVIDER = 'KIND_EXPERIMENTAL_PROVIDER';
const REPOSITORY = 'kindest/node';
const ELSEWHERE = '"--cluster embedded" needs nothing, "--cluster envtest" needs two binaries and no containers';

/**
 * Returns the engine that `KIND_EXPERIMENTAL_PROVIDER` names, or the first that answers.
 *
 * @throws {CLUSTER_UNAVAILABLE} if kind is not installed, or no engine answers.
 */
export async function findEngine(environment: EnvVars = process.env): Promise<Engine> {
  const wanted = environment[PROVIDER] ?? '';
  if (wanted !== '' && !ENGINES.some((one) => one === wanted))
    throw missing(`${PROVIDER} is "${wanted}", expected one of ${ENGINES.join(', ')}; correct or unset it`);
  const candidates = wanted === '' ? ENGINES : ENGINES.filter((one) => one === wanted);
  const [kind, ...engines] = await Promise.all([
    answerOf(['kind', 'version'], environment),
    ...candidates.map((engine) => answerOf([engine, 'ps', '--quiet'], environment)),
  ]);
  if (kind?.code !== 0)
    throw missing(
      'there is no "kind" on the PATH; install it with "go install sigs.k8s.io/kind@v0.32.0", or as https://kind.sigs.k8s.io says',
    );
  const at = engines.findIndex(({ code }) => code === 0);
  const found = candidates[at];
  if (found !== undefined) return found;
  const installed = candidates.flatMap((engine, index) => {
    const answer = engines[index];
    return answer === undefined || answer.code === NOT_FOUND ? [] : [`${engine}: ${answer.text || 'no answer'}`];
  });
  throw missing(
    installed.length === 0
      ? `there is no container engine, expected ${candidates.join(', ')}; install one`
      : `no container engine answers (${installed.join('; ')}); start it`,
  );
}

/**
 * Returns the node's image: the named one, or the engine's newest kind image.
 *
 * @throws {CLUSTER_UNAVAILABLE} if the engine has no such image.
 */
export async function nodeImage(engine: Engine, { image, kubernetesVersion }: KindOptions): Promise<string> {
  const version = kubernetesVersion?.replace(/^v/, '');
  if (image !== undefined) {
    const { code } = await answerOf([engine, 'image', 'inspect', '--format', '{{.Id}}', image]);
    if (code !== 0)
      throw missing(`${engine} has no image "${image}"; fetch it with "${engine} pull ${image}", or name another one`);
    if (version !== undefined && !image.includes(`v${version}`))
      throw missing(
        `got image "${image}" for Kubernetes ${version}, expected one whose tag says so; leave one of both out`,
      );
    return image;
  }
  const { text } = await answerOf([engine, 'image', 'ls', '--format', '{{.Repository}}:{{.Tag}}']);
  const there = text.split('\n').filter((name) => name.includes(`${REPOSITORY}:v`));
  const tagOf = (name: string): string => name.slice(name.lastIndexOf(':v') + 2);
  const fitting = there.filter((name) => {
    const tag = tagOf(name);
    return version === undefined || tag === version || tag.startsWith(`${version}.`);
  });
  const [newest] = fitting.toSorted((a, b) => tagOf(b).localeCompare(tagOf(a), 'en', { numeric: true }));
  if (newest !== undefined) return newest;
  const has = there.length === 0 ? 'none' : there.join(', ');
  throw missing(
    `${engine} has no node image${version === undefined ? '' : ` of Kubernetes ${version}`} (${has}); fetch one with "${engine} pull ${REPOSITORY}:v${version ?? '1.36.1'}" (tags: https://github.com/kubernetes-sigs/kind/releases), or name one with --kind-image`,
  );
}

const NOT_FOUND = 127;

async function answerOf(
  command: readonly string[],
  env: EnvVars = process.env,
): Promise<{ readonly code: number | null; readonly text: string }> {
  const { code, stdout, stderr } = await called(command, { env, timeoutMs: ANSWER_MS });
  return { code, text: (code === 0 ? stdout : (stderr.trim().split('\n').at(-1) ?? '')).trim() };
}

function missing(what: string): HarnessError {
  return new HarnessError('CLUSTER_UNAVAILABLE', `no kind cluster can be made: ${what}. ${ELSEWHERE}`);
}
