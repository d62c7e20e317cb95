import { Parts } from '../experiment/parts.js'
import { prepare, type Experiment } from '../experiment/experiment.js'
import { JobFile } from '../output/job-file.js'
import { ScheduleFile } from '../output/schedule-file.js'
import { ShuffleFile } from '../output/shuffle-file.js'
import { SwfFile } from '../output/swf-file.js'
import { runOnce, type RunResult } from '../run-once.js'
import type { Board } from './board.js'
import { failureOf, type Outcome } from './outcome.js'
import type { Plan } from './plan.js'

/** Who runs: its place on the board, and what it is told of. */
export interface Runner {
  readonly board: Board
  readonly id: number
  /** Called for every run as it begins, and every few milliseconds while it goes on. */
  readonly onRun?: (run: number) => void
  readonly onProgress?: () => void
  /** Called with what the user should know before a run goes on. */
  readonly onWarning?: ((text: string) => void) | undefined
}

/**
 * Takes runs of a plan from the board until none is left, and yields what became of each. A failed run ends it, and all
 * later ones on other threads.
 */
export async function runShare(plan: Plan, { board, id, onRun, onProgress, onWarning }: Runner): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const experiments = new Latest(plan)
  let before = 0
  for (let run = board.take(); run !== undefined; run = board.take()) {
    const current = run
    let launches = 0
    onRun?.(current)
    try {
      const result = await runOne(plan, await experiments.of(current), current, {
        mayGoOn: () => board.mayGoOn(current),
        onWarning: (text) => onWarning?.(text),
        onProgress(ended, jobs, started) {
          launches = started
          board.progress(id, jobs === undefined || jobs === 0 ? 0 : Math.min(1, ended / jobs), before + started)
          onProgress?.()
        },
      })
      outcomes.push({ run, result })
    } catch (error) {
      const failure = failureOf(error)
      if (failure !== undefined) outcomes.push({ run, failure })
      board.stopAfter(run - 1)
    }
    before += launches
    board.progress(id, 0, before)
    board.done()
  }
  return outcomes
}

async function runOne({ runs, jobs, draw }: Plan, experiment: Experiment, run: number, watch: Parameters<typeof runOnce>[3]): Promise<RunResult> {
  const { policy: index, seed } = runs[run] as Plan['runs'][number]
  const policy = experiment.policies[index] as Experiment['policies'][number]
  if (jobs === undefined) return runOnce(experiment, policy, seed, { ...watch, draw })
  const file = new JobFile(jobs, run, experiment.cluster.resources)
  const swf = experiment.description.spec.metrics?.rigid === true ? new SwfFile(originOf(experiment, policy.name)) : undefined
  const schedule = jobs.schedule === true ? new ScheduleFile(jobs, seed) : undefined
  const shuffle = hasNetwork(experiment) ? new ShuffleFile(policy.name, seed) : undefined
  const observers = [...(shuffle === undefined ? [] : [shuffle.observer]), ...(swf === undefined ? [] : [swf]), ...(schedule === undefined ? [] : [schedule.observer])]
  try {
    const result = await runOnce(experiment, policy, seed, { ...watch, draw, observers, onJob: (row) => file.add(seed, row) })
    swf?.write(jobs, run)
    schedule?.write(jobs, run)
    shuffle?.write(jobs, run)
    return result
  } finally {
    file.close()
  }
}

const hasNetwork = ({ description }: Experiment) => description.spec.runtime?.network !== undefined

/** What a log of results says of where it comes from. */
function originOf({ workload: { trace, machine } }: Experiment, policy: string): ConstructorParameters<typeof SwfFile>[0] {
  return { header: trace?.header, machine, note: `simulated by sched under ${policy}` }
}

/** The experiment of the latest run, prepared: neighbours in a plan mostly are of one variant. */
class Latest {
  readonly #plan: Plan
  readonly #parts = new Parts()
  #variant = -1
  #experiment: Experiment | undefined

  constructor(plan: Plan) {
    this.#plan = plan
  }

  async of(run: number): Promise<Experiment> {
    const { runs, variants } = this.#plan
    const { variant } = runs[run] as Plan['runs'][number]
    if (this.#experiment === undefined || variant !== this.#variant) {
      this.#experiment = await prepare(variants[variant] as Plan['variants'][number], this.#parts)
      this.#variant = variant
    }
    return this.#experiment
  }
}
