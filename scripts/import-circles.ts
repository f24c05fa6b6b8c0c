/** Finds import cycles: files that import each other, directly or indirectly, cannot be read, moved or tested on their own. */

/** The imports of each file, by path. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns, for each group of files that import each other, the shortest cycle through the first file by path; sorted by that path. */
export function circlesOf(graph: ImportGraph): readonly (readonly string[])[] {
  const circles: (readonly string[])[] = [];
  const seen = new Set<string>();
  for (const start of [...graph.keys()].toSorted()) {
    if (seen.has(start)) continue;
    const circle = shortestCircle(graph, start);
    if (circle === undefined) continue;
    circles.push(circle);
    for (const path of groupOf(graph, start)) seen.add(path);
  }
  return circles;
}

/** Returns the path from a file back to itself, without the final repetition; undefined if there is none. */
function shortestCircle(graph: ImportGraph, start: string): readonly string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const path of queue) {
    for (const next of graph.get(path) ?? []) {
      if (next === start) return wayTo(path, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, path);
      queue.push(next);
    }
  }
  return undefined;
}

function wayTo(path: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const way = [path];
  for (let at = cameFrom.get(path); at !== undefined; at = cameFrom.get(at)) way.unshift(at);
  return way;
}

/** Returns all files that the given one reaches and that reach it. */
function groupOf(graph: ImportGraph, start: string): ReadonlySet<string> {
  const reached = reachableFrom(graph, start);
  return new Set([...reached].filter((path) => reachableFrom(graph, path).has(start)));
}

function reachableFrom(graph: ImportGraph, start: string): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const path of reached) for (const next of graph.get(path) ?? []) reached.add(next);
  return reached;
}
