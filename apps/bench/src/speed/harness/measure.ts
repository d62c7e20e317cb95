import { profilePath } from './profile.js'
import { mustAgree, summarise } from './summarise.js'
import { VariantProcess } from './variant-process.js'
import type { Benchmark, Measurement, Size, Variant } from './benchmark.js'
import type { Ran, RunOptions } from './messages.js'

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

/** The runs of one process: the timed ones, one for a profile if asked for, one that reports its decisions. */
function plan(benchmark: string, { name, runs }: Variant, options: MeasureOptions): RunOptions[] {
  const profile = options.profiles === undefined ? [] : [{ profile: profilePath(options.profiles, benchmark, name) }]
  if (runs === 0) return [{ hashed: true }, ...profile]
  return [...Array.from({ length: 1 + Math.min(options.runs, runs ?? options.runs) }, () => ({})), ...profile, { hashed: true }]
}

async function runInTurn(benchmark: string, variants: readonly Variant[], options: MeasureOptions): Promise<Ran[][]> {
  const started: VariantProcess[] = []
  try {
    for (const variant of variants) started.push(await VariantProcess.start(benchmark, variant.name, options.size, variant.execArgv ?? []))
    const rans: Ran[][] = variants.map(() => [])
    const plans = variants.map((variant) => plan(benchmark, variant, options))
    for (let run = 0; run < Math.max(...plans.map((each) => each.length)); run++)
      for (const [i, each] of plans.entries()) {
        const how = each[run]
        if (how === undefined) continue
        const ran = await (started[i] as VariantProcess).run(how)
        if (how.profile === undefined) rans[i]?.push(ran)
      }
    return rans
  } finally {
    for (const process of started) await process.end()
  }
}
