/**
 * Reads a log line of a target and formats it for people: JSON of zap, slog, tracing and similar loggers, klog, logfmt, kopf,
 * zap's console format, or plain text.
 *
 * Owns: level, message, object and further fields of the line. Does not own: which lines are shown (`event-rows.ts`).
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue } from 'stalemate-apiserver/objects/object';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warning' | 'error';
  readonly message: string;
  /** For example `default/web` or `web`; empty if no field of the line names an object. */
  readonly object: string;
  readonly error: string;
  /** Further fields, without time, source location and logger. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

type Fields = readonly (readonly [name: string, value: JsonValue | undefined])[];

const NOISE =
  /^(ts|time|timestamp|@timestamp|caller|source|logger|loggername|loggerclassname|controller|controllergroup|controllerkind|reconcileid|stacktrace|stack|stack_trace|pid|hostname|v|target|span|spans|thread|threadname|threadid|module|file|line|lineno|filename|processid|processname|sequence|ndc|mdc|version|name|namespace|namespacedname|kind|apiversion|uid)$/i;
const MESSAGE = ['msg', 'message', 'event'];
const ERROR = ['error', 'err', 'exception', 'exc_info'];
const RECORDED: ReadonlySet<string> = new Set([...MESSAGE, 'reason', 'type']);
const LEVEL = ['level', 'severity', 'lvl', 'levelname'];
/** A field may also be named after the object's kind: `"Fleet":{"name":"arena","namespace":"default"}`. */
const OBJECT = /^(object|namespacedname|key|request|resource|obj|objectref|object\.ref)$/i;

/** Parses a line. Pure; never throws on any input. */
export function readLogLine(raw: string): LogLine {
  const line = raw.replaceAll(ANSI, '').trim();
  return jsonLine(line) ?? consoleLine(line) ?? klogLine(line) ?? logfmtLine(line) ?? plainLine(line);
}

/**
 * Formats a line for people, such as `ERROR Reconciler error (default/web): the object has been modified`.
 *
 * @param known - Objects that are not repeated in the text, because all lines are about them.
 */
export function logText(raw: string, known?: ReadonlySet<string>): string {
  const { level, message, object, error, fields } = readLogLine(raw);
  const mark = level === 'error' ? 'ERROR ' : level === 'warning' ? 'WARN ' : '';
  const about = object === '' || message.includes(object) || known?.has(object) === true ? '' : ` (${object})`;
  const why = error === '' ? '' : `: ${error}`;
  const more = fields.map(([name, value]) => ` ${name}=${value}`).join('');
  return `${mark}${message}${about}${why}${more}`;
}

