/** Makes the page of a finding: derives its data and renders it. */
import type { StoryInput } from '../story.ts';
import { makeReport, type ReportPlaces } from './make-document.ts';
import { renderPage } from './render-page.ts';

/** Renders a finding as one HTML file. */
export function findingPage(finding: StoryInput, places: ReportPlaces = {}): string {
  return renderPage(makeReport(finding, places));
}
