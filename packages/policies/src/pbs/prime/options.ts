import { SchedError } from '@sched/core'
import * as z from '@sched/bundled/zod'

const text = z.union([z.string(), z.array(z.string()).min(1)])
export const primeTimeOptions = z.strictObject({
  holidays: z.string().default('').describe('text of the file holidays of sched_priv: the year, when prime time and non-prime time begin on days of the week, and holidays; default: prime time always'),
  backfill_prime: z.union([z.boolean(), text]).default(false).describe('whether only jobs start that end before prime time begins or ends, by their estimates: true, or as sched_config has it, "true non_prime", also several of these; of the status in which a job would start'),
  prime_spill: text.default('0').describe('by how much they may end later, [[hours:]minutes:]seconds; "1:00:00 prime": into prime time'),
  prime_exempt_anytime_queues: z.boolean().default(false).describe('whether jobs of queues that are neither for prime nor for non-prime time may go on into either'),
  primetime_prefix: z.string().default('p_').describe('beginning of the names of queues whose jobs start in prime time alone'),
  nonprimetime_prefix: z.string().default('np_').describe('the same for non-prime time'),
})
export type ReadPrimeTimeOptions = z.output<typeof primeTimeOptions>

/** A value for prime time and one for non-prime time. */
export interface ByStatus<T> {
  readonly prime: T
  readonly nonPrime: T
}

/**
 * A setting of sched_config: a value, for both or, with `prime` or `non_prime` behind it, for one; of several lines each holds for its own.
 *
 * Source: OpenPBS, parse_config of parse.cpp.
 */
function byStatus<T>(lines: string | readonly string[], absent: T, read: (value: string) => T | undefined, field: string, wayOut: string): ByStatus<T> {
  const found = { prime: absent, nonPrime: absent }
  for (const line of [lines].flat()) {
    const [value = '', of = 'all', ...more] = line.trim().split(/\s+/)
    const known = read(value)
    const status = of.toLowerCase()
    if (known === undefined || more.length > 0 || !['all', 'none', 'prime', 'non_prime'].includes(status)) throw new SchedError('BAD_OPTION', `found ${JSON.stringify(line)}.`, { field }, wayOut)
    if (status === 'prime' || status === 'all') found.prime = known
    if (status === 'non_prime' || status === 'all') found.nonPrime = known
  }
  return found
}

/** Whether jobs must end with the status in which they start. */
export const backfillOf = (given: boolean | string | readonly string[], field: string): ByStatus<boolean> =>
  byStatus(typeof given === 'boolean' ? String(given) : given, false, (value) => (/^true$/i.test(value) ? true : /^false$/i.test(value) ? false : undefined), field, 'Write true, or "true non_prime".')

/** Seconds by which jobs may go on into prime time, and into non-prime time. */
export const spillOf = (given: string | readonly string[], field: string): ByStatus<number> =>
  byStatus(given, 0, (value) => (/^(\d+:){0,2}\d+$/.test(value) ? value.split(':').reduce((sum, each) => 60 * sum + Number(each), 0) : undefined), field, 'Write 1:00:00, or "1:00:00 prime".')
