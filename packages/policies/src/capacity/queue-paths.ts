import { underRoot } from '../yarn/under-root.js'

/** The full path of a queue as people write it: `a.b`, `root.a.b` and `root/a/b` all give `root.a.b`. */
export function fullPath(written: string): string {
  return underRoot(written.replaceAll('/', '.'))
}

export const parentPath = (path: string): string => path.slice(0, path.lastIndexOf('.'))
export const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1)
