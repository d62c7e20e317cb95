import { SchedError, suggest } from './error.js'
import type { ResourceId } from './ids.js'
import { ownValue } from './own-value.js'

/** The id of a resource of the cluster. Throws `BAD_OPTION` for an unknown name; `field` is the option's path for the message. */
export function resourceNamed(name: string, resources: readonly string[], field: string): ResourceId {
  const found = resources.indexOf(name)
  if (found < 0) throw new SchedError('BAD_OPTION', `the cluster has no resource "${name}".`, { field }, suggest(name, resources))
  return found as ResourceId
}

/** Amounts by name as a column by `ResourceId`, with `absent` where none is given. Throws `BAD_OPTION` for a resource that the cluster lacks. */
export function amountsByName(given: Readonly<Record<string, number>>, resources: readonly string[], field: string, absent = 0): Float64Array {
  for (const name of Object.keys(given)) resourceNamed(name, resources, `${field}.${name}`)
  return Float64Array.from(resources, (name) => ownValue(given, name) ?? absent)
}
