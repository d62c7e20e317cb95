import type { Located } from './located.js'

/** Amounts by YuniKorn's names of resources: `vcore` in millicores, `memory` in bytes, others in units of the resource. */
export type Quantities = ReadonlyMap<string, { readonly amount: number; readonly found: Located }>

const multipliers: Readonly<Record<string, number>> = {
  '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
}

/** What is too large for a whole number of 64 bits with a sign. */
const BEYOND = 2 ** 63

/**
 * Reads amounts: whole numbers, perhaps with a suffix such as G or Gi. Amounts of `vcore` are cores, or millicores with the suffix m. Throws `BAD_INPUT`
 * with the line.
 *
 * Source: YuniKorn, quantity.go.
 */
export function quantitiesIn(found: Located): Quantities {
  return new Map(found.fields().map(([name, given]) => [name, { amount: quantityOf(name, given), found: given }]))
}

function quantityOf(name: string, given: Located): number {
  const isCores = name === 'vcore'
  const parts = /^(\+?\d+)([A-Za-z]*)$/.exec((given.string() ?? '').replaceAll(/\s/g, ''))
  const [, digits = '', suffix = ''] = parts ?? []
  const isMilli = isCores && suffix === 'm'
  if (parts === null || (!isMilli && !Object.hasOwn(multipliers, suffix)))
    throw given.error(`found ${given.text === '' ? 'nothing' : JSON.stringify(given.value)}, expected a whole number with a suffix such as ${isCores ? '10 or 500m' : '10, 4G or 4Gi'}.`, `Its suffixes are ${isCores ? 'm, ' : ''}${Object.keys(multipliers).filter((each) => each !== '').join(', ')}.`)
  const amount = isMilli ? Number(digits) : Number(digits) * (multipliers[suffix] as number) * (isCores ? 1000 : 1)
  if (amount >= BEYOND) throw given.error(`found ${JSON.stringify(given.value)}, more than YuniKorn can count.`, 'Write a smaller one, or leave it out for no limit.')
  return amount
}
