/**
 * The clients to compare, and what each does: the language controllers, client-go's informers, kubectl.
 *
 * Owns: the informers' steps and the list. Does not own: the other clients' steps (`goal.ts`, `kubectl.ts`). Start at {@link STORIES}.
 */
import { join } from 'node:path';
import { buildFolder, CONTROLLER_TABLE, goBuild, type LanguageController } from './controllers.ts';
import { clear, reachGoal } from './goal.ts';
import { kubectlStory } from './kubectl.ts';
import { lastLines, type Running, start, StepFailed, until } from './processes.ts';
import type { PlainObject } from './server.ts';
import type { Story } from './story.ts';

const TIMEOUT_MS = 60_000;

const controllerStory = (controller: LanguageController): Story => ({
  client: controller.name,
  depth: 'fields',
  needs: controller.needs,
  build: (log) => controller.build(buildFolder(controller.name), log),
  run: async ({ server, kubeconfig, folder, done }) => {
    const command = controller.command(buildFolder(controller.name));
    let running: Running | undefined;
    await clear(server.objects);
    try {
      await reachGoal(server.objects, () => {
        const env = { ...command.env, KUBECONFIG: kubeconfig };
        running = start({ ...command, env }, join(folder, `${controller.name}.log`));
        return running;
      });
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      throw new StepFailed(`${error.message}\n${lastLines(running?.output() ?? '')}`);
    }
    done('buckets');
  },
});

const INFORMERS = 'go-informers';

const object = (kind: string, name: string, rest: { readonly [key: string]: unknown }): PlainObject => ({
  apiVersion: kind === 'Bucket' ? 'storage.example.com/v1' : 'v1',
  kind,
  metadata: { name, namespace: 'default' },
  ...rest,
});

/** For each kind, one object that exists before the informers start, and one that is created and deleted later. */
const WATCHED = (['ConfigMap', 'Secret', 'Bucket'] as const).map((kind) => {
  const content = (text: string): object =>
    kind === 'Bucket' ? { spec: { sizeGiB: text.length } } : stringData(kind, text);
  return {
    word: kind === 'ConfigMap' ? 'config map' : kind.toLowerCase(),
    early: object(kind, 'watched-early', { ...content('a') }),
    late: object(kind, 'watched-late', { ...content('a') }),
    changed: object(kind, 'watched-late', { ...content('abc') }),
  };
});

function stringData(kind: 'ConfigMap' | 'Secret', text: string): object {
  return kind === 'ConfigMap' ? { data: { text } } : { stringData: { text } };
}

const informerStory = (watchList: boolean): Story => ({
  client: watchList ? 'informers-watchlist' : 'informers-list',
  depth: 'values',
  needs: 'go',
  build: (log) => goBuild(buildFolder(INFORMERS), './informers', log),
  run: async ({ server: { objects }, kubeconfig, folder, done }) => {
    for (const { early, late } of WATCHED) {
      await objects.remove(early);
      await objects.remove(late);
      await objects.create(early);
    }
    const env = { KUBECONFIG: kubeconfig, KUBE_FEATURE_WatchListClient: String(watchList) };
    const log = join(folder, `informers-${watchList}.log`);
    const running = start({ file: join(buildFolder(INFORMERS), 'informers'), args: [], env }, log);
    const says = (text: string): Promise<number> =>
      until(`"${text}"`, TIMEOUT_MS, () => running.output().includes(text), running);
    try {
      await says('synced');
      for (const { word, early, late, changed } of WATCHED) {
        await says(`${word} ${early.metadata.name} added`);
        await objects.create(late);
        await says(`${word} ${late.metadata.name} added`);
        await objects.merge(changed);
        await says(`${word} ${late.metadata.name} updated`);
        await objects.remove(late);
        await says(`${word} ${late.metadata.name} deleted`);
      }
      done('informers');
    } finally {
      await running.stop();
      for (const { early } of WATCHED) await objects.remove(early);
    }
  },
});

export const STORIES: readonly Story[] = [
  kubectlStory,
  informerStory(true),
  informerStory(false),
  ...CONTROLLER_TABLE.map(controllerStory),
];
