import { SchedError } from '@sched/core'
import { median } from '@sched/metrics'
import { profilePath } from './profile.js'
import { VariantProcess } from './variant-process.js'
import type { Benchmark, Measurement, Size, Variant } from './benchmark.js'
import type { Ran } from './messages.js'

export interface MeasureOptions {
  readonly size: Size
  /** Runs after the first one, per process. */
  readonly runs: number
  /** Folder for CPU profiles, each of one more run after all others; one process per variant then. */
  readonly profiles?: string | undefined
}

const PROCESSES = 3

/**
 * Measures all variants of a benchmark: in each round every variant gets a fresh process, and the processes run in
 * turn (A B A B ...), so that what else the machine does falls on all of them alike. The last run of a process reports
 * its decisions and is not timed. Throws `INVARIANT` when variants that must agree decide differently.
 *
 * Source: the method of `Georges et al., "Statistically Rigorous Java Performance Evaluation", OOPSLA 2007` in short:
 * start-up and steady state apart, several processes, several runs in each.
 */
export async function measure(benchmark: Benchmark, options: MeasureOptions): Promise<Record<string, Measurement>> {
  const runs = new Map<Variant, Ran[][]>(benchmark.variants.map((variant) => [variant, []]))
  for (let round = 0; round < PROCESSES; round++) {
    const taking = benchmark.variants.filter((variant) => round < processes(variant, options))
    const rans = await runInTurn(benchmark.name, taking, options)
    for (const [i, variant] of taking.entries()) runs.get(variant)?.push(rans[i] as Ran[])
  }
  const measured = Object.fromEntries([...runs].map(([variant, rans]) => [variant.name, summary(`${benchmark.name}/${variant.name}`, rans)]))
  for (const group of benchmark.agree ?? []) mustAgree(benchmark.name, group, measured)
  return measured
}

const processes = ({ processes = PROCESSES }: Variant, { profiles, size }: MeasureOptions) => (profiles === undefined && size === 'full' ? processes : 1)
const timedRuns = ({ runs }: Variant, options: MeasureOptions) => 1 + Math.min(options.runs, runs ?? options.runs)

async function runInTurn(benchmark: string, variants: readonly Variant[], options: MeasureOptions): Promise<Ran[][]> {
  const started: VariantProcess[] = []
  try {
    for (const variant of variants) started.push(await VariantProcess.start(benchmark, variant.name, options.size, variant.execArgv ?? []))
    const rans: Ran[][] = variants.map(() => [])
    for (let run = 0; run <= options.runs + 1; run++)
      for (const [i, variant] of variants.entries()) {
        const last = timedRuns(variant, options)
        if (run > last || (variant.runs === 0 && run > 0)) continue
        rans[i]?.push(await (started[i] as VariantProcess).run({ hashed: run === last || variant.runs === 0 }))
      }
    if (options.profiles !== undefined)
      for (const [i, variant] of variants.entries()) await (started[i] as VariantProcess).run({ profile: profilePath(options.profiles, benchmark, variant.name) })
    return rans
  } finally {
    for (const process of started) await process.end()
  }
}

/** The last run of each process is the hashed one; where it is the only one it also counts as the first. */
function summary(title: string, processes: readonly (readonly Ran[])[]): Measurement {
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

function mustAgree(benchmark: string, group: readonly string[], measured: Readonly<Record<string, Measurement>>): void {
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
