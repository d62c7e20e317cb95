/** The full path of a queue of YARN: `ads` and `root.ads` are one. */
export const underRoot = (name: string): string => (name === 'root' || name.startsWith('root.') ? name : `root.${name}`)
