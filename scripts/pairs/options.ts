/** The controllers with planted bugs as options for a campaign. */
import { fileURLToPath } from 'node:url';
import type { Pair, PlantedBug } from '../../controllers-under-test/pairs/pairs.ts';
import type { StalemateOptions } from '../../harness/index.ts';
import { writeWhole } from '../../harness/report/write-files.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONTROLLERS = `${ROOT}controllers-under-test/`;

/** For example `releases takes-spec-from-cache + rebuilds-finalizers`. */
export function nameOf({ controller }: Pick<Pair, 'controller'>, bugs: readonly PlantedBug[]): string {
  return `${controller} ${bugs.length === 0 ? 'without bugs' : bugs.map(({ bug }) => bug).join(' + ')}`;
}

/**
 * Returns the options of a campaign against a controller with these bugs, possibly none. Writes a module of one line that starts the
 * controller to `.stalemate/pairs`, and leaves it there for `stalemate run` and `replay`.
 */
export function optionsFor(
  { controller, crd = `${controller}/crd.yaml` }: Pick<Pair, 'controller' | 'crd'>,
  bugs: readonly PlantedBug[],
  more: StalemateOptions = {},
): StalemateOptions {
  const names = [controller, ...bugs.map(({ bug }) => bug)];
  const target = `${ROOT}.stalemate/pairs/${names.join('--')}.ts`;
  const start = '../../controllers-under-test/pairs/start.ts';
  writeWhole(
    target,
    `import { withBugs } from '${start}';\n\nexport default withBugs(${names.map((name) => `'${name}'`).join(', ')});\n`,
  );
  return {
    target,
    crds: [CONTROLLERS + crd],
    samples: [`${CONTROLLERS}${controller}/sample.yaml`],
    ...(controller === 'disks' ? { effects: true } : {}),
    ...more,
  };
}
