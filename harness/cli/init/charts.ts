/**
 * Finds Helm charts that install the controller, and renders them with their default values.
 *
 * Start at {@link chartsIn} and {@link renderedChart}.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { isRecord } from 'stalemate-apiserver/objects/json';
import { parseManifests } from '../../execution/project/manifest-files.ts';
import { HarnessError } from '../../model/errors.ts';
import { readFileText } from '../../report/read-files.ts';
import { ASIDE, WORKLOAD } from './deployed.ts';
import { renderChart } from './helm.ts';
import type { Repository } from './repository.ts';

const CHART = 'Chart.yaml';
const BINDING = /^kind:\s*["']?(?:Cluster)?RoleBinding\b/m;

/** Returns folders of charts with a workload and roles, those near the top first. Subcharts are part of their parent. */
export function chartsIn({ files, text }: Repository): readonly string[] {
  const folders = files.filter((file) => posix.basename(file) === CHART).map((file) => posix.dirname(file));
  return folders
    .filter((folder) => !ASIDE.test(`${folder}/`) && !folders.some((other) => folder.startsWith(`${other}/charts/`)))
    .filter((folder) => {
      const templates = files.filter((file) => file.startsWith(`${folder}/templates/`) && /\.ya?ml$/.test(file));
      return [WORKLOAD, BINDING].every((kind) => templates.some((file) => kind.test(text(file))));
    });
}

/**
 * Renders a chart, without CRDs that the project has elsewhere; undefined if it does not render. Missing dependencies are left
 * out.
 */
export function renderedChart(
  helm: string,
  folder: string,
  { cwd, known }: { readonly cwd: string; readonly known: ReadonlySet<string> },
): string | undefined {
  const path = resolve(cwd, folder);
  const release = posix.basename(folder).toLowerCase();
  const text = renderChart(helm, path, release) ?? withoutDependencies(helm, path, release);
  if (text === undefined) return undefined;
  try {
    return parseManifests(text, folder, false)
      .filter(({ object }) => object.kind !== 'CustomResourceDefinition' || !known.has(object.metadata.name ?? ''))
      .map(({ object }) => stringify(object))
      .join('---\n');
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return undefined;
  }
}

function withoutDependencies(helm: string, path: string, release: string): string | undefined {
  const copy = mkdtempSync(join(tmpdir(), 'stalemate-chart-'));
  try {
    cpSync(path, copy, { recursive: true });
    const file = join(copy, CHART);
    const chart: unknown = parse(readFileText(file));
    if (!isRecord(chart) || chart['dependencies'] === undefined) return undefined;
    const { dependencies: _, ...rest } = chart;
    writeFileSync(file, stringify(rest));
    return renderChart(helm, copy, release);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
