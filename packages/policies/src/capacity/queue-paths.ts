import { underRoot } from '../yarn/under-root.js'

/** The full path of a queue as people write it: `a.b`, `root.a.b` and `root/a/b` all give `root.a.b`. */
export function fullPath(written: string): string {
  return underRoot(written.replaceAll('/', '.'))
}

/** Path of the queue around one, from full paths; empty for `root`. */
export const parentPath = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')))

/** Name of a queue in the one around it. */
export const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1)
