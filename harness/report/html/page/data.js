/** @import { ReportDocument } from '../document.ts' */
import { byId } from './dom.js';

/**
 * Reads the document that this page shows.
 *
 * @returns {ReportDocument}
 */
export function readReport() {
  return JSON.parse(byId('report-data').textContent ?? '');
}
