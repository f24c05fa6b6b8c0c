import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { API_FILE, currentApi } from './api-docs.ts';

it('docs/api.md is up to date: after an intended change, run "npm run api-docs"', () => {
  expect(readFileSync(API_FILE, 'utf8')).toBe(currentApi());
}, 120_000);
