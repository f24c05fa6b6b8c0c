/**
 * Reads type declarations of Go packages as far as `encoding/json` needs them: names, types, and which empty fields are written.
 *
 * Owns: finding modules in Go's module cache and a reader for the regular style of Kubernetes' `types.go`. Not a general Go parser.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface GoField {
  /** The field's name in JSON. */
  readonly name: string;
  /** The type in short form: `*int32`, `[]core/v1.Container`, `map[string]string`. */
  readonly type: string;
  /** True if the field is written even when empty. `zero` (omitzero): omitted only when the whole value is zero. */
  readonly kept: boolean | 'zero';
  /** The embedded structs that the field is promoted from; Go's messages name them. */
  readonly via: readonly string[];
}

/** Types with their own JSON encoding, whose declarations are not read. */
const OPAQUE: ReadonlyMap<string, string> = new Map([
  ['k8s.io/apimachinery/pkg/apis/meta/v1.Time', 'Time'],
  ['k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime', 'MicroTime'],
  ['k8s.io/apimachinery/pkg/apis/meta/v1.Duration', 'Duration'],
  ['k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1', 'FieldsV1'],
  ['k8s.io/apimachinery/pkg/api/resource.Quantity', 'Quantity'],
  ['k8s.io/apimachinery/pkg/util/intstr.IntOrString', 'IntOrString'],
  ['k8s.io/apimachinery/pkg/runtime.RawExtension', 'RawExtension'],
  ['k8s.io/apimachinery/pkg/runtime.Object', 'RawExtension'],
  ['k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON', 'JSON'],
  ['k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray', 'JSONSchemaPropsOrArray'],
  ['k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool', 'JSONSchemaPropsOrBool'],
  [
    'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray',
    'JSONSchemaPropsOrStringArray',
  ],
]);

const BASIC = /^(string|bool|byte|u?int(8|16|32|64)?|float(32|64))$/;

interface Declaration {
  readonly body: string;
  readonly isStruct: boolean;
  readonly imports: ReadonlyMap<string, string>;
}

type Package = ReadonlyMap<string, Declaration>;

export class GoTypes {
  readonly #modules = new Map<string, string>();
  readonly #packages = new Map<string, Package>();

  /** `version` is the server's, for example `v1.36.3`; its modules are `v0.36.3`. */
  constructor(modules: readonly string[], version: string) {
    for (const module of modules) {
      const text = execFileSync('go', ['mod', 'download', '-json', `${module}@${version.replace(/^v1/, 'v0')}`], {
        encoding: 'utf8',
      });
      this.#modules.set(module, (JSON.parse(text) as { readonly Dir: string }).Dir);
    }
  }

  /** Returns the short names of the declared types in a type. */
  static named(type: string): readonly string[] {
    return type.match(/[\w-]+(?:\/[\w-]+)*\.\w+/g) ?? [];
  }

  /** Returns the fields of a struct, or the type that a name stands for. */
  find(short: string): readonly GoField[] | string | undefined {
    const dot = short.lastIndexOf('.');
    for (const path of this.#paths(short.slice(0, dot))) {
      const found = this.#package(path)?.get(short.slice(dot + 1));
      if (found !== undefined) return found.isStruct ? this.#fields(found, path) : this.#type(found.body, path, found);
    }
    return undefined;
  }

