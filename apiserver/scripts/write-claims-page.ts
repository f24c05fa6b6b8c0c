/**
 * Writes apiserver/docs/claims.md from the answers of the embedded server and of a real one: `npm run claims-page`. Needs the binaries of
 * `scripts/control-plane.ts build`.
 */
import { writeFileSync } from 'node:fs';
import { runClaims } from '../fidelity/claims/claim.ts';
import { CLAIMS } from '../fidelity/claims/claims.ts';
import { claimsPage } from '../fidelity/claims/page.ts';
import { startBoth } from '../fidelity/differential/servers.ts';

const { ours, real, stop } = await startBoth();
try {
  const page = claimsPage(await runClaims(CLAIMS, ours.client), await runClaims(CLAIMS, real.client));
  writeFileSync(new URL('../docs/claims.md', import.meta.url), page);
} finally {
  await stop();
}
