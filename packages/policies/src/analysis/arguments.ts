import { SchedError } from '@sched/core'

/** Refuses an argument outside its range. Throws `BAD_OPTION` naming the argument and the range. */
export function requireThat(holds: boolean, field: string, value: unknown, wish: string): void {
  if (!holds) throw new SchedError('BAD_OPTION', `${String(value)} is out of range.`, { field }, `Give ${wish}.`)
}

export function requireCount(field: string, value: number): void {
  requireThat(Number.isInteger(value) && value >= 1, field, value, 'an integer of at least 1')
}

export function requirePositive(field: string, value: number): void {
  requireThat(Number.isFinite(value) && value > 0, field, value, 'a finite number above 0')
}

export function requireNonNegative(field: string, value: number): void {
  requireThat(Number.isFinite(value) && value >= 0, field, value, 'a finite number of at least 0')
}

export function requireFraction(field: string, value: number): void {
  requireThat(value >= 0 && value <= 1, field, value, 'a fraction from 0 to 1')
}
