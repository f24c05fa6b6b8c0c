/** The bill of materials of what we ship, in CycloneDX 1.6. The same lockfile gives the same bytes. */
import { FOREIGN_DATA, type Lock, type Shipped, shippedPackages } from './shipped.ts';

export interface Own {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** @param node - version of the Node binary that goes along, if one does. */
export function billOfMaterials(own: Own, lock: Lock, node?: string): object {
  const packages = shippedPackages(lock);
  const refOf = new Map(packages.map((one) => [one.path, purl(one)]));
  const direct = Object.keys(lock.packages['']?.dependencies ?? {}).map(
    (name) => refOf.get(`node_modules/${name}`) ?? name,
  );
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': own.name,
        name: own.name,
        version: own.version,
        licenses: [{ license: { id: own.license } }],
      },
    },
    components: [
      ...packages.map(component),
      ...FOREIGN_DATA.map(({ name, version, licence }) => ({
        type: 'data',
        'bom-ref': name,
        name,
        version,
        description:
          'kinds, schemas, types and default roles of the API server, generated from its answers and sources',
        licenses: [{ license: { id: licence } }],
        purl: `pkg:github/kubernetes/kubernetes@v${version}`,
      })),
      ...(node === undefined ? [] : [nodeComponent(node)]),
    ],
    dependencies: [
      {
        ref: own.name,
        dependsOn: [...direct, ...FOREIGN_DATA.map(({ name }) => name), ...(node === undefined ? [] : ['node'])],
      },
      ...packages.map((one) => ({ ref: purl(one), dependsOn: one.needs.flatMap((path) => refOf.get(path) ?? []) })),
    ],
  };
}

function component(one: Shipped): object {
  const [, group, name] = /^(?:(@[^/]+)\/)?(.*)$/.exec(one.name) ?? [];
  return {
    type: 'library',
    'bom-ref': purl(one),
    ...(group === undefined ? {} : { group }),
    name,
    version: one.version,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(one.integrity.replace(/^sha512-/, ''), 'base64').toString('hex') }],
    licenses: [{ license: { id: one.licence } }],
    purl: purl(one),
  };
}

function nodeComponent(version: string): object {
  return {
    type: 'platform',
    'bom-ref': 'node',
    name: 'node',
    version,
    licenses: [{ license: { id: 'MIT' } }],
    purl: `pkg:github/nodejs/node@v${version}`,
  };
}

function purl({ name, version }: Shipped): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
