/** The formats of a run's report, as accepted by `--report`. To add one, write its renderer and add a row. */
import { renderAnnotations } from './annotations.ts';
import type { RunDocument } from './document.ts';
import { renderJsonLines } from './json-lines.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';
import { renderSarif } from './sarif.ts';

export interface Format {
  /** Default path below the report folder; `undefined` for formats that are printed to the terminal. */
  readonly file?: string;
  readonly about: string;
  readonly render: (run: RunDocument) => string;
}

export const FORMATS: { readonly [name: string]: Format } = {
  junit: { file: 'junit.xml', about: 'JUnit XML, a case per property', render: renderJunit },
  github: { about: 'annotations of GitHub Actions', render: renderAnnotations },
  markdown: { file: 'summary.md', about: 'a job summary with diagrams', render: renderMarkdown },
  jsonl: { file: 'run.jsonl', about: 'JSON lines', render: renderJsonLines },
  sarif: { file: 'stalemate.sarif', about: 'SARIF 2.1.0, for code scanning', render: renderSarif },
  json: {
    file: 'run.json',
    about: 'all of it as one JSON document',
    render: (run) => `${JSON.stringify(run, null, 2)}\n`,
  },
};
