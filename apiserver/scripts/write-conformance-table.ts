/** Writes apiserver/docs/conformance.md: `npm run conformance-table`. */
import { writeFileSync } from 'node:fs';
import { conformanceTable } from '../fidelity/conformance/table.ts';

writeFileSync(new URL('../docs/conformance.md', import.meta.url), conformanceTable());
