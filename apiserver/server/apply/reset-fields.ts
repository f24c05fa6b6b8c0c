/**
 * Fields that a request cannot own, because the server resets them.
 *
 * Owns: GetResetFields of the strategies in k8s.io/kubernetes `pkg/registry`, apiextensions and the aggregator, as a rule and its
 * exceptions: requests on the object leave its status alone, requests on the status leave the spec alone.
 */
import type { ResourceDefinition, ServedVersion } from '../definition.ts';
import { EMPTY_SET, fieldSetOf, type FieldSet } from './field-set.ts';

const STATUS = fieldSetOf('status');
const SPEC = fieldSetOf('spec');
const METADATA_AND_SPEC = fieldSetOf('metadata', 'spec');

const CSRS = 'certificatesigningrequests.certificates.k8s.io';

/** Exceptions to the rule, by resource and subresource. */
const EXCEPTIONS: { readonly [place: string]: FieldSet } = {
  'deployments.apps/status': fieldSetOf('spec', 'metadata.labels'),
  'pods/status': fieldSetOf('spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'),
  'namespaces/finalize': STATUS,
  [CSRS]: fieldSetOf('spec', 'status'),
  [`${CSRS}/status`]: fieldSetOf('spec', 'status.conditions'),
  [`${CSRS}/approval`]: fieldSetOf('spec', 'status.certificate'),
};

/** Kinds whose status requests ignore metadata as well. */
const STATUS_ONLY: ReadonlySet<string> = new Set([
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'flowschemas.flowcontrol.apiserver.k8s.io',
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  'servicecidrs.networking.k8s.io',
  'devicetaintrules.resource.k8s.io',
  'resourceclaims.resource.k8s.io',
  'resourcepoolstatusrequests.resource.k8s.io',
  'podgroups.scheduling.k8s.io',
  'volumeattachments.storage.k8s.io',
  'storageversions.internal.apiserver.k8s.io',
  'storageversionmigrations.storagemigration.k8s.io',
  'apiservices.apiregistration.k8s.io',
]);

/** Returns the fields that a request in `version` cannot own in `apiVersion`. */
export function resetFields(
  definition: ResourceDefinition,
  version: ServedVersion,
  subresource: string,
  apiVersion: string,
): FieldSet {
  if (definition.custom) {
    if (subresource === 'status') return METADATA_AND_SPEC;
    // A request on the object resets the status only in the version of the request.
    return subresource === '' && apiVersion === version.apiVersion && version.subresources.has('status')
      ? STATUS
      : EMPTY_SET;
  }
  const { gr } = definition;
  const exception = EXCEPTIONS[subresource === '' ? gr : `${gr}/${subresource}`];
  if (exception !== undefined) return exception;
  if (subresource === '') return version.subresources.has('status') ? STATUS : EMPTY_SET;
  if (subresource !== 'status') return EMPTY_SET;
  return STATUS_ONLY.has(gr) ? METADATA_AND_SPEC : SPEC;
}
