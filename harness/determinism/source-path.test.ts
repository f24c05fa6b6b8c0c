import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { shortPath } from './source-path.ts';

describe('shortPath', () => {
  it('is relative below the working directory', () => {
    expect(shortPath(pathToFileURL(join(process.cwd(), 'src', 'a.ts')).href)).toBe('src/a.ts');
  });

  it('begins at the innermost node_modules elsewhere, so that no machine is named', () => {
    expect(shortPath('/opt/tools/node_modules/a/node_modules/b/index.js')).toBe('node_modules/b/index.js');
  });

  it('stays as it is for other files', () => {
    expect(shortPath('/opt/controller/main.js')).toBe('/opt/controller/main.js');
  });
});
