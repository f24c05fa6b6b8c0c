/**
 * Collects validation errors of an object, in the order and with the messages of kube-apiserver.
 *
 * Owns: typed access to decoded JSON, and the checks that all kinds share. Paths are formatted as by Go's `field.Path`.
 */
import { isList, isMap, jsonEqual } from '../../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../../objects/object.ts';
import { labelValueErrors, nameErrors, qualifiedNameErrors } from '../../names.ts';
import { parseCidr } from '../../schema/ip.ts';
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  type FieldError,
  type FieldErrorType,
} from '../../refusal.ts';

/** The maximum number of errors to record for one object; the answer lists fewer. */
const NOTED_MAX = 10_000;

/** Appends the errors of an object. `old`: the stored one, on updates. */
export type Validator = (object: KubeObject, old: KubeObject | undefined, found: Problems, subresource: string) => void;

export class Problems {
  readonly list: FieldError[] = [];

  /** Adds an error unless there are {@link NOTED_MAX} already. */
  #note(error: FieldError): void {
    if (this.list.length < NOTED_MAX) this.list.push(error);
  }

  /** Reports whether the list is full, so that validation can stop. */
  get isFull(): boolean {
    return this.list.length >= NOTED_MAX;
  }

  required(path: string, detail = ''): void {
    this.#note(fieldRequired(path, detail));
  }

  invalid(path: string, value: JsonValue | undefined, detail: string): void {
    this.#note(fieldInvalid(path, value ?? null, detail));
  }

  immutable(path: string, value: JsonValue | undefined, old: JsonValue | undefined): void {
    if (!jsonEqual(value, old)) this.invalid(path, value, 'field is immutable');
  }

  forbidden(path: string, detail: string): void {
    this.#note(fieldForbidden(path, detail));
  }

  unsupported(path: string, value: JsonValue | undefined, supported: readonly string[]): void {
    this.#note(fieldNotSupported(path, value ?? '', supported));
  }

  duplicate(path: string, value: JsonValue): void {
    this.#add('Duplicate', path, value);
  }

  notFound(path: string, value: JsonValue): void {
    this.#add('NotFound', path, value);
  }

  /** Checks that a field is present and has one of the supported values. */
  oneOf(path: string, value: JsonValue | undefined, supported: readonly string[]): void {
    if (value === undefined || value === '') this.required(path);
    else this.oneOfIfAny(path, value, supported);
  }

  oneOfIfAny(path: string, value: JsonValue | undefined, supported: readonly string[]): void {
    if (value !== undefined && !supported.includes(shown(value))) this.unsupported(path, value, supported);
  }

  nonNegative(path: string, value: JsonValue | undefined): void {
    if (typeof value === 'number' && value < 0) this.invalid(path, value, 'must be greater than or equal to 0');
  }

  positive(path: string, value: JsonValue | undefined): void {
    if (typeof value !== 'number' || value <= 0) this.invalid(path, value ?? 0, 'must be greater than 0');
  }

  inRange(path: string, value: JsonValue | undefined, low: number, high: number): void {
    if (typeof value === 'number' && (value < low || value > high))
      this.invalid(path, value, `must be between ${low} and ${high}, inclusive`);
  }

  portNumber(path: string, value: JsonValue | undefined): void {
    this.inRange(path, value ?? 0, 1, 65_535);
  }

  /** Checks an RFC 1123 label. */
  dnsLabel(path: string, value: string): void {
    for (const text of nameErrors('label', value, false)) this.invalid(path, value, text);
  }

  /** Checks a CIDR, in any form that older fields accept. */
  cidr(path: string, value: string): void {
    if (parseCidr(value, true) === undefined)
      this.invalid(path, value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)');
  }

  dnsSubdomain(path: string, value: string): void {
    for (const text of nameErrors('subdomain', value, false)) this.invalid(path, value, text);
  }

  qualifiedName(path: string, value: string): void {
    for (const text of qualifiedNameErrors(value)) this.invalid(path, value, text);
  }

  labels(path: string, labels: JsonObject): void {
    for (const [key, value] of Object.entries(labels)) {
      if (this.isFull) return;
      this.qualifiedName(path, key);
      for (const text of labelValueErrors(shown(value))) this.invalid(path, value, text);
    }
  }

  /** Checks a label selector: every requirement must have an operator that fits its values. */
  labelSelector(path: string, selector: JsonValue | undefined): void {
    if (!isMap(selector)) return;
    this.labels(`${path}.matchLabels`, mapOf(selector['matchLabels']));
    for (const [index, requirement] of mapsOf(selector['matchExpressions']).entries()) {
      this.requirement(`${path}.matchExpressions[${index}]`, requirement, false);
    }
  }

  /** Checks one requirement of a selector. `compares`: the operators Gt and Lt are allowed. */
  requirement(path: string, requirement: JsonObject, compares: boolean): void {
    const { operator } = requirement;
    const values = listOf(requirement['values']);
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0) this.required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0)
        this.forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    } else if (compares && (operator === 'Gt' || operator === 'Lt')) {
      if (values.length !== 1)
        this.required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    } else this.invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator');
    this.qualifiedName(`${path}.key`, textOf(requirement['key']));
    for (const [place, value] of values.entries())
      for (const text of labelValueErrors(shown(value))) this.invalid(`${path}.values[${place}]`, value, text);
  }

  noLonger(path: string, value: string, max: number): void {
    if (value.length > max) this.#note({ type: 'TooLong', field: path, detail: `may not be more than ${max} bytes` });
  }

  #add(type: FieldErrorType, field: string, value: JsonValue): void {
    this.#note({ type, field, value, detail: '' });
  }
}

const NO_MAP: JsonObject = {};
const NO_LIST: readonly JsonValue[] = [];

export function mapOf(value: JsonValue | undefined): JsonObject {
  return isMap(value) ? value : NO_MAP;
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : NO_LIST;
}

export function mapsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return listOf(value) as readonly JsonObject[];
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Returns a string unchanged, anything else as JSON. */
export function shown(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
