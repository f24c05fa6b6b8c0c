/** Validation of `?fieldManager=`. */
import { fieldInvalid, type FieldError } from '../refusal.ts';

/** The maximum length of a field manager's name, bytes. */
const FIELD_MANAGER_BYTES_MAX = 128;
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** Returns errors in the name of a field manager; an empty name is valid. */
export function fieldManagerErrors(manager: string): readonly FieldError[] {
  const field = 'fieldManager';
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > FIELD_MANAGER_BYTES_MAX)
    errors.push({ type: 'TooLong', field, detail: `may not be more than ${FIELD_MANAGER_BYTES_MAX} bytes` });
  let at = 0;
  for (const one of manager) {
    if (UNPRINTABLE.test(one)) {
      const code = (one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      errors.push(fieldInvalid(field, manager, `invalid character U+${code} (at position ${at})`));
    }
    at += Buffer.byteLength(one);
  }
  return errors;
}
