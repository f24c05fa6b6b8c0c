/**
 * The functions available to rules: those of CEL, of cel-go's extensions and of Kubernetes' libraries.
 *
 * One line for each overload: its name in cel-go, and its signature. A dot before the function name marks a method on the first argument.
 * `A` and `B` are type parameters. The order is cel-go's, because the first match determines the result type.
 */
import { listOf, mapOf, optionalOf, simple, type Type, type TypeKind } from './types.ts';

export interface Overload {
  readonly id: string;
  readonly member: boolean;
  readonly args: readonly Type[];
  readonly result: Type;
  readonly parameters: readonly Type[];
}

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];

const each = (types: readonly string[], line: (type: string) => string): string => types.map(line).join('\n');

const order = (operator: string, id: string): string => `
${id}_bool _${operator}_(bool, bool): bool
${id}_int64 _${operator}_(int, int): bool
${id}_int64_double _${operator}_(int, double): bool
${id}_int64_uint64 _${operator}_(int, uint): bool
${id}_uint64 _${operator}_(uint, uint): bool
${id}_uint64_double _${operator}_(uint, double): bool
${id}_uint64_int64 _${operator}_(uint, int): bool
${id}_double _${operator}_(double, double): bool
${id}_double_int64 _${operator}_(double, int): bool
${id}_double_uint64 _${operator}_(double, uint): bool
${id}_string _${operator}_(string, string): bool
${id}_bytes _${operator}_(bytes, bytes): bool
${id}_timestamp _${operator}_(timestamp, timestamp): bool
${id}_duration _${operator}_(duration, duration): bool`;

const timePart = (name: string): string => `
timestamp_to_${name} .${name}(timestamp): int
timestamp_to_${name}_with_tz .${name}(timestamp, string): int`;

