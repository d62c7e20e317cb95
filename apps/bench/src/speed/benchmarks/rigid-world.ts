import { monolithic } from '@sched/architectures'
import { randomStream, type Demand, type JobSpec, type Observer, type Plug, type Workload } from '@sched/core'
import { standardMetrics } from '@sched/metrics'
import { simulate } from '@sched/sim'
import { workloadOf } from '@sched/workload'
import { hashing } from './w1-world.js'
import type { Outcome } from '../harness/benchmark.js'
import type { DecisionHash } from '../harness/decision-hash.js'

const PROCS = 256
const GROWTH = 2 ** (1 / 3)
/** Estimates that users give: 13 round times from a minute to 36 hours, seconds. */
const LIMITS = [60, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 28_800, 43_200, 64_800, 129_600]

/**
 * Rigid jobs for a machine of 256 processors: a quarter serial, most of the others powers of two; run times from
 * 10 s to 29 h, triangular in their logarithm; estimates up to four times longer, rounded up to one of 13
 * limits; Poisson arrivals that offer `load` times what the machine can do. Simpler than `lublin` and without its daily
 * cycle, so that the queue's length follows the load alone.
 */
export function rigidJobs(jobs: number, load: number): Workload {
  const draw = randomStream(1, 'rigid')
  const demands = new Map<number, Demand>()
  const drawn = Array.from({ length: jobs }, () => {
    const procs = sizeOf(draw(), draw())
    const duration = Math.max(1, Math.round(10 * GROWTH ** (20 * (draw() + draw()))))
    const wanted = duration * (1 + 3 * draw())
    if (!demands.has(procs)) demands.set(procs, { procs })
    return { procs, duration, estimate: LIMITS.find((limit) => limit >= wanted) ?? Math.ceil(wanted), gap: -Math.log(1 - draw()) }
  })
  const work = drawn.reduce((sum, { procs, duration }) => sum + procs * duration, 0)
  const meanGap = work / (PROCS * load * jobs)
  let submit = 0
  return workloadOf('rigid jobs', drawn.map(({ procs, duration, estimate, gap }, i): JobSpec => {
    submit += gap * meanGap
    return { id: `job${i}`, submit: Math.round(submit), user: 'user', estimate, stages: [{ name: 'job', tasks: 1, demand: demands.get(procs) as Demand, duration }] }
  }))
}

function sizeOf(u: number, v: number): number {
  if (u < 0.24) return 1
  return u < 0.75 ? 2 ** Math.floor(1 + 7 * v) : Math.max(2, Math.round(2 ** (7 * v)))
}

/** Runs rigid jobs on the machine as one node of 256 processors; `waiting` is the most jobs that waited at once. */
export function runRigid(workload: Workload, policy: Plug<'policy'>, hash?: DecisionHash): Outcome {
  const queue = new QueueLength()
  const observers = [standardMetrics(), queue, ...(hash === undefined ? [] : [hashing(hash)])]
  const cluster = { nodes: [{ count: 1, resources: { procs: PROCS } }] }
  const simulation = simulate({ cluster, workload, policy, architecture: monolithic(), runtime: { jitter: 0 }, observers })
  return { work: simulation.launches, check: simulation.now, facts: { waiting: queue.most } }
}

class QueueLength implements Observer {
  most = 0
  #now = 0
  onSubmit(): void {
    if (++this.#now > this.most) this.most = this.#now
  }
  onTaskStart(): void {
    this.#now--
  }
}
