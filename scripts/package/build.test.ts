import { describe, expect, it } from 'vitest';
import { repositoryPaths } from '../repository-files.ts';
import { assets, withCompiledEndings } from './build.ts';
import { packageManifest } from './manifest.ts';

describe('assets', () => {
  it('include files that modules read, without sources, tests and documents', () => {
    const found = assets(repositoryPaths());

    expect(found).toEqual(
      expect.arrayContaining([
        'harness/cli/bin.mjs',
        'apiserver/server/kinds/generated/openapi.v3.br',
        'harness/report/html/page/main.js',
        'docs/schemas/record.schema.json',
        'kind-config.yaml',
        'package.json',
      ]),
    );
    expect(found.filter((path) => /\.ts$|\.md$|\/test\/|\/recorded\.json$|tsconfig/.test(path))).toEqual([]);
  });
});

describe('declarations', () => {
  it('import compiled modules', () => {
    const declarations = [
      "import type { A } from './a.ts';",
      'export * from "../b/b.ts";',
      "export type C = import('./c.ts').C;",
      "import { z } from 'zod';",
    ];

    expect(withCompiledEndings(declarations.join('\n')).split('\n')).toEqual([
      "import type { A } from './a.js';",
      'export * from "../b/b.js";',
      "export type C = import('./c.js').C;",
      "import { z } from 'zod';",
    ]);
  });
});

describe('package.json of the package', () => {
  it('has compiled entries, and nothing for contributors', () => {
    const manifest = packageManifest({
      name: 'stalemate',
      version: '1.2.3',
      private: true,
      bin: { stalemate: 'harness/cli/bin.mjs' },
      exports: { '.': './harness/index.ts', './vitest': './harness/vitest.ts' },
      scripts: { prepack: 'build' },
      dependencies: { zod: '4.0.0' },
      devDependencies: { typescript: '7.0.0' },
      engines: { node: '>=18' },
    });

    expect(manifest).toMatchObject({
      name: 'stalemate',
      version: '1.2.3',
      bin: { stalemate: 'dist/harness/cli/bin.mjs' },
      exports: {
        '.': { types: './dist/harness/index.d.ts', default: './dist/harness/index.js' },
        './vitest': { types: './dist/harness/vitest.d.ts', default: './dist/harness/vitest.js' },
      },
      dependencies: { zod: '4.0.0' },
      engines: { node: '>=22.19' },
      files: expect.arrayContaining(['docs/**/*.md']),
    });
    for (const key of ['private', 'scripts', 'devDependencies']) expect(manifest).not.toHaveProperty(key);
  });
});
