/** What `npm pack` and `npm publish` call before and after: `node scripts/package.ts prepack|postpack`. */
import { build } from './package/build.ts';
import { putPackageManifest, restoreManifest } from './package/manifest.ts';

switch (process.argv[2]) {
  case 'prepack':
    restoreManifest();
    build();
    putPackageManifest();
    break;
  case 'postpack':
    restoreManifest();
    break;
  default:
    console.error(
      `package: got "${process.argv[2] ?? ''}", expected prepack or postpack; npm calls it: run "npm pack"`,
    );
    process.exitCode = 2;
}
