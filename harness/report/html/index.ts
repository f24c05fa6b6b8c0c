/** Makes the page of a finding: derives its data, validates it and renders it. */
import { InvariantError } from '../../model/errors.ts';
import type { StoryInput } from '../story.ts';
import type { ReportDocument } from './document.ts';
import { reportSchema } from './document-schema.ts';
import { makeReport, type ReportPlaces } from './make-document.ts';
import { renderPage } from './render-page.ts';

/** Renders a finding as one HTML file. */
export function findingPage(finding: StoryInput, places: ReportPlaces = {}): string {
  return renderPage(checked(makeReport(finding, places)));
}

/** Validates a document against the schema; a mismatch is a bug of the harness. */
export function checked(report: ReportDocument): ReportDocument {
  const { success, error } = reportSchema.safeParse(report);
  if (!success) throw new InvariantError(`a report fits its schema: ${error.message}`);
  return report;
}
