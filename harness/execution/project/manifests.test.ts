import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HarnessError } from '../../model/errors.ts';
import { parseManifests } from './manifest-files.ts';
import { loadCrds, loadSamples, withoutConversionWebhooks } from './manifests.ts';

const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, kind: Widget }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema: { type: object }
`;
const SAMPLE = `apiVersion: example.com/v1
kind: Widget
metadata: { name: a }
`;
const BUILT_IN = new Set(['v1/ConfigMap', 'apps/v1/Deployment']);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-manifests-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Returns the message of the error that `load` throws, without the folder. */
function refusal(load: () => unknown): string {
  try {
    load();
  } catch (error) {
    if (!(error instanceof HarnessError) || error.code !== 'MANIFEST_INVALID') throw error;
    return error.message.replaceAll(`${folder}/`, '');
  }
  throw new Error('expected a refusal');
}

describe('loadCrds', () => {
  it('reads a file and a folder, which may hold other files too', () => {
    const single = file('crd.yaml', CRD);
    const bases = join(folder, 'bases');
    mkdirSync(bases);
    writeFileSync(join(bases, 'a.yaml'), `${SAMPLE}---\n${CRD.replaceAll('widget', 'gadget')}`);
    writeFileSync(join(bases, 'kustomization.yaml'), 'resources: [a.yaml]\n');
    writeFileSync(join(bases, 'notes.txt'), 'not: yaml: at all');

    expect(loadCrds([single, bases]).map(({ metadata }) => metadata.name)).toEqual([
      'widgets.example.com',
      'gadgets.example.com',
    ]);
  });

  it('takes the first of several definitions of the same name, which a bundle repeats', () => {
    const single = file('crd.yaml', CRD);
    const bundle = file('bundle.yaml', `${CRD.replace('Namespaced', 'Cluster')}---\n${SAMPLE}`);

    expect(loadCrds([single, bundle]).map(({ spec }) => spec)).toMatchObject([{ scope: 'Namespaced' }]);
  });

  it('finds what controller-gen makes below config/crd, and passes over patches and kustomizations', () => {
    const crd = join(folder, 'crd');
    mkdirSync(join(crd, 'bases'), { recursive: true });
    mkdirSync(join(crd, 'patches'));
    writeFileSync(join(crd, 'kustomization.yaml'), 'resources: [bases/a.yaml]\n');
    writeFileSync(join(crd, 'bases', 'a.yaml'), CRD);
    const patch =
      'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\n';
    writeFileSync(join(crd, 'patches', 'webhook.yaml'), `${patch}spec: {conversion: {strategy: Webhook}}\n`);

    expect(loadCrds([crd]).map(({ metadata }) => metadata.name)).toEqual(['widgets.example.com']);
    expect(refusal(() => loadCrds([join(crd, 'patches')]))).toContain('holds no CustomResourceDefinition');
  });

  it('says where a key is no text, in a sentence of its own and without the parser’s warnings', () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const nested = file('nested.yaml', 'apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec: {? {b: c} : d}\n');
    const template = file('template.yaml', 'apiVersion: v1\nkind: A\nmetadata: {name: {{ .Release.Name }}}\n');

    expect(refusal(() => loadCrds([nested]))).toContain(
      'line 4 column 10 is malformed: a key of a map is a map or a list itself; expected YAML',
    );
    expect(refusal(() => loadCrds([template]))).toContain('is a template of Helm, expected what it renders');
    expect(parseManifests('kind: A\napiVersion: v1\nmetadata: {{ .Values.m }}\n', 'a.yaml', true)).toEqual([]);
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  it('tells a template of Helm from malformed YAML', () => {
    const path = file('crd.yaml', `{{- if .Values.install }}\n${CRD}{{- end }}\n`);

    expect(refusal(() => loadCrds([path]))).toContain('is a template of Helm, expected what it renders');
  });

  it('names line and column of malformed YAML', () => {
    const path = file('crd.yaml', CRD.replace('  group: example.com', '  group: "example.com'));

    expect(refusal(() => loadCrds([path]))).toMatch(/^"crd\.yaml" line \d+ column \d+ is malformed: .*; expected YAML/);
  });

  it('says of 20,000 levels that they are too many', () => {
    const path = file('crd.json', '['.repeat(20_000) + ']'.repeat(20_000));

    expect(refusal(() => loadCrds([path]))).toMatch(/^"crd\.json" line 1 column \d+ .*nests deeper than 1000 levels; /);
  });

  it('refuses a version without a schema and names the field', () => {
    const path = file('crd.yaml', `# generated\n${CRD.replace(/ {6}schema:\n.*\n/, '')}`);

    expect(refusal(() => loadCrds([path]))).toBe(
      '"crd.yaml" line 2 is the CRD "widgets.example.com" whose version "v1" has no schema, expected ' +
        'spec.versions[0].schema.openAPIV3Schema, which apiextensions.k8s.io/v1 requires; generate it again',
    );
  });

  it('refuses v1beta1', () => {
    const path = file('crd.yaml', CRD.replace('k8s.io/v1', 'k8s.io/v1beta1'));

    expect(refusal(() => loadCrds([path]))).toBe(
      '"crd.yaml" line 1 is a CustomResourceDefinition of apiextensions.k8s.io/v1beta1, which Kubernetes 1.22 removed, ' +
        'expected apiextensions.k8s.io/v1; generate it again',
    );
  });

  it('refuses a CRD without names, in so many words', () => {
    const path = file('crd.yaml', CRD.replace(/ {2}names:.*\n/, ''));

    expect(refusal(() => loadCrds([path]))).toContain(
      'is the CRD "widgets.example.com" without spec.names.plural, spec.names.kind',
    );
  });

  it('refuses a path that does not exist, an empty file, an empty folder and a file of something else', () => {
    expect(refusal(() => loadCrds([join(folder, 'no.yaml')]))).toBe(
      '"no.yaml" does not exist, expected a YAML file or a folder with CRDs; check --crds',
    );
    expect(refusal(() => loadCrds([file('empty.yaml', '# nothing\n---\n')]))).toContain('"empty.yaml" holds no object');
    expect(refusal(() => loadCrds([file('s.yaml', SAMPLE)]))).toBe(
      '"s.yaml" line 1 is a Widget, expected a CustomResourceDefinition; pass samples with --sample',
    );
    mkdirSync(join(folder, 'none'));
    expect(refusal(() => loadCrds([join(folder, 'none')]))).toContain('is a folder without YAML or JSON files');
  });
});

