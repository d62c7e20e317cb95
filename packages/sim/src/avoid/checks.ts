import { SchedError, type Seconds } from '@sched/core'

export const bad = (fact: string, wayOut: string): SchedError => new SchedError('BAD_INPUT', fact, { field: 'avoid' }, wayOut)

/** Throws `BAD_INPUT` for a number of failures that is not whole or below 1. */
export function checkCounts(values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) if (!(Number.isSafeInteger(value) && value >= 1)) throw bad(`found ${name} ${value}.`, 'It is a whole number, 1 or more.')
}

/** Throws `BAD_INPUT` for a time that is not above 0; `Infinity` is. */
export function checkTimes(values: Readonly<Record<string, Seconds>>): void {
  for (const [name, value] of Object.entries(values)) if (!(value > 0)) throw bad(`found ${name} ${value} s.`, 'It is more than 0 s.')
}

/** Throws `BAD_INPUT` for a value outside [0, 1]. */
export function checkFractions(values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) if (!(value >= 0 && value <= 1)) throw bad(`found ${name} ${value}.`, 'It is a fraction, from 0 to 1.')
}
