import { fullPath } from './queue-paths.js'
import type { Templates } from './queue-options.js'

/** Templates of the queues that are made in queues, by full path; the last names of a path may be *, which stands for any name. */
export class TemplatesByPath {
  readonly #byPath: ReadonlyMap<string, Templates>

  constructor(templates: Readonly<Record<string, Templates>>) {
    this.#byPath = new Map(Object.entries(templates).map(([key, each]) => [fullPath(key), each]))
  }

  /**
   * The templates of a queue that has none of its own: those of the first of its `wildcardPaths` that has any.
   *
   * Source: Hadoop 3.4, AutoCreatedQueueTemplate.
   */
  of(path: string, levels: number): Templates {
    const found = wildcardPaths(path, levels).find((each) => this.#byPath.has(each))
    return found === undefined ? {} : (this.#byPath.get(found) as Templates)
  }
}

/**
 * A full path, then the same path with more and more of its last names replaced by *, at most `levels` of them and never the root: root.a.b,
 * root.a.*, root.*.*.
 *
 * Source: Hadoop 3.4, QueuePath.getWildcardedQueuePaths.
 */
export function wildcardPaths(path: string, levels: number): string[] {
  const names = path.split('.')
  const most = Math.min(levels, names.length - 1)
  return Array.from({ length: most + 1 }, (_, stars) => [...names.slice(0, names.length - stars), ...Array<string>(stars).fill('*')].join('.'))
}
