import { SchedError, type Seconds } from '@sched/core'

export const bad = (fact: string, wayOut: string): SchedError => new SchedError('BAD_INPUT', fact, { field: 'speculation' }, wayOut)

/** Throws `BAD_INPUT` for a value outside [0, 1]. */
export function checkFractions(values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) if (!(value >= 0 && value <= 1)) throw bad(`found ${withArticle(name)} of ${value}.`, 'It is a fraction, from 0 to 1.')
}

/** Throws `BAD_INPUT` for a time that is not above 0 and finite. */
export function checkTimes(values: Readonly<Record<string, Seconds>>): void {
  for (const [name, seconds] of Object.entries(values)) if (!(seconds > 0 && seconds < Infinity)) throw bad(`found ${withArticle(name)} of ${seconds} s.`, 'It is more than 0 s.')
}

/** Throws `BAD_INPUT` for an amount that is negative or infinite. */
export function checkAmounts(values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) if (!(value >= 0 && value < Infinity)) throw bad(`found ${withArticle(name)} of ${value}.`, 'It is 0 or more.')
}

const withArticle = (name: string): string => `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`
