/**
 * Request bodies: bytes to JSON, by Content-Type.
 *
 * Owns: which decoder reads what. Does not own: the decoders (`wire/`), and what the server says to a body that cannot be read.
 */
import type { ApiRequest } from '../../wire/http.ts';
import { parseJson } from '../../wire/go-json.ts';
import { parseYaml } from '../../wire/go-yaml.ts';

/** The parts of a request that its body makes. */
export type DecodedBody = Pick<ApiRequest, 'body' | 'undecodable' | 'decodeError' | 'duplicates'>;

const NOTHING: DecodedBody = {};

/** Reads a body. Never throws: what cannot be read comes as `undecodable` text with the decoder's reason. */
export function decodeBody(bytes: Buffer, contentType: string): DecodedBody {
  if (bytes.length === 0) return NOTHING;
  const end = contentType.indexOf(';');
  const type = (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  const text = bytes.toString('utf8');
  try {
    if (type === '' || type.endsWith('json')) return parseJson(text);
    if (type.endsWith('yaml')) return parseYaml(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'exceeded max depth';
    return { undecodable: text, decodeError: reason.startsWith('yaml: ') ? reason : `${VERSION_FIRST}${reason}` };
  }
  return { undecodable: text };
}

/** Go reads version and kind before anything else, and so fails there. */
const VERSION_FIRST = "couldn't get version/kind; json parse error: ";
