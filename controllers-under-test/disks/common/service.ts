/** A client for the storage service outside of the cluster. */
import type { Effects } from '../../lib/controller.ts';

/** A disk as the service returns it. */
export interface OutsideDisk {
  readonly id: string;
  readonly owner: string;
  readonly sizeGiB: number;
}

export class StorageService {
  readonly #effects: Effects;

  constructor(effects: Effects) {
    this.#effects = effects;
  }

  /** Creates a disk. A second request with the same key returns the same disk. */
  async create(disk: Omit<OutsideDisk, 'id'>, key: string | undefined): Promise<OutsideDisk> {
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    return (await this.#call('POST', '/disks', disk, headers)) as OutsideDisk;
  }

  /** Returns undefined if no disk has this id. */
  async resize(id: string, sizeGiB: number): Promise<OutsideDisk | undefined> {
    return (await this.#call('PATCH', `/disks/${id}`, { sizeGiB })) as OutsideDisk | undefined;
  }

  async delete(id: string): Promise<void> {
    await this.#call('DELETE', `/disks/${id}`);
  }

  async #call(
    method: string,
    path: string,
    body?: object,
    headers: { readonly [name: string]: string } = {},
  ): Promise<unknown> {
    const { url, fetch } = this.#effects;
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`${method} ${path}: the storage service answered ${response.status}`);
    return response.status === 204 ? undefined : response.json();
  }
}