const TABLE = `
conditional _?_:_(bool, A, A): A
logical_and _&&_(bool, bool): bool
logical_or _||_(bool, bool): bool
logical_not !_(bool): bool
not_strictly_false @not_strictly_false(bool): bool
equals _==_(A, A): bool
not_equals _!=_(A, A): bool
add_bytes _+_(bytes, bytes): bytes
add_double _+_(double, double): double
add_duration_duration _+_(duration, duration): duration
add_duration_timestamp _+_(duration, timestamp): timestamp
add_timestamp_duration _+_(timestamp, duration): timestamp
add_int64 _+_(int, int): int
add_list _+_(list<A>, list<A>): list<A>
add_string _+_(string, string): string
add_uint64 _+_(uint, uint): uint
divide_double _/_(double, double): double
divide_int64 _/_(int, int): int
divide_uint64 _/_(uint, uint): uint
modulo_int64 _%_(int, int): int
modulo_uint64 _%_(uint, uint): uint
multiply_double _*_(double, double): double
multiply_int64 _*_(int, int): int
multiply_uint64 _*_(uint, uint): uint
negate_double -_(double): double
negate_int64 -_(int): int
subtract_double _-_(double, double): double
subtract_duration_duration _-_(duration, duration): duration
subtract_int64 _-_(int, int): int
subtract_timestamp_duration _-_(timestamp, duration): timestamp
subtract_timestamp_timestamp _-_(timestamp, timestamp): duration
subtract_uint64 _-_(uint, uint): uint
${order('<', 'less')}
${order('<=', 'less_equals')}
${order('>', 'greater')}
${order('>=', 'greater_equals')}
index_list _[_](list<A>, int): A
index_map _[_](map<A, B>, A): B
optional_list_index_int _[_](optional<list<A>>, int): optional<A>
optional_map_index_value _[_](optional<map<A, B>>, A): optional<B>
list_optindex_optional_int _[?_](list<A>, int): optional<A>
optional_list_optindex_optional_int _[?_](optional<list<A>>, int): optional<A>
map_optindex_optional_value _[?_](map<A, B>, A): optional<B>
optional_map_optindex_optional_value _[?_](optional<map<A, B>>, A): optional<B>
in_list @in(A, list<A>): bool
in_map @in(A, map<A, B>): bool
size_bytes size(bytes): int
bytes_size .size(bytes): int
size_list size(list<A>): int
list_size .size(list<A>): int
size_map size(map<A, B>): int
map_size .size(map<A, B>): int
size_string size(string): int
string_size .size(string): int
type type(A): type<A>
bool_to_bool bool(bool): bool
string_to_bool bool(string): bool
bytes_to_bytes bytes(bytes): bytes
string_to_bytes bytes(string): bytes
double_to_double double(double): double
int64_to_double double(int): double
string_to_double double(string): double
uint64_to_double double(uint): double
duration_to_duration duration(duration): duration
int64_to_duration duration(int): duration
string_to_duration duration(string): duration
to_dyn dyn(A): dyn
int64_to_int64 int(int): int
double_to_int64 int(double): int
duration_to_int64 int(duration): int
string_to_int64 int(string): int
timestamp_to_int64 int(timestamp): int
uint64_to_int64 int(uint): int
string_to_string string(string): string
bool_to_string string(bool): string
bytes_to_string string(bytes): string
double_to_string string(double): string
duration_to_string string(duration): string
int64_to_string string(int): string
timestamp_to_string string(timestamp): string
uint64_to_string string(uint): string
ip_to_string string(ip): string
cidr_to_string string(cidr): string
timestamp_to_timestamp timestamp(timestamp): timestamp
int64_to_timestamp timestamp(int): timestamp
string_to_timestamp timestamp(string): timestamp
uint64_to_uint64 uint(uint): uint
double_to_uint64 uint(double): uint
int64_to_uint64 uint(int): uint
string_to_uint64 uint(string): uint
contains_string .contains(string, string): bool
ends_with_string .endsWith(string, string): bool
starts_with_string .startsWith(string, string): bool
matches matches(string, string): bool
matches_string .matches(string, string): bool
${each(
  [
    'getFullYear',
    'getMonth',
    'getDayOfYear',
    'getDayOfMonth',
    'getDate',
    'getDayOfWeek',
    'getHours',
    'getMinutes',
    'getSeconds',
    'getMilliseconds',
  ],
  timePart,
)}
${each(['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'], (name) => `duration_to_${name} .${name}(duration): int`)}
optional_of optional.of(A): optional<A>
optional_ofNonZeroValue optional.ofNonZeroValue(A): optional<A>
optional_none optional.none(): optional<A>
optional_unwrap optional.unwrap(list<optional<A>>): list<A>
optional_unwrapOpt .unwrapOpt(list<optional<A>>): list<A>
optional_value .value(optional<A>): A
optional_hasValue .hasValue(optional<A>): bool
optional_or_optional .or(optional<A>, optional<A>): optional<A>
optional_orValue_value .orValue(optional<A>, A): A
list_first .first(list<A>): optional<A>
list_last .last(list<A>): optional<A>
cel_@mapInsert_map_key_value cel.@mapInsert(map<A, B>, A, B): map<A, B>
cel_@mapInsert_map_map cel.@mapInsert(map<A, B>, map<A, B>): map<A, B>
string_char_at_int .charAt(string, int): string
string_index_of_string .indexOf(string, string): int
string_index_of_string_int .indexOf(string, string, int): int
list_a_index_of_int .indexOf(list<A>, A): int
string_last_index_of_string .lastIndexOf(string, string): int
string_last_index_of_string_int .lastIndexOf(string, string, int): int
list_a_last_index_of_int .lastIndexOf(list<A>, A): int
string_lower_ascii .lowerAscii(string): string
string_upper_ascii .upperAscii(string): string
string_replace_string_string .replace(string, string, string): string
string_replace_string_string_int .replace(string, string, string, int): string
string_split_string .split(string, string): list<string>
string_split_string_int .split(string, string, int): list<string>
string_substring_int .substring(string, int): string
string_substring_int_int .substring(string, int, int): string
string_trim .trim(string): string
string_format .format(string, list<dyn>): string
strings_quote strings.quote(string): string
list_join .join(list<string>): string
list_join_string .join(list<string>, string): string
string_find_string .find(string, string): string
string_find_all_string .findAll(string, string): list<string>
string_find_all_string_int .findAll(string, string, int): list<string>
${each(COMPARABLE, (type) => `list_${type}_is_sorted_bool .isSorted(list<${type}>): bool`)}
${each(['int', 'uint', 'double', 'duration'], (type) => `list_${type}_sum_${type} .sum(list<${type}>): ${type}`)}
${each(COMPARABLE, (type) => `list_${type}_max_${type} .max(list<${type}>): ${type}`)}
${each(COMPARABLE, (type) => `list_${type}_min_${type} .min(list<${type}>): ${type}`)}
list_slice .slice(list<A>, int, int): list<A>
list_flatten .flatten(list<list<A>>): list<A>
list_flatten_int .flatten(list<dyn>, int): list<dyn>
${each(COMPARABLE, (type) => `list_${type}_sort .sort(list<${type}>): list<${type}>`)}
${each(COMPARABLE, (type) => `list_${type}_sortByAssociatedKeys .@sortByAssociatedKeys(list<A>, list<${type}>): list<A>`)}
lists_range lists.range(int): list<int>
list_reverse .reverse(list<A>): list<A>
list_distinct .distinct(list<A>): list<A>
list_sets_contains_list sets.contains(list<A>, list<A>): bool
list_sets_equivalent_list sets.equivalent(list<A>, list<A>): bool
list_sets_intersects_list sets.intersects(list<A>, list<A>): bool
string_to_url url(string): url
is_url_string isURL(string): bool
${each(['getScheme', 'getHost', 'getHostname', 'getPort', 'getEscapedPath'], (name) => `url_${name} .${name}(url): string`)}
url_get_query .getQuery(url): map<string, list<string>>
string_to_quantity quantity(string): quantity
is_quantity_string isQuantity(string): bool
quantity_sign .sign(quantity): int
quantity_is_greater_than .isGreaterThan(quantity, quantity): bool
quantity_is_less_than .isLessThan(quantity, quantity): bool
quantity_compare_to .compareTo(quantity, quantity): int
quantity_get_float .asApproximateFloat(quantity): double
quantity_get_int .asInteger(quantity): int
quantity_is_integer .isInteger(quantity): bool
quantity_add .add(quantity, quantity): quantity
quantity_add_int .add(quantity, int): quantity
quantity_sub .sub(quantity, quantity): quantity
quantity_sub_int .sub(quantity, int): quantity
string_to_ip ip(string): ip
is_ip isIP(string): bool
ip_is_canonical ip.isCanonical(string): bool
ip_family .family(ip): int
${each(
  ['isUnspecified', 'isLoopback', 'isLinkLocalMulticast', 'isLinkLocalUnicast', 'isGlobalUnicast'],
  (name) => `ip_${name} .${name}(ip): bool`,
)}
string_to_cidr cidr(string): cidr
is_cidr isCIDR(string): bool
cidr_contains_ip_string .containsIP(cidr, string): bool
cidr_contains_ip_ip .containsIP(cidr, ip): bool
cidr_contains_cidr_string .containsCIDR(cidr, string): bool
cidr_contains_cidr .containsCIDR(cidr, cidr): bool
cidr_ip .ip(cidr): ip
cidr_prefix_length .prefixLength(cidr): int
cidr_masked .masked(cidr): cidr
format-validate .validate(format, string): optional<list<string>>
format-named format.named(string): optional<format>
${each(
  [
    'dns1123Label',
    'dns1123Subdomain',
    'dns1035Label',
    'qualifiedName',
    'dns1123LabelPrefix',
    'dns1123SubdomainPrefix',
    'dns1035LabelPrefix',
    'labelValue',
    'uri',
    'uuid',
    'byte',
    'date',
    'datetime',
  ],
  (name) => `format.${name} format.${name}(): format`,
)}
string_to_semver semver(string): semver
string_bool_to_semver semver(string, bool): semver
is_semver_string isSemver(string): bool
is_semver_string_bool isSemver(string, bool): bool
semver_is_greater_than .isGreaterThan(semver, semver): bool
semver_is_less_than .isLessThan(semver, semver): bool
semver_compare_to .compareTo(semver, semver): int
semver_major .major(semver): int
semver_minor .minor(semver): int
semver_patch .patch(semver): int
`;

