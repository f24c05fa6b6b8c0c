/** Writes docs/claims.md from what the embedded server and a real one answer: `npm run claims-page`. Needs the binaries of `scripts/control-plane.ts build`. */
import { writeFileSync } from 'node:fs';
import { runClaims } from '../harness/clusters/claims/claim.ts';
import { CLAIMS } from '../harness/clusters/claims/claims.ts';
import { claimsPage } from '../harness/clusters/claims/page.ts';
import { startOurs, startReal } from '../harness/clusters/differential/servers.ts';

const [ours, real] = await Promise.all([startOurs(), startReal()]);
try {
  const page = claimsPage(await runClaims(CLAIMS, ours.client), await runClaims(CLAIMS, real.client));
  writeFileSync(new URL('../docs/claims.md', import.meta.url), page);
} finally {
  await Promise.all([ours.stop(), real.stop()]);
}
