import { fullPath } from './queue-paths.js'
import type { Templates } from './queue-options.js'

/** What is made in queues, by full path; the last names of a path may be * for any. */
export class TemplatesByPath {
  readonly #byPath: ReadonlyMap<string, Templates>

  constructor(templates: Readonly<Record<string, Templates>>) {
    this.#byPath = new Map(Object.entries(templates).map(([key, each]) => [fullPath(key), each]))
  }

  /**
   * What is made in a queue that does not say so itself: as the first path says that there is of `wildcardPaths`.
   *
   * Source: Hadoop 3.4, AutoCreatedQueueTemplate.
   */
  of(path: string, levels: number): Templates {
    const found = wildcardPaths(path, levels).find((each) => this.#byPath.has(each))
    return found === undefined ? {} : (this.#byPath.get(found) as Templates)
  }
}

/**
 * A full path, then the same with ever more of its last names as *, at most so many and never the root: root.a.b, root.a.*, root.*.*.
 *
 * Source: Hadoop 3.4, QueuePath.getWildcardedQueuePaths.
 */
export function wildcardPaths(path: string, levels: number): string[] {
  const names = path.split('.')
  const most = Math.min(levels, names.length - 1)
  return Array.from({ length: most + 1 }, (_, stars) => [...names.slice(0, names.length - stars), ...Array<string>(stars).fill('*')].join('.'))
}