const NAMED: { readonly [name: string]: Type } = {
  ip: { kind: 'opaque', name: 'net.IP', params: [] },
  cidr: { kind: 'opaque', name: 'net.CIDR', params: [] },
  url: { kind: 'struct', name: 'kubernetes.URL', params: [] },
  quantity: { kind: 'struct', name: 'kubernetes.Quantity', params: [] },
  semver: { kind: 'struct', name: 'kubernetes.Semver', params: [] },
  format: { kind: 'struct', name: 'kubernetes.NamedFormat', params: [] },
  A: { kind: 'param', name: 'A', params: [] },
  B: { kind: 'param', name: 'B', params: [] },
};

function typeNamed(text: string): Type {
  const match = /^(list|map|optional|type)<(.*)>$/.exec(text);
  if (match === null) return NAMED[text] ?? simple(text as TypeKind);
  const inner = splitTypes(match[2] ?? '').map(typeNamed);
  const [first = simple('dyn'), second = simple('dyn')] = inner;
  switch (match[1]) {
    case 'list':
      return listOf(first);
    case 'map':
      return mapOf(first, second);
    case 'optional':
      return optionalOf(first);
    default:
      return { kind: 'type', name: 'type', params: inner };
  }
}

function splitTypes(text: string): readonly string[] {
  return text === '' ? [] : text.split(/, (?![^<]*>)/);
}

let functions: ReadonlyMap<string, readonly Overload[]> | undefined;

/** Returns all overloads of a function; undefined when there is no such function. */
export function overloadsOf(name: string): readonly Overload[] | undefined {
  return (functions ??= readTable()).get(name);
}

function readTable(): ReadonlyMap<string, readonly Overload[]> {
  const read = new Map<string, Overload[]>();
  for (const line of TABLE.split('\n')) {
    const match = /^(\S+) (\.?)(\S+?)\((.*)\): (.+)$/.exec(line);
    if (match === null) continue;
    const [, id = '', dot, name = '', args = '', result = ''] = match;
    const types = splitTypes(args).map(typeNamed);
    const overload: Overload = {
      id,
      member: dot === '.',
      args: types,
      result: typeNamed(result),
      parameters: ['A', 'B'].filter((one) => new RegExp(`\\b${one}\\b`).test(args + result)).map(typeNamed),
    };
    const known = read.get(name);
    if (known === undefined) read.set(name, [overload]);
    else known.push(overload);
  }
  return read;
}
