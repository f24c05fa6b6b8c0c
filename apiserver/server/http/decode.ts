/**
 * Request bodies: bytes to JSON, by Content-Type.
 *
 * Owns: the choice of decoder. Does not own: the decoders (`wire/`), and the refusal of an unreadable body.
 */
import type { ApiRequest } from '../../wire/http.ts';
import { parseJson } from '../../wire/go-json.ts';
import { decodeProtobuf } from '../../wire/protobuf/envelope.ts';
import { isMap, sortedKeys } from '../../objects/json.ts';
import { TYPE_META } from '../body.ts';
import { goType } from '../definition.ts';
import type { Route } from '../route.ts';
import { isTooDeep } from '../weight.ts';
import { parseYaml, type ParsedYaml } from './go-yaml.ts';
import { checkNesting } from './nesting.ts';

/** The parts of a request that come from its body. */
export type DecodedBody = Pick<ApiRequest, 'body' | 'undecodable' | 'decodeError' | 'decodedAs' | 'duplicates'>;

const NOTHING: DecodedBody = {};

/**
 * Reads a body. Never throws: an unreadable one is returned as `undecodable` text with the decoder's reason. `method` and `route` determine
 * the kind of a protobuf body without type information.
 */
export function decodeBody(bytes: Buffer, contentType: string, method?: string, route?: Route): DecodedBody {
  if (bytes.length === 0) return NOTHING;
  const end = contentType.indexOf(';');
  const type = (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  if (type === 'application/vnd.kubernetes.protobuf') return decodeMessage(bytes, method, route);
  const text = bytes.toString('utf8');
  try {
    if (type === '' || type.endsWith('json')) {
      checkNesting(text);
      return whole(parseJson(text), text, method);
    }
    if (type.endsWith('yaml'))
      return whole(method === 'PATCH' ? parseYaml(text) : inOrder(parseYaml(text)), text, method);
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'exceeded max depth';
    const whole = type.endsWith('yaml') && !reason.startsWith('exceeded');
    return { undecodable: text, decodeError: whole ? reason : `${VERSION_FIRST}${reason}` };
  }
  return { undecodable: text };
}

/** Sorts the keys of parsed YAML: Go sorts them when it converts YAML to JSON, and reports errors in that order. */
function inOrder(decoded: ParsedYaml): ParsedYaml {
  return { ...decoded, body: sortedKeys(decoded.body) };
}

/** Refuses a body that is not a map, quoting it as sent. Only the body of a patch may be something else. */
function whole(decoded: DecodedBody, text: string, method: string | undefined): DecodedBody {
  const { body } = decoded;
  if (method === 'PATCH' || body === null || body === undefined || isMap(body)) return decoded;
  return {
    undecodable: text,
    decodeError: `${VERSION_FIRST}json: cannot unmarshal ${goType(body)} into Go value of type ${TYPE_META}`,
  };
}

/** The prefix of Go's errors in reading version and kind, which Go reads first. */
const VERSION_FIRST = "couldn't get version/kind; json parse error: ";

function decodeMessage(bytes: Buffer, method: string | undefined, route: Route | undefined): DecodedBody {
  const assumed =
    method === 'DELETE'
      ? { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions' }
      : route === undefined
        ? undefined
        : { apiVersion: route.version.apiVersion, kind: route.definition.kind };
  const decoded = decodeProtobuf(bytes, assumed);
  if ('body' in decoded && !isTooDeep(decoded.body)) return decoded;
  if ('body' in decoded)
    return { undecodable: bytes.toString('latin1'), decodeError: 'proto: message nested too deeply' };
  return {
    undecodable: bytes.toString('latin1'),
    decodeError: decoded.error,
    ...(decoded.as === undefined ? {} : { decodedAs: decoded.as }),
  };
}
