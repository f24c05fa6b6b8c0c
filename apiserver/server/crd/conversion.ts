/** Validates `spec.conversion` of a definition: None, or a fully specified webhook. The conversion itself is in `../conversion`. */
import { isList, isMap, mapOf, textOf } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { nameErrors } from '../names.ts';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired, type FieldError } from '../refusal.ts';

const AT = 'spec.conversion';

/** Appends the errors in the `spec.conversion` of a definition. */
export function validateConversion(conversion: JsonObject, errors: FieldError[]): void {
  const strategy = textOf(conversion['strategy']);
  if (strategy === '') errors.push(fieldRequired(`${AT}.strategy`, ''));
  else if (strategy !== 'None' && strategy !== 'Webhook')
    errors.push(fieldNotSupported(`${AT}.strategy`, strategy, ['None', 'Webhook']));
  const webhook = mapOf(conversion['webhook']);
  const { clientConfig, conversionReviewVersions: versions } = webhook;
  if (strategy !== 'Webhook') {
    const why = 'should not be set when strategy is not set to Webhook';
    if (isMap(clientConfig)) errors.push(fieldForbidden(`${AT}.webhookClientConfig`, why));
    if (isList(versions) && versions.length > 0) errors.push(fieldForbidden(`${AT}.conversionReviewVersions`, why));
    return;
  }
  if (isMap(clientConfig)) validateClient(clientConfig, errors);
  else errors.push(fieldRequired(`${AT}.webhookClientConfig`, 'required when strategy is set to Webhook'));
  validateReviewVersions(versions, errors);
}

function validateClient(config: JsonObject, errors: FieldError[]): void {
  const at = `${AT}.webhookClientConfig`;
  const { url, service } = config;
  if ((typeof url === 'string') === isMap(service))
    errors.push(fieldRequired(at, 'exactly one of url or service is required'));
  else if (typeof url === 'string') validateUrl(url, `${at}.url`, errors);
  else if (isMap(service)) validateService(service, `${at}.service`, errors);
}

const FORM = '; desired format: https://host[/path]';

function validateUrl(text_: string, at: string, errors: FieldError[]): void {
  const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\/(?:([^/?#]*)@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(text_);
  if (match === null) {
    errors.push(
      fieldRequired(at, `url must be a valid URL: parse ${JSON.stringify(text_)}: invalid URI for request${FORM}`),
    );
    return;
  }
  const [, scheme = '', user, host = '', , query = '', fragment = ''] = match;
  if (scheme !== 'https') errors.push(fieldInvalid(at, scheme, `'https' is the only allowed URL scheme${FORM}`));
  if (host === '') errors.push(fieldInvalid(at, host, `host must be specified${FORM}`));
  if (user !== undefined) errors.push(fieldInvalid(at, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(fieldInvalid(at, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(fieldInvalid(at, query, 'query parameters are not permitted in the URL'));
}

function validateService(service: JsonObject, at: string, errors: FieldError[]): void {
  if (textOf(service['name']) === '') errors.push(fieldRequired(`${at}.name`, 'service name is required'));
  if (textOf(service['namespace']) === '')
    errors.push(fieldRequired(`${at}.namespace`, 'service namespace is required'));
  const { port, path } = service;
  if (typeof port === 'number' && (port < 1 || port > 65_535))
    errors.push(fieldInvalid(`${at}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
  if (typeof path !== 'string' || path === '/' || path === '') return;
  const where = `${at}.path`;
  if (!path.startsWith('/')) {
    errors.push(fieldInvalid(where, path, "must start with a '/'"));
    return;
  }
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  for (const [index, step] of steps.entries()) {
    if (step === '') errors.push(fieldInvalid(where, path, `segment[${index}] may not be empty`));
    else
      for (const wrong of nameErrors('subdomain', step, false))
        errors.push(fieldInvalid(where, path, `segment[${index}]: ${wrong}`));
  }
}

const KNOWN = ['v1', 'v1beta1'];

function validateReviewVersions(value: JsonValue | undefined, errors: FieldError[]): void {
  const at = `${AT}.conversionReviewVersions`;
  const versions = isList(value) ? value : [];
  if (versions.length === 0) {
    errors.push(fieldRequired(at, ''));
    return;
  }
  for (const [index, version] of versions.entries()) {
    if (versions.indexOf(version) < index) errors.push(fieldInvalid(`${at}[${index}]`, version, 'duplicate version'));
    else
      for (const wrong of nameErrors('service', textOf(version), false))
        errors.push(fieldInvalid(`${at}[${index}]`, version, wrong));
  }
  if (!versions.some((version) => KNOWN.includes(textOf(version))))
    errors.push(fieldInvalid(at, versions, `must include at least one of ${KNOWN.join(', ')}`));
}