  #paths(short: string): readonly string[] {
    return [
      `k8s.io/api/${short}`,
      `k8s.io/apimachinery/pkg/apis/${short}`,
      `k8s.io/apimachinery/pkg/${short}`,
      `k8s.io/apiextensions-apiserver/pkg/apis/${short}`,
      `k8s.io/kube-aggregator/pkg/apis/${short}`,
    ];
  }

  #package(path: string): Package | undefined {
    const known = this.#packages.get(path);
    if (known !== undefined) return known;
    const module = [...this.#modules.keys()].find((one) => path.startsWith(`${one}/`));
    if (module === undefined) return undefined;
    const directory = join(this.#modules.get(module) ?? '', path.slice(module.length));
    if (!existsSync(directory)) return undefined;
    const declarations = new Map<string, Declaration>();
    for (const file of readdirSync(directory))
      if (file.endsWith('.go') && !/_test\.go$|^zz_|generated/.test(file))
        read(readFileSync(join(directory, file), 'utf8'), declarations);
    this.#packages.set(path, declarations);
    return declarations;
  }

  #fields(declaration: Declaration, path: string): readonly GoField[] {
    const fields: GoField[] = [];
    for (const line of declaration.body.split('\n')) {
      const match = /^\s*(?:(\w+)\s+)?([^\s`]+)\s*(?:`(.*)`)?\s*$/.exec(line);
      if (match === null) continue;
      const [, goName, typeText = '', tags = ''] = match;
      const json = /json:"([^"]*)"/.exec(tags)?.[1];
      const [name = '', ...options] = (json ?? '').split(',');
      if (name === '-' || (goName !== undefined && /^[a-z]/.test(goName))) continue;
      const type = this.#type(typeText, path, declaration);
      if (options.includes('inline') || (goName === undefined && json === undefined)) {
        const inner = this.find(type.replace(/^\*/, ''));
        const embedded = goName ?? type.slice(type.lastIndexOf('.') + 1);
        if (inner !== undefined && typeof inner !== 'string')
          fields.push(...inner.map((field) => ({ ...field, via: [embedded, ...field.via] })));
        continue;
      }
      if (json === undefined) continue;
      const kept = options.includes('omitzero') ? 'zero' : !options.includes('omitempty');
      fields.push({ name: name === '' ? (goName ?? '') : name, type, kept, via: [] });
    }
    return fields;
  }

  /** Replaces package names in a type by their short form, and resolves types with their own encoding. */
  #type(text: string, path: string, declaration: Declaration): string {
    return text.replaceAll(
      /(?<![\w.])(?:(\w+)\.)?([A-Za-z]\w*)(?![\w.])/g,
      (whole, alias: string | undefined, name: string) => {
        if (alias === undefined && (BASIC.test(name) || name === 'map' || name === 'interface')) return whole;
        const from = alias === undefined ? path : declaration.imports.get(alias);
        if (from === undefined) throw new Error(`unknown package '${alias ?? ''}' in '${text}'`);
        const opaque = OPAQUE.get(`${from}.${name}`);
        return opaque ?? `${from.replace(/^k8s\.io\/([\w-]+)\/(pkg\/apis\/|pkg\/)?/, '')}.${name}`;
      },
    );
  }
}

function read(source: string, into: Map<string, Declaration>): void {
  const text = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|[^:"])\/\/.*$/gm, '$1');
  const imports = new Map<string, string>();
  const block = /^import \(([\s\S]*?)^\)/m.exec(text)?.[1] ?? /^import (.*)$/m.exec(text)?.[1] ?? '';
  for (const [, alias, path = ''] of block.matchAll(/^\s*(\w+)?\s*"([^"]+)"/gm))
    imports.set(alias ?? path.slice(path.lastIndexOf('/') + 1), path);
  for (const [, name = '', body = ''] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm))
    into.set(name, { body, isStruct: true, imports });
  for (const [, name = ''] of text.matchAll(/^type (\w+) struct ?\{\}/gm))
    into.set(name, { body: '', isStruct: true, imports });
  const types = text.replaceAll(/^type \((\n[\s\S]*?)^\)/gm, (_, inner: string) =>
    inner.replaceAll(/^\s+(\w+)/gm, 'type $1'),
  );
  for (const [, name = '', body = ''] of types.matchAll(/^type (\w+) =? ?((?!struct|interface|func)\S.*)$/gm))
    into.set(name, { body: body.trim(), isStruct: false, imports });
}
