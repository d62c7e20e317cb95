/** The full path of a queue as people write it: `a.b`, `root.a.b` and `root/a/b` are one. */
export function fullPath(written: string): string {
  const path = written.replaceAll('/', '.')
  return path === 'root' || path.startsWith('root.') ? path : `root.${path}`
}

export const parentPath = (path: string): string => path.slice(0, path.lastIndexOf('.'))
export const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1)
