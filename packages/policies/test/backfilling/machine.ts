import { defineArchitecture, type JobSpec, type LaneId, type Observer, type Plug, type Workload } from '@sched/core'
import { simulate, type Outage } from '@sched/sim'
import { modelOf } from '@sched/testkit'
import type { RigidJob } from './reference/machine.js'

/** One scheduler and a queue pass over all nodes, as `monolithic` has it, which this package's tests may not import. */
export const queuePasses = defineArchitecture({
  name: 'queue passes',
  summary: 'one scheduler, a pass whenever something has changed',
  options: { '~standard': { version: 1, vendor: 'none', validate: (value) => ({ value }) } },
  create(_, env) {
    const scheduler = env.addScheduler('scheduler')
    return {
      trigger() {
        for (let lane = 0 as LaneId; lane < env.cell.cluster.lanes.length; lane++) {
          if (scheduler.pending(lane) === 0) continue
          const round = env.cell.draft(scheduler, lane, env.cell.nodes)
          scheduler.policy.schedule(round)
          round.commit({ conflict: 'none', atomic: false })
        }
      },
    }
  },
})

const resourceNames = ['procs', 'memory', 'gpus']

const demandOf = (size: readonly number[]) => Object.fromEntries(size.map((amount, r) => [resourceNames[r] ?? '', amount]))

/** A rigid job as one task with its whole demand, on a machine that is one node; one of parts as one gang of a stage for each. */
const asSpec = ({ submit, follows, estimate, size, runtime, parts }: RigidJob, index: number): JobSpec => ({
  id: `J${index}`,
  submit,
  ...(follows !== undefined && { afterAll: [{ ...follows, job: `J${follows.job}` }] }),
  estimate,
  ...(parts !== undefined && { gang: true }),
  stages:
    parts === undefined
      ? [{ name: 'job', tasks: 1, demand: demandOf(size), duration: runtime }]
      : parts.map((part, i) => ({ name: `part ${i}`, tasks: part.tasks, gang: true, demand: demandOf(part.size), duration: part.runtime })),
})

export const workloadOf = (specs: readonly JobSpec[]): Workload => ({
  name: 'jobs',
  open: () => {
    let next = 0
    return { next: () => specs[next++] }
  },
})

const machines = new Map<string, { nodes: { count: number; resources: Record<string, number> }[] }>()

/** One description per machine, however many worlds have it. */
function machine(count: number, capacity: readonly number[]) {
  const key = `${count} x ${capacity.join()}`
  const known = machines.get(key) ?? { nodes: [{ count, resources: Object.fromEntries(capacity.map((amount, r) => [resourceNames[r] ?? '', amount])) }] }
  machines.set(key, known)
  return known
}

export interface Options {
  readonly nodes?: number
  readonly observers?: readonly Observer[]
  readonly passPerEvent?: 'submits-first' | 'ends-first'
  readonly validate?: boolean
  readonly outages?: readonly Outage[]
  /** Seconds since 1970 at time 0. */
  readonly start?: number
  readonly warn?: (message: string) => void
}

/** Runs jobs on a machine of `nodes` nodes with the capacity each; returns the first start of every job by id. */
export function startsOf(specs: readonly JobSpec[], capacity: readonly number[], policy: Plug<'policy'>, options: Options = {}): Map<string, number> {
  const { nodes = 1, observers = [], validate = true, passPerEvent, outages = [], warn, start } = options
  const starts = new Map<string, number>()
  const names: string[] = []
  const watch: Observer = {
    onSubmit: (job, spec) => void (names[job] = spec.id),
    onTaskStart: (_task, job, _lane, _node, _level, now) => {
      const name = names[job] ?? ''
      if (!starts.has(name)) starts.set(name, now)
    },
  }
  simulate({
    cluster: modelOf(machine(nodes, capacity)),
    workload: start === undefined ? workloadOf(specs) : { ...workloadOf(specs), start },
    policy,
    architecture: queuePasses.plug({}),
    runtime: { localityFactors: [1], jitter: 0 },
    observers: [watch, ...observers],
    validate,
    ...(passPerEvent === undefined ? {} : { passPerEvent }),
    outages,
    ...(warn !== undefined && { warn }),
  })
  return starts
}

/** Start times of rigid jobs, in the order of the jobs. */
export function simulated(jobs: readonly RigidJob[], capacity: readonly number[], policy: Plug<'policy'>, options: Options = {}): number[] {
  const starts = startsOf(jobs.map(asSpec), capacity, policy, options)
  return jobs.map((_, index) => starts.get(`J${index}`) ?? NaN)
}
