/** The page of a finding: its data made, checked against its schema, and written. */
import { InvariantError } from '../../model/errors.ts';
import type { Told } from '../story.ts';
import type { ReportDocument } from './document.ts';
import { reportSchema } from './document-schema.ts';
import { makeReport, type ReportPlaces } from './make-document.ts';
import { renderPage } from './render-page.ts';

/** A finding as one HTML file. */
export function findingPage(told: Told, places: ReportPlaces = {}): string {
  return renderPage(checked(makeReport(told, places)));
}

/** What the harness made must fit its own schema. */
export function checked(report: ReportDocument): ReportDocument {
  const { success, error } = reportSchema.safeParse(report);
  if (!success) throw new InvariantError(`a report fits its schema: ${error.message}`);
  return report;
}
