import { adviseWord, SchedError, type Taint, type TaintEffect, type Toleration } from '@sched/core'
import { objectIn, type Json, type KubernetesObject } from './kubernetes-objects.js'
import { isLabelValue, isQualifiedName } from './qualified-name.js'

type Path = readonly [string, string]

const EFFECTS: readonly string[] = ['NoSchedule', 'NoExecute', 'PreferNoSchedule']
const OPERATORS: readonly string[] = ['Equal', 'Exists', 'Gt', 'Lt']

const NAMES = 'Names have letters, digits, -, _ and ., at most 63 together; before them may stand a prefix such as example.com/.'
const VALUES = 'Values have letters, digits, -, _ and ., at most 63 together, and begin and end with a letter or digit; or they are whole numbers.'
/** No value of a label, but the operators Gt and Lt compare such numbers, too. */
const NEGATIVE = /^-\d{1,62}$/

/** The taints in a list. Throws `BAD_INPUT` for one without a known effect, and for a key or a value that Kubernetes refuses. */
export function taintsAt(found: KubernetesObject, path: Path): Taint[] {
  return elements(found, path).map((each, i) => {
    const { key, value } = each
    if (typeof key !== 'string' || key === '') throw new SchedError('BAD_INPUT', 'is missing.', found.place(...path, i, 'key'), 'Name the taint, as in key: gpu.')
    if (!isQualifiedName(key)) throw new SchedError('BAD_INPUT', `no taint can be called "${key}".`, found.place(...path, i, 'key'), NAMES)
    if (isText(value) && !isLabelValue(value) && !NEGATIVE.test(value)) throw new SchedError('BAD_INPUT', `no taint can have the value "${value}".`, found.place(...path, i, 'value'), VALUES)
    const effect = oneOf(each, 'effect', EFFECTS, found, [...path, i]) as TaintEffect
    return { key, ...(isText(value) && { value }), effect }
  })
}

/**
 * The tolerations in a list. Throws `BAD_INPUT` for what Kubernetes refuses: an unknown operator or effect, a key that no taint may have, and a value beside
 * `Exists`.
 */
export function tolerationsAt(found: KubernetesObject, path: Path): Toleration[] {
  return elements(found, path).map((each, i) => {
    const { key, operator, value, effect } = each
    if (isText(key) && !isQualifiedName(key)) throw new SchedError('BAD_INPUT', `no taint can be called "${key}".`, found.place(...path, i, 'key'), NAMES)
    if (operator === 'Exists' && isText(value)) throw new SchedError('BAD_INPUT', `found "${value}" beside the operator Exists, which compares no values.`, found.place(...path, i, 'value'), 'Leave it out, or write Equal.')
    return {
      ...(isText(key) && { key }), ...(isText(operator) && { operator: oneOf(each, 'operator', OPERATORS, found, [...path, i]) as NonNullable<Toleration['operator']> }),
      ...(isText(value) && { value }), ...(isText(effect) && { effect: oneOf(each, 'effect', EFFECTS, found, [...path, i]) as TaintEffect }),
    }
  })
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

function elements({ object, place }: KubernetesObject, [around, key]: Path): Json[] {
  const list = objectIn(object[around])[key] ?? []
  if (!Array.isArray(list)) throw new SchedError('BAD_INPUT', `found ${JSON.stringify(list)}, expected a list.`, place(around, key), 'Write - before each.')
  return list.map(objectIn)
}

function oneOf(element: Json, key: string, known: readonly string[], { place }: KubernetesObject, path: readonly (string | number)[]): unknown {
  if (known.includes(element[key] as string)) return element[key]
  throw new SchedError('BAD_INPUT', `found ${JSON.stringify(element[key])}, expected ${known.join(', ')}.`, place(...path, key), adviseWord(element[key], known))
}