const ANSI = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;]*m`, 'g');

function jsonLine(line: string): LogLine | undefined {
  if (!line.startsWith('{')) return undefined;
  const json = parsed(line);
  return json === undefined ? undefined : fromFields(Object.entries(json), '');
}

/** Parses zap's console format, such as `2026-11-22T06:21:36Z\tINFO\tcontroller.fleet\tmessage\t{"name": "arena"}`. */
function consoleLine(line: string): LogLine | undefined {
  const parts = line.split('\t').map((part) => part.trim());
  const [time = '', level = '', ...rest] = parts;
  if (rest.length === 0 || !isTime(time)) return undefined;
  const last = parsed(rest.at(-1) ?? '');
  const words = last === undefined ? rest : rest.slice(0, -1);
  return fromFields([['level', level], ...Object.entries(last ?? {})], words.at(-1) ?? '');
}

/** Parses klog: `E1122 06:21:36.123456       1 controller.go:123] "Reconciler error" err="…" object="default/web"`. */
function klogLine(line: string): LogLine | undefined {
  const match = /^([IWEF])\d{4} [\d:.]+\s+\d+ [^\]]+\] (.*)$/s.exec(line);
  if (match === null) return undefined;
  const [, letter = 'I', text = ''] = match;
  const quoted = /^"((?:[^"\\]|\\.)*)"\s*/.exec(text);
  const level = { W: 'warning', E: 'error', F: 'error' }[letter] ?? 'info';
  if (quoted === null) return fromFields([['level', level]], text);
  return fromFields([['level', level], ...pairs(text.slice(quoted[0].length))], unquoted(quoted[1] ?? ''));
}

/** Parses logfmt, such as `time=2026-11-22T06:21:36Z level=info msg="created" pod=web-0`. */
function logfmtLine(line: string): LogLine | undefined {
  const found = pairs(line);
  return found.some(([name]) => name === 'msg') && found.some(([name]) => LEVEL.includes(name))
    ? fromFields(found, '')
    : undefined;
}

/** Parses any other line: drops the time, and takes the level from the words before the message if they contain one. */
function plainLine(line: string): LogLine {
  const text = line.replace(TIME_IN_FRONT, '');
  const match =
    /^(?:[\w.:$-]+\s+|\[[\w\s.#-]+\]\s*)?\[?\s*(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL|SEVERE)\s*\]?[\s:]+(.*)$/s.exec(
      text,
    );
  if (match === null) return { level: 'info', message: text, object: '', error: '', fields: [] };
  const [, level = '', message = ''] = match;
  // kopf prints `[default/web] Handler failed`; logback prints `c.e.Surveys - message`.
  const about = /^\[([\w.-]+\/[\w.-]+)\]\s*(.*)$/s.exec(message);
  const rest = (about?.[2] ?? message).replace(/^[\w.$]+ - /, '');
  return { level: levelOf(level), message: rest, object: about?.[1] ?? '', error: '', fields: [] };
}

const TIME_IN_FRONT = /^\[?\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?\s+|^\d\d:\d\d:\d\d[.,\d]*\s+/;

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\d|^\d+(\.\d+)?(e\+?\d+)?$/.test(text);
}

function parsed(text: string): JsonObject | undefined {
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined;
  try {
    const json = JSON.parse(text) as JsonValue;
    return isMap(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Parses pairs such as `key=value key="other value"`. */
function pairs(text: string): (readonly [string, string])[] {
  return [...text.matchAll(/([A-Za-z_][\w.-]*)=(?:"((?:[^"\\]|\\.)*)"|(\S*))/g)].map(
    ([, name = '', quoted, bare = '']) => [name, quoted === undefined ? bare : unquoted(quoted)] as const,
  );
}

function unquoted(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? ' ' : character));
}

function fromFields(all: Fields, given: string): LogLine {
  // tracing puts fields of the line into `fields`.
  const fields = all.flatMap(([name, value]): Fields =>
    name === 'fields' && isMap(value) ? Object.entries(value) : [[name, value]],
  );
  const first = (names: readonly string[]): string => {
    const found = fields.find(([name, value]) => names.includes(name.toLowerCase()) && value !== null && value !== '');
    return found === undefined ? '' : plain(found[1]);
  };
  const message = given === '' ? first(MESSAGE) : given;
  // An event recorder logs the event's type as the message, and the event's message as a field.
  const recorded = /^(Normal|Warning)$/.test(message) ? first(['message']) : '';
  if (recorded !== '' && recorded !== message) {
    const rest = fields.filter(([name]) => !RECORDED.has(name.toLowerCase()));
    return { ...fromFields(rest, recorded), level: levelOf(message) };
  }
  const known = new Set([...(given === '' ? MESSAGE : []), ...ERROR, ...LEVEL]);
  const objects = fields.flatMap(([name, value]) => objectOf(name, value) ?? []);
  const object = objects[0] ?? joined(first(['namespace']), first(['name']));
  const rest = fields.filter(([name, value]) => {
    if (known.has(name.toLowerCase()) || NOISE.test(name) || OBJECT.test(name)) return false;
    return objectOf(name, value) === undefined && value !== null && value !== '';
  });
  return {
    level: levelOf(first(LEVEL)),
    message,
    object,
    error: first(ERROR),
    fields: rest.map(([name, value]) => [name, plain(value)]),
  };
}

/** Returns the object that a field names, or undefined. */
function objectOf(name: string, value: JsonValue | undefined): string | undefined {
  if (isMap(value) && typeof value['name'] === 'string') {
    const { namespace } = value;
    return joined(typeof namespace === 'string' ? namespace : '', value['name']);
  }
  return typeof value === 'string' && OBJECT.test(name) && value !== '' ? value : undefined;
}

function joined(namespace: string, name: string): string {
  return namespace === '' || name === '' ? name : `${namespace}/${name}`;
}

function plain(value: JsonValue | undefined): string {
  return (typeof value === 'string' ? value : JSON.stringify(value ?? null)).replaceAll(/\s*\n\s*/g, ' ').trim();
}

/** Normalises the levels of all these loggers; numbers are those of pino. */
function levelOf(text: string): LogLine['level'] {
  const number = Number(text === '' ? Number.NaN : text);
  if (number >= 50 || /^(err|crit|fatal|severe|panic|dpanic)/i.test(text)) return 'error';
  if (number >= 40 || /^warn/i.test(text)) return 'warning';
  return number === 10 || number === 20 || /^(debug|trace|fine)/i.test(text) ? 'debug' : 'info';
}
