/** Files of one life that a pod would find mounted: entries of ConfigMaps and Secrets, certificates. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface MountedFile {
  /**
   * `files`: below `{files}`, where the command finds it; `home`: below its temporary folder, where libraries look by themselves;
   * `pod`: below /var/run, where the host permits mounts.
   */
  readonly below: 'files' | 'home' | 'pod';
  /** Where it is mounted in a pod. */
  readonly path: string;
  /** Absent for an empty folder. */
  readonly content?: Uint8Array;
}

/** Where controller-runtime looks for the certificate of its webhook server, below its temporary folder. */
export const SERVING_CERTS = 'k8s-webhook-server/serving-certs';

/** Writes them. The folders are made where they are missing. */
export function mountFiles(
  mounted: readonly MountedFile[],
  folders: { readonly [below in MountedFile['below']]: string },
): void {
  mkdirSync(folders.files, { recursive: true });
  for (const { below, path, content } of mounted) {
    // The path is made absolute first, so that no ".." in it leads out of the folder.
    const place = join(folders[below], join('/', path));
    mkdirSync(content === undefined ? place : dirname(place), { recursive: true });
    if (content !== undefined) writeFileSync(place, content, { mode: 0o600 });
  }
}
