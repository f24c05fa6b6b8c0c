/**
 * The path in an object that an expression refers to: a variable, then fields, `@items`, `@keys`, `@values`.
 *
 * A path is a slice as in Go: appending may share the memory of the original, so two paths that extend the same one can end up equal.
 * kube-apiserver's estimates depend on that: in `list.all(i, v, …)` the key can get the size of the value.
 */
export class Path {
  readonly #memory: string[];
  readonly #length: number;
  readonly #capacity: number;

  private constructor(memory: string[], length: number, capacity: number) {
    this.#memory = memory;
    this.#length = length;
    this.#capacity = capacity;
  }

  static of(variable: string): Path {
    return new Path([variable], 1, 1);
  }

  /** Returns a path with one more part. */
  static after(path: Path | undefined, part: string): Path {
    if (path === undefined) return Path.of(part);
    const memory = path.#length < path.#capacity ? path.#memory : path.parts();
    memory[path.#length] = part;
    return new Path(memory, path.#length + 1, path.#length < path.#capacity ? path.#capacity : path.#capacity * 2);
  }

  parts(): string[] {
    return this.#memory.slice(0, this.#length);
  }
}
