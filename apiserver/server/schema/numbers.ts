/** Numeric constraints with kube-openapi's messages, and numbers as Go prints them. */
import type { SchemaNode } from './schema-node.ts';

const INT32_MAX = 2 ** 31 - 1;
const INT64_MAX = 2 ** 63;
const FLOAT32_MAX = 3.4028234663852886e38;

/** The minimum exponent at which Go's `%v` prints floats in scientific notation. */
const EXPONENT_MIN = 6;

/** Returns a float as Go's `%v` prints it: `0.5`, `100000`, `1e+06`. */
function goFloat(value: number): string {
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (value === 0 || (exponent >= -4 && exponent < EXPONENT_MIN)) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** An error in a number. If it is `plain`, the error has no path. */
export interface NumberFault {
  readonly plain: boolean;
  readonly text: string;
  /** The value to report instead of the validated number. */
  readonly value?: number;
}

/** Returns all errors of `value`, in the order of kube-openapi. */
export function numberFaults(node: SchemaNode, value: number, path: string): readonly NumberFault[] {
  const faults: NumberFault[] = [];
  const { multipleOf, maximum, minimum } = node;
  const whole = Number.isInteger(value) && Math.abs(value) < INT64_MAX;
  const range = (number: number, prefix: string): boolean => {
    const text = outOfRange(node, number, prefix, path);
    if (text !== undefined) faults.push({ plain: true, text });
    return text === undefined;
  };
  const fault = (text: string): unknown => faults.push({ plain: false, text });
  range(value, 'Checked');
  if (multipleOf !== undefined) {
    const exact = range(multipleOf, 'MultipleOf') && whole;
    const factor = exact ? Math.trunc(multipleOf) : multipleOf;
    if (factor <= 0)
      faults.push({
        plain: false,
        text: `factor MultipleOf declared for ${path} must be positive: ${goFloat(factor)}`,
        value: factor,
      });
    else if (!isMultiple(value, factor)) fault(`${path} in body should be a multiple of ${goFloat(factor)}`);
  }
  if (minimum !== undefined) {
    const bound = range(minimum, 'Minimum boundary') && whole ? Math.trunc(minimum) : minimum;
    if (node.exclusiveMinimum ? value <= bound : value < bound)
      fault(
        `${path} in body should be greater than ${node.exclusiveMinimum ? '' : 'or equal to '}${shown(bound, whole)}`,
      );
  }
  if (maximum !== undefined) {
    const bound = range(maximum, 'Maximum boundary') && whole ? Math.trunc(maximum) : maximum;
    if (node.exclusiveMaximum ? value >= bound : value > bound)
      fault(`${path} in body should be less than ${node.exclusiveMaximum ? '' : 'or equal to '}${shown(bound, whole)}`);
  }
  return faults;
}

function shown(bound: number, whole: boolean): string {
  return whole && Number.isInteger(bound) ? String(bound) : goFloat(bound);
}

function isMultiple(value: number, factor: number): boolean {
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(times) < 2 ** 53 && Math.abs(times - Math.round(times)) < 1e-9;
}

function outOfRange(node: SchemaNode, value: number, prefix: string, path: string): string | undefined {
  if (node.intOrString) return undefined;
  const { type, format } = node;
  if (type === 'integer') {
    const max = format === 'int32' ? INT32_MAX : INT64_MAX;
    if (Number.isInteger(value) && value <= max && value >= -max - 1) return undefined;
  } else if (type !== 'number' || format !== 'float' || Math.abs(value) <= FLOAT32_MAX) return undefined;
  return `${prefix} value must be of type ${type} ${format === '' ? '(default format)' : `with format ${format}`} in ${path}`;
}
