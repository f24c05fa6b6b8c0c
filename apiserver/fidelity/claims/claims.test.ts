import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOurs, type Side } from '../differential/servers.ts';
import { runClaims, type ClaimResult } from './claim.ts';
import { CLAIMS } from './claims.ts';
import { claimsPage } from './page.ts';

let ours: Side;
let results: readonly ClaimResult[];
beforeAll(async () => {
  ours = await startOurs();
  results = await runClaims(CLAIMS, ours.client);
});
afterAll(() => ours.stop());

it.each(CLAIMS)('finds "$statement" $verdict on the embedded server', (claim) => {
  expect(results.find((one) => one.claim === claim)?.verdict).toBe(claim.verdict);
});

it('has a page that lists all claims with the answers of the embedded server', () => {
  const own = new Set(['claim', 'claims', 'claims.test', 'conversation', 'objects', 'page']);
  const files = readdirSync(new URL('.', import.meta.url)).map((name) => name.replace(/\.ts$/, ''));
  const page = readFileSync(new URL('../../docs/claims.md', import.meta.url), 'utf8');

  expect(CLAIMS.map(({ name }) => name).toSorted()).toEqual(files.filter((name) => !own.has(name)).toSorted());
  expect(page, 'run npm run claims-page').toBe(claimsPage(results, results));
});

it('refuses to write a page when the servers differ', () => {
  const others = results.map((one, index) => (index === 2 ? { ...one, lines: [...one.lines, 'and more'] } : one));

  expect(() => claimsPage(results, others)).toThrow(
    /differ about ".*": got nothing from the embedded one, expected "and more"/,
  );
});
