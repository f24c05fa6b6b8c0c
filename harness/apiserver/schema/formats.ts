/**
 * The `format` values that kube-apiserver checks on strings. Unknown formats are not checked, as there.
 */

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const DATE_TIME = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const DURATION = /^[-+]?(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$|^0$|^\d+\s*(week|day|hour|minute|second)s?$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const HOSTNAME = /^([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*$/;
const IPV4 = /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.|$)){4}$/;
const IPV6 = /^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*$/;
const UUID = /^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$/;
const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const URI = /^[a-zA-Z][a-zA-Z0-9+.-]*:\S*$|^\/\S*$/;

const FORMATS: ReadonlyMap<string, RegExp> = new Map([
  ['date', DATE],
  ['date-time', DATE_TIME],
  ['datetime', DATE_TIME],
  ['duration', DURATION],
  ['email', EMAIL],
  ['hostname', HOSTNAME],
  ['ipv4', IPV4],
  ['ipv6', IPV6],
  ['uuid', UUID],
  ['byte', BASE64],
  ['uri', URI],
]);

/** Whether `value` has the format; true for formats that nobody checks. */
export function formatHolds(format: string, value: string): boolean {
  return FORMATS.get(format)?.test(value) ?? true;
}
