import { decisions, standardMetrics } from '@sched/metrics'
import { randomFit } from '@sched/placement'
import { fifo, greedy } from '@sched/policies'
import { simulate } from '@sched/sim'
import { omegaExample } from '@sched/workload'
import type { JobId, Observer, Plug, WorkView, Workload } from '@sched/core'
import type { Outcome, Size } from '../harness/benchmark.js'
import type { DecisionHash } from '../harness/decision-hash.js'

/** A cell with the jobs that it is offered. */
export interface OmegaWorld {
  readonly machines: number
  readonly workload: Workload
}

/** CPUs and GB of a machine and of a task. */
export const machine = { cpu: 4, mem: 16 }
export const task = { cpu: 1, mem: 2 }
/** Decision time, seconds per job and per task; service schedulers think for a second. */
export const thinking = { batch: { job: 0.1, task: 0.005 }, service: { job: 1, task: 0.005 } }
export const BATCH_SCHEDULERS = 4

/**
 * 10,000 machines of 4 CPUs; 16 batch jobs of 20 tasks a second, which keep four schedulers busy for 80 % of the time, and
 * a service job of 10 tasks every 2 s, until a million tasks have come. Run times (exponential; service ten times those of
 * batch) fill the cell to about the load that is asked for.
 */
export function omegaWorld(size: Size, load: number): OmegaWorld {
  const scale = size === 'small' ? 50 : 1
  const machines = 10_000 / scale
  const [rate, tasks] = [16, 20]
  const [serviceRate, serviceTasks] = [0.5, 10]
  const run = (load * machines * machine.cpu) / task.cpu / (rate * tasks + 10 * serviceRate * serviceTasks)
  const workload = omegaExample({
    horizon: 1_000_000 / scale / (rate * tasks + serviceRate * serviceTasks),
    batch: { gap: 1 / rate, tasks: tasks - 0.5, duration: run },
    service: { gap: 1 / serviceRate, tasks: serviceTasks - 0.5, duration: 10 * run },
    demand: task,
  })
  return { machines, workload }
}

/** Runs jobs of classes `batch` and `service` with all metrics; `transactions` are decisions that claimed something. */
export function runOmega({ machines, workload }: OmegaWorld, architecture: Plug<'architecture'>, hash?: DecisionHash): Outcome {
  const counter = new Transactions()
  const observers = [standardMetrics(), decisions(), counter, ...(hash === undefined ? [] : [hashing(hash)])]
  const cluster = { nodes: [{ count: machines, resources: machine }] }
  const simulation = simulate({ cluster, workload, policy: greedy(fifo(), randomFit()), architecture, runtime: { jitter: 0 }, observers })
  return { work: simulation.launches, check: simulation.now, facts: { transactions: counter.count } }
}

class Transactions implements Observer {
  count = 0
  onDecision({ claimed }: { readonly claimed: number }): void {
    if (claimed > 0) this.count++
  }
}

/** Reports every launch by the job's rank, since ids are used again. */
function hashing(hash: DecisionHash): Observer {
  let work: WorkView | undefined
  return {
    onRunStart: (run) => void (work = run.work),
    onTaskStart: (_task, job: JobId, _lane, node, _level, now) => hash.add(work?.rank(job) ?? NaN, node, now),
  }
}
