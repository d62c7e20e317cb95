import { nearest, SchedError, suggest } from './error.js'

/**
 * Throws `BAD_OPTION` for a key that is nearly one of those known: a slip, as a program without types may have it. Others may be there for
 * somebody else, where options are spread. `path` is what stands before the key in the message.
 */
export function checkKeys(path: string, given: object, known: object): void {
  const names = Object.keys(known)
  const key = Object.keys(given).find((each) => !names.includes(each) && nearest(each, names) !== undefined)
  if (key !== undefined) throw new SchedError('BAD_OPTION', `unknown key "${key}".`, { field: `${path}${key}` }, suggest(key, names))
}
