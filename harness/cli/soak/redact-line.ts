/** Redacts a line of a soak before it is written or merged. */
import type { SoakEntry, SoakLine } from '../../model/soak.ts';
import { holdsSecrets, redactConfigured, redactFinding, redactRecording } from '../../report/redaction/index.ts';
import type { Vault } from '../../report/redaction/vault.ts';
import { encodeSoakLine } from '../../schedule/codec/soak-line.ts';

/**
 * Returns a line without its secrets; the same line if it contains none. Findings were redacted when they were found, but those
 * of earlier versions may not have been.
 */
export function redactLine(line: SoakLine, vault: Vault): SoakLine {
  if (line.line !== 'finding' && line.line !== 'inconclusive') return redactConfigured(line, {}, vault);
  if (!holdsSecrets(line)) return line;
  if (line.line === 'inconclusive') return { ...line, recording: redactRecording(line.recording, vault) };
  const { history, ...rest } = line.record;
  const { record, ...redacted } = redactFinding({ ...rest, record: history }, vault);
  return { ...line, record: { ...redacted, history: record } };
}

/** Redacts a line together with its text. */
export function redactEntry(entry: SoakEntry, vault: Vault): SoakEntry {
  const line = redactLine(entry.line, vault);
  return line === entry.line ? entry : { line, text: encodeSoakLine(line) };
}
