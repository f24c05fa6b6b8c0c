/**
 * Called by `npm pack` and `npm publish`: `node scripts/package.ts prepack|postpack`, followed by `apiserver` for that package alone (`npm
 * pack -w apiserver`).
 */
import { join } from 'node:path';
import { API_SERVER_FOLDER } from './api-server-package.ts';
import { build, buildApiServer, removeTexts } from './package/build.ts';
import { putPackageManifest, restoreManifest } from './package/manifest.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';

const [step = '', name] = process.argv.slice(2);
const isApiServer = name === API_SERVER_FOLDER;
const folder = isApiServer ? join(REPOSITORY_ROOT, API_SERVER_FOLDER) : REPOSITORY_ROOT;
switch (step) {
  case 'prepack':
    restoreManifest(folder);
    if (isApiServer) buildApiServer();
    else build();
    putPackageManifest(folder);
    break;
  case 'postpack':
    restoreManifest(folder);
    if (isApiServer) removeTexts();
    break;
  default:
    console.error(`package: got "${step}", expected prepack or postpack; npm calls it: run "npm pack"`);
    process.exitCode = 2;
}