describe('withoutConversionWebhooks', () => {
  it('takes versions to differ in their name only, and says so', () => {
    const webhook = CRD.replaceAll('widget', 'gadget').replace(
      '  scope:',
      '  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1]}}\n  scope:',
    );
    const given = loadCrds([file('plain.yaml', CRD), file('webhook.yaml', webhook)]);

    const { crds, warnings } = withoutConversionWebhooks(given);

    expect(crds[0]).toBe(given[0]);
    expect(crds[1]).toMatchObject({ spec: { conversion: { strategy: 'None' }, scope: 'Namespaced' } });
    expect(warnings).toEqual([expect.stringContaining('the CRD gadgets.example.com is converted by a webhook')]);
  });
});

describe('loadSamples', () => {
  it('passes over kustomizations of a folder', () => {
    file('kustomization.yaml', 'resources: [a.yaml]\n');
    file('component.yaml', 'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nmetadata: {name: x}\n');
    file('a.yaml', SAMPLE);

    expect(loadSamples([folder], [], new Set(['example.com/v1/Widget']))).toHaveLength(1);
  });

  it('takes kinds of the CRDs, built-in kinds and lists of them', () => {
    const list = 'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n';
    const path = file('sample.yaml', `${SAMPLE}---\n${list}`);

    const samples = loadSamples([path], loadCrds([file('crd.yaml', CRD)]), BUILT_IN);

    expect(samples.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual(['Widget/a', 'ConfigMap/c']);
  });

  it('refuses a kind that no CRD declares, names the line and what there is', () => {
    const path = file('sample.yaml', `${SAMPLE}---\n${SAMPLE.replace('Widget', 'Gadget')}`);

    expect(refusal(() => loadSamples([path], loadCrds([file('crd.yaml', CRD)]), BUILT_IN))).toBe(
      '"sample.yaml" line 5 is a Gadget of example.com/v1, which no CRD declares (the CRDs declare example.com/v1/Widget); ' +
        'pass its CRD with --crds',
    );
  });

  it('refuses a version that is not served and names those that are', () => {
    const path = file('sample.yaml', SAMPLE.replace('/v1', '/v2'));

    expect(refusal(() => loadSamples([path], loadCrds([file('crd.yaml', CRD)]), BUILT_IN))).toContain(
      'which is not served, expected example.com/v1/Widget; change its apiVersion',
    );
  });

  it('refuses what is no object', () => {
    expect(refusal(() => loadSamples([file('a.yaml', '- 1\n')], [], BUILT_IN))).toContain('"a.yaml" line 1 is a list');
    expect(refusal(() => loadSamples([file('b.yaml', 'kind: Widget\n')], [], BUILT_IN))).toContain('has no apiVersion');
    expect(refusal(() => loadSamples([file('c.yaml', 'apiVersion: v1\nkind: ConfigMap\n')], [], BUILT_IN))).toContain(
      'is a ConfigMap without metadata',
    );
    expect(
      refusal(() =>
        loadSamples([file('d.yaml', SAMPLE.replace('name: a', 'labels: {}'))], [], new Set(['example.com/v1/Widget'])),
      ),
    ).toContain('is a Widget without metadata.name');
  });
});
