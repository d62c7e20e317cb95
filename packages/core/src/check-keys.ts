import { nearest, SchedError, suggest } from './error.js'

/**
 * Throws `BAD_OPTION` for a key that is nearly a known one, that is, a typing error in a program without types. Other unknown keys are allowed:
 * options may be spread over several readers. `path` precedes the key in the message.
 */
export function checkKeys(path: string, given: object, known: object): void {
  const names = Object.keys(known)
  const key = Object.keys(given).find((each) => !names.includes(each) && nearest(each, names) !== undefined)
  if (key !== undefined) throw new SchedError('BAD_OPTION', `unknown key "${key}".`, { field: `${path}${key}` }, suggest(key, names))
}
