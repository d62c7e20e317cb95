import { profilePath } from './profile.js'
import { mustAgree, summarise } from './summarise.js'
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
  const measured = Object.fromEntries([...runs].map(([variant, rans]) => [variant.name, summarise(`${benchmark.name}/${variant.name}`, rans)]))
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
