import type { Attribute } from './attributes.js'

const MIB = 2 ** 20
/** Bytes of a word. */
const WORD = 8

/** An amount of a resource: a number, or a size such as 4gb, in MiB; memory without a unit is in bytes. `undefined` for a text that is neither. */
export function sizeOf({ value }: Pick<Attribute, 'value'>, resource: string): number | undefined {
  const [, number = '', unit = '', of = ''] = /^(\d+(?:\.\d+)?)([kmgtp]?)([bw]?)$/i.exec(value) ?? []
  if (number === '') return undefined
  if (unit + of === '' && resource !== 'mem') return Number(number)
  return (Number(number) * 1024 ** ' kmgtp'.indexOf(unit.toLowerCase() || ' ') * (of.toLowerCase() === 'w' ? WORD : 1)) / MIB
}
