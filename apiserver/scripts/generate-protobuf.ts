/**
 * Writes the protobuf descriptors of built-in kinds: `node apiserver/scripts/generate-protobuf.ts [VERSION]`, for a Kubernetes version.
 *
 * Field numbers and types come from the `.proto` files of the Go modules of that version, JSON names and pointer fields from the struct
 * tags: Go writes every non-pointer field, zero or not, and leaves zeros out of its JSON. Copies facts only. Needs Go, for its module
 * cache.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';

const OUTPUT = join(import.meta.dirname, '../wire/protobuf/generated/descriptors.json');
const MODULES = ['k8s.io/api', 'k8s.io/apimachinery', 'k8s.io/apiextensions-apiserver', 'k8s.io/kube-aggregator'];
/** Packages that are served by default, and packages that they refer to. */
const SERVED = /\.(v[0-9]+|meta\.v1beta1|runtime|intstr|resource)$/;
/** Never served: review kinds of webhooks, discovery (which has only JSON), test kinds. */
const LEFT_OUT = /\.(admission|apidiscovery|imagepolicy|testapigroup)\./;

interface Tag {
  readonly goName: string;
  readonly json: string;
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  readonly inline: boolean;
}

/** Struct name → field number → its tags. */
type Structs = Map<string, Map<number, Tag>>;

function structsIn(directory: string): Structs {
  const structs: Structs = new Map();
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.go') && !name.endsWith('_test.go'))) {
    const text = readFileSync(join(directory, file), 'utf8');
    for (const [, name = '', body = ''] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
      const fields = new Map<number, Tag>();
      for (const line of body.split('\n')) {
        const match = /^\s*([^`/]+?)\s*`(?:json:"([^"]*)")?.*protobuf:"\w+,(\d+)/.exec(line);
        if (match === null) continue;
        const [, left = '', json = '-', id = ''] = match;
        const [first = '', type = first] = left.split(/\s+/);
        const [jsonName = '', ...options] = json.split(',');
        fields.set(Number(id), {
          goName: first.replace(/^\*?(\w+\.)?/, ''),
          json: jsonName,
          pointer: type.startsWith('*'),
          omitEmpty: options.includes('omitempty'),
          inline: jsonName === '' || options.includes('inline'),
        });
      }
      if (fields.size > 0) structs.set(name, fields);
    }
  }
  return structs;
}

/** Returns the short form of a full name: `core/v1.Pod` for `k8s.io.api.core.v1.Pod`. */
function shortName(full: string): string {
  const parts = full.replace(/^\./, '').split('.');
  return `${parts.slice(0, -1).slice(-2).join('/')}.${parts.at(-1) ?? ''}`;
}

function groupOf(directory: string): string | undefined {
  for (const at of [directory, dirname(directory)]) {
    const file = join(at, 'register.go');
    const group = existsSync(file) ? /GroupName\s*=\s*"([^"]*)"/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
    if (group !== undefined) return group;
  }
  return undefined;
}

/** Number, JSON name, type, flags (see descriptors.ts), and Go's name unless that is the capitalised JSON name. */
type Row = readonly [number, string, string, string, string?];

const SCALARS = new Set(['string', 'bytes', 'bool', 'int32', 'int64', 'uint32', 'double']);

function rowOf(field: protobuf.Field, tag: Tag | undefined): Row {
  const inner = SCALARS.has(field.type) ? field.type : shortName(field.type);
  const { goName, json, pointer, omitEmpty, inline } = tag ?? {
    goName: '',
    json: field.name,
    pointer: false,
    omitEmpty: false,
    inline: false,
  };
  const flags = [
    field instanceof protobuf.MapField ? 'm' : field.repeated ? 'r' : '',
    pointer ? 'p' : '',
    omitEmpty ? 'o' : '',
    inline ? 'i' : '',
  ].join('');
  const name = json === '' || json === '-' ? field.name : json;
  const usual = name.slice(0, 1).toUpperCase() + name.slice(1);
  return goName === '' || goName === usual ? [field.id, name, inner, flags] : [field.id, name, inner, flags, goName];
}

const version = (process.argv[2] ?? 'v1.36.3').replace(/^v1/, 'v0');
const groups: Record<string, string> = {};
const all = new Map<string, readonly Row[]>();
const roots: string[] = [];
for (const module of MODULES) {
  const download = execFileSync('go', ['mod', 'download', '-json', `${module}@${version}`], { encoding: 'utf8' });
  const root = (JSON.parse(download) as { readonly Dir: string }).Dir;
  for (const file of globSync('**/generated.proto', { cwd: root }).toSorted()) {
    const directory = join(root, dirname(file));
    const parsed = protobuf.parse(readFileSync(join(root, file), 'utf8'), { keepCase: true });
    const name = parsed.package ?? '';
    if (LEFT_OUT.test(`${name}.`)) continue;
    const structs = structsIn(directory);
    const messages = parsed.root.lookup(name) as protobuf.Namespace;
    const group = groupOf(directory);
    const short = name.split('.').slice(-2).join('/');
    if (SERVED.test(name)) {
      roots.push(...messages.nestedArray.map((one) => shortName(`${name}.${one.name}`)));
      if (group !== undefined && short !== 'meta/v1') {
        const [, apiVersion = ''] = short.split('/');
        groups[group === '' ? apiVersion : `${group}/${apiVersion}`] = short;
      }
    }
    for (const message of messages.nestedArray) {
      if (!(message instanceof protobuf.Type)) continue;
      const tags = structs.get(message.name);
      const rows = message.fieldsArray
        .toSorted((a, b) => a.id - b.id)
        .map((field) => rowOf(field, tags?.get(field.id)));
      all.set(shortName(`${name}.${message.name}`), rows);
    }
  }
}

const kept: Record<string, readonly Row[]> = {};
const visit = (name: string): void => {
  const rows = all.get(name);
  if (rows === undefined || name in kept) return;
  kept[name] = rows;
  for (const [, , type] of rows) visit(type);
};
roots.forEach(visit);
const sorted = Object.fromEntries(Object.entries(kept).toSorted(([a], [b]) => (a < b ? -1 : 1)));
const lines = Object.entries(sorted).map(([name, rows]) => `${JSON.stringify(name)}:${JSON.stringify(rows)}`);
writeFileSync(OUTPUT, `{"groups":${JSON.stringify(groups)},\n"messages":{\n${lines.join(',\n')}\n}}\n`);
process.stdout.write(`${Object.keys(sorted).length} messages in ${fileURLToPath(`file://${OUTPUT}`)}\n`);
