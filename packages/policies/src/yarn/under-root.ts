/** The full path of a YARN queue: `ads` and `root.ads` both give `root.ads`. */
export const underRoot = (name: string): string => (name === 'root' || name.startsWith('root.') ? name : `root.${name}`)
