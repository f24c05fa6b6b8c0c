/** `npm run api-docs`: writes docs/api.md, the exported API of the package. `api-docs.test.ts` fails when it is out of date. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiPage } from './package/api-report.ts';
import { compile } from './package/build.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';

export const API_FILE: string = join(REPOSITORY_ROOT, 'docs', 'api.md');

/** Compiles the declarations again, so that the page matches the current sources. */
export function currentApi(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stalemate-api-'));
  try {
    compile(folder, '--emitDeclarationOnly');
    const { exports } = JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'package.json'), 'utf8')) as {
      readonly exports: { readonly [entry: string]: string };
    };
    return apiPage(
      folder,
      Object.entries(exports).map(([entry, file]) => ({
        specifier: join('stalemate', entry),
        file: file.replace(/^\.\//, '').replace(/\.ts$/, '.d.ts'),
      })),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  writeFileSync(API_FILE, currentApi());
  console.log('docs/api.md');
}
