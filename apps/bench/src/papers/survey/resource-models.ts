import { monolithic } from '@sched/architectures'
import { readCluster, type ClusterInput } from '@sched/cluster'
import { randomStream, type Demand, type JobSpec, type Random, type Seconds, type Workload } from '@sched/core'
import { standardMetrics } from '@sched/metrics'
import { simulate } from '@sched/sim'
import { workloadOf } from '@sched/workload'
import type { Trial } from '../claim.js'
import { naiveFair } from '../delay-scheduling/environment.js'

const NODES = 20
const CORES = 16
const MEMORY = 32
const hardware = { cores: CORES, memory: MEMORY }
/** Cores and GB of a task of each kind of job. The largest of each decides the size of a slot. */
const kinds = [{ cores: 1, memory: 1 }, { cores: 2, memory: 1 }, { cores: 1, memory: 4 }] as const
const SLOTS = Math.min(CORES / 2, MEMORY / 4)
type Use = (typeof kinds)[number]

/** How nodes and tasks are described to the scheduler; what tasks really use is the same in all. */
interface Model {
  readonly cluster: Omit<ClusterInput, 'nodes'>
  readonly demand: (stage: 'map' | 'reduce', use: Use) => Demand
}

const models = {
  typed: { cluster: { slots: { map: SLOTS - 3, reduce: 3 } }, demand: (stage) => ({ [stage]: 1 }) },
  typeless: { cluster: { slots: { slot: SLOTS } }, demand: () => ({ slot: 1 }) },
  dynamic: { cluster: { slots: { slot: 2 * SLOTS }, dynamicSlots: { min: SLOTS / 2, initial: SLOTS } }, demand: () => ({ slot: 1 }) },
  vectors: { cluster: { resources: hardware }, demand: (_, use) => use },
} as const satisfies Readonly<Record<string, Model>>
type ModelName = keyof typeof models

/** Fraction of the cores and of the memory in use from the first submission to the end of the last task. */
type Uses = Readonly<Record<ModelName, { readonly cores: number; readonly memory: number }>>

/** The same jobs under every model. They do equal work, so each model's use follows from the time it takes. */
export function utilisations(trial: Trial): Uses {
  const jobs = jobsOf(trial)
  const runs = Object.fromEntries(Object.entries(models).map(([name, model]) => [name, run(model, jobs, trial)])) as Record<ModelName, ReturnType<typeof run>>
  const [cores, memory] = runs.vectors.useful as [number, number]
  const used = ({ makespan }: { readonly makespan: Seconds }) => ({ cores: cores / (NODES * CORES * makespan), memory: memory / (NODES * MEMORY * makespan) })
  return { typed: used(runs.typed), typeless: used(runs.typeless), dynamic: used(runs.dynamic), vectors: used(runs.vectors) }
}

function run(model: Model, jobs: readonly Job[], { seed, validate }: Trial): { readonly makespan: Seconds; readonly useful: readonly number[] } {
  const metrics = standardMetrics()
  simulate({
    cluster: readCluster({ nodes: NODES, ...model.cluster, hardware }),
    workload: described(jobs, model),
    policy: naiveFair, architecture: monolithic(), runtime: { jitter: 0 }, observers: [metrics], seed, validate,
  })
  const { times, utilisation } = metrics.result()
  return { makespan: times.makespan, useful: utilisation.resources.map(({ useful }) => useful) }
}

interface Job {
  readonly submit: Seconds
  readonly maps: number
  readonly use: Use
}

function jobsOf({ seed, quick = false }: Trial): Job[] {
  const random = randomStream(seed, 'survey/resource-models')
  let now = 0
  return Array.from(
    { length: quick ? 20 : 60 },
    () => ({ submit: (now += -5 * Math.log(1 - random())), maps: 20 + pick(random, 81), use: kinds[pick(random, kinds.length)] as Use }),
  )
}

const pick = (random: Random, choices: number): number => Math.floor(random() * choices)

function described(jobs: readonly Job[], { demand }: Model): Workload {
  const specs = jobs.map(({ submit, maps, use }, i): JobSpec => ({
    id: `job${i}`,
    submit,
    stages: [
      { name: 'map', tasks: maps, demand: demand('map', use), use: { ...use }, duration: { kind: 'uniform', min: 20, max: 40 } },
      {
        name: 'reduce',
        tasks: Math.ceil(maps / 4),
        demand: demand('reduce', use),
        use: { ...use },
        duration: { kind: 'uniform', min: 40, max: 80 },
        after: [{ stage: 0, fraction: 0.05 }],
      },
    ],
  }))
  return workloadOf('jobs of three kinds', specs)
}
