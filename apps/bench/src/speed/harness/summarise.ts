import { SchedError } from '@sched/core'
import { median } from '@sched/metrics'
import type { Measurement } from './benchmark.js'
import type { Ran } from './messages.js'

/**
 * One measurement from the runs of a variant's processes. The last run of each is the hashed one; where it is the only
 * one it also counts as the first. Throws `INVARIANT` for runs that did not all do the same.
 */
export function summarise(title: string, processes: readonly (readonly Ran[])[]): Measurement {
  const all = processes.flat()
  const [first] = all
  const hashes = new Set(processes.map((rans) => rans.at(-1)?.hash))
  if (first === undefined) throw new SchedError('BROKEN_CONTRACT', `${title} was not run`)
  if (hashes.size > 1 || all.some(({ work, check }) => work !== first.work || !Object.is(check, first.check)))
    throw new SchedError('INVARIANT', `${title} did different things in different runs`, {}, 'A benchmark must be deterministic; look for state that outlives a run.')
  const timed = processes.map((rans) => (rans.length === 1 ? rans : rans.slice(0, -1)))
  const facts = Object.keys(first.facts ?? {}).map((name) => [name, median(timed.map(([ran]) => ran?.facts?.[name] ?? NaN))])
  return {
    work: first.work,
    cold: median(timed.map(([ran]) => (ran as Ran).cpu)),
    warm: median(timed.flatMap((rans) => rans.slice(1)).map(({ cpu }) => cpu)),
    peak: median(timed.map(([ran]) => (ran as Ran).peak)),
    hash: [...hashes][0] ?? '',
    facts: Object.fromEntries(facts) as Record<string, number>,
  }
}

/** Throws `INVARIANT` when variants of a group decided differently. */
export function mustAgree(benchmark: string, group: readonly string[], measured: Readonly<Record<string, Measurement>>): void {
  const [first, ...others] = group.map((name) => ({ name, ...(measured[name] as Measurement) }))
  for (const other of others)
    if (other.hash !== first?.hash || other.work !== first.work)
      throw new SchedError(
        'INVARIANT',
        `${benchmark}: "${first?.name}" and "${other.name}" decide differently (${first?.hash} and ${other.hash}, ${first?.work} and ${other.work} units of work)`,
        {},
        'One of them is wrong, so neither figure means anything.',
      )
}
