import {
  None, rememberedJobs, type ClusterView, type Env, type JobId, type LaneId, type NodeId, type Release, type ResourceId, type Round, type TaskId,
  type WorkListener, type WorkView,
} from '@sched/core'
import { slurmResource } from '../slurm-limits/amounts.js'
import { ShownJobs } from './shown-jobs.js'

/** A suspended job: where those of its tasks were that have not gone on, and in which round it was suspended. */
interface Suspended {
  /** In the order of the tasks' ids. */
  readonly places: Map<TaskId, NodeId>
  readonly round: number
}

/** A round before all rounds. */
const BEFORE = -1

/** By lane, who is suspended: its tasks in order, each by its stage and its index, and how many rounds ago that was. */
type SuspendedMemory = readonly (readonly (readonly [job: string, tasks: readonly (readonly [stage: number, index: number])[], rounds: number])[])[]

/**
 * Jobs that are suspended. Who starts waiting jobs is not told of them until they go on, so that nobody else starts them again. A task that is claimed goes on, or
 * its suspension was taken back; where the claim is taken back in turn, as by one who tries what fits, it is suspended as before.
 */
export class SuspendedJobs extends ShownJobs {
  readonly #env: Env
  readonly #lanes: readonly Map<JobId, Suspended>[]
  /** By lane: the suspended tasks of each node by their jobs, where nothing has changed since somebody asked. */
  readonly #byNode: (Map<NodeId, Map<JobId, TaskId[]>> | undefined)[] = []
  /** Tasks that were suspended and have been claimed in one round: where they were, and since which round. */
  readonly #claimed = new Map<TaskId, { readonly node: NodeId; readonly round: number }>()
  #serial = BEFORE
  /** By lane: what a suspended task gives up. */
  readonly frees: readonly (readonly ResourceId[])[]

  /** `told` hears of waiting jobs that are not suspended. `frees`: by lane, what a suspended task gives up; default: processors, but neither memory nor devices. */
  constructor(env: Env, told: WorkListener, frees?: readonly (readonly ResourceId[])[]) {
    const lanes = env.cluster.lanes.map(() => new Map<JobId, Suspended>())
    super(env, told, (job, lane) => lanes[lane]?.has(job) === true)
    this.#env = env
    this.#lanes = lanes
    this.frees = frees ?? env.cluster.lanes.map((_, lane) => processorsOf(env.cluster, lane as LaneId))
  }

  /** Its memory, a part by itself: it is taken up before that of whoever is told of waiting jobs, for whom those that are suspended do not wait. */
  readonly kept = { memory: (): unknown => this.#memory(), recall: (memory: unknown): void => { this.#recall(memory as SuspendedMemory) } }

  #memory(): SuspendedMemory {
    const { work } = this.#env
    const placeOf = (task: TaskId) => [work.stageOf(task), work.indexOf(task)] as const
    return this.#lanes.map((jobs) => Array.from(jobs, ([job, { places, round }]) => [work.name(job), Array.from(places.keys(), placeOf), this.#serial - round] as const))
  }

  /** Tasks that are not suspended any more are passed over. */
  #recall(memory: SuspendedMemory): void {
    const { work } = this.#env
    for (const [lane, suspended] of memory.entries())
      for (const [job, tasks, rounds] of rememberedJobs(suspended, work)) {
        const places = new Map<TaskId, NodeId>()
        for (const [stage, index] of tasks) {
          const task = work.taskAt(job, stage, index)
          const node = task === None ? None : work.suspendedOn(task)
          if (node !== None) places.set(task as TaskId, node)
        }
        if (places.size === 0) continue
        this.#set(job, lane as LaneId, { places, round: BEFORE - rounds })
        this.tell(job, lane as LaneId)
      }
  }

  in(lane: LaneId): ReadonlyMap<JobId, Suspended> {
    return this.#lanes[lane] as Map<JobId, Suspended>
  }

  has(job: JobId, lane: LaneId): boolean {
    return this.in(lane).has(job)
  }

  /** The suspended tasks of all jobs. */
  tasks(): TaskId[] {
    return this.#lanes.flatMap((jobs) => [...jobs.values()].flatMap(({ places }) => [...places.keys()]))
  }

  /** The suspended tasks of a node, by their jobs. */
  on(node: NodeId, lane: LaneId): ReadonlyMap<JobId, readonly TaskId[]> {
    return (this.#byNode[lane] ??= byNode(this.in(lane))).get(node) ?? NOBODY
  }

  /** To be called first in every round: forgets jobs that were given up, of which no task waits any more, though others may still run. */
  begin({ lane, serial }: Round): void {
    if (serial !== this.#serial) this.#claimed.clear()
    this.#serial = serial
    for (const job of this.in(lane).keys()) if (this.#env.work.unplaced(job, lane) === 0) this.#delete(job, lane)
  }

  /** A job is suspended in this round, with all that ran of it; others of its tasks may be already. */
  suspended(job: JobId, places: ReadonlyMap<TaskId, NodeId>, { lane, serial }: Round): void {
    const before = this.in(lane).get(job)
    this.#set(job, lane, { places: allPlaces(before, places), round: serial })
    this.tell(job, lane)
  }

  onClaim(job: JobId, lane: LaneId, task: TaskId, node: NodeId): void {
    const found = this.in(lane).get(job)
    if (found?.places.has(task) !== true) return
    this.#claimed.set(task, { node, round: found.round })
    this.#over(job, lane, task)
  }

  onRelease(job: JobId, lane: LaneId, task: TaskId, _node: NodeId, why: Release): void {
    const before = this.#claimed.get(task)
    if (before === undefined) return
    this.#claimed.delete(task)
    if (why !== 'withdrawn') return
    const found = this.in(lane).get(job)
    this.#set(job, lane, { places: allPlaces(found, new Map([[task, before.node]])), round: before.round })
    this.tell(job, lane)
  }

  override onFinish(job: JobId): void {
    if (!this.#env.work.comesAgain(job)) for (let lane = 0; lane < this.#lanes.length; lane++) this.#delete(job, lane as LaneId)
    super.onFinish(job)
  }

  onNode(node: NodeId, up: boolean): void {
    if (up) return
    const { work } = this.#env
    for (const [lane, jobs] of this.#lanes.entries())
      for (const [job, { places }] of [...jobs]) {
        const lost = [...together([...places.keys()], work)].filter((tasks) => tasks.some((task) => places.get(task) === node))
        const tasks = lost.some((each) => areNeeded(each, work)) ? [...places.keys()] : lost.flat()
        for (const task of tasks) this.#over(job, lane as LaneId, task)
      }
  }

  /** A task goes on, or has to start anew; with the last one its job is suspended no more. */
  #over(job: JobId, lane: LaneId, task: TaskId): void {
    const { places } = this.in(lane).get(job) as Suspended
    places.delete(task)
    this.#byNode[lane] = undefined
    if (places.size > 0) return
    this.#delete(job, lane)
    this.tell(job, lane)
  }

  #set(job: JobId, lane: LaneId, suspended: Suspended): void {
    this.#lanes[lane]?.set(job, suspended)
    this.#byNode[lane] = undefined
  }

  #delete(job: JobId, lane: LaneId): void {
    if (this.#lanes[lane]?.delete(job) === true) this.#byNode[lane] = undefined
  }
}

const NOBODY: ReadonlyMap<JobId, readonly TaskId[]> = new Map()

function byNode(jobs: ReadonlyMap<JobId, Suspended>): Map<NodeId, Map<JobId, TaskId[]>> {
  const found = new Map<NodeId, Map<JobId, TaskId[]>>()
  for (const [job, { places }] of jobs)
    for (const [task, node] of places) {
      const there = found.get(node) ?? new Map<JobId, TaskId[]>()
      found.set(node, there.set(job, [...(there.get(job) ?? []), task]))
    }
  return found
}

/** Those of a job that is suspended already, and others of it. */
const allPlaces = (before: Suspended | undefined, places: ReadonlyMap<TaskId, NodeId>): Map<TaskId, NodeId> =>
  before === undefined && places.size === 1 ? new Map(places) : new Map([...(before?.places ?? []), ...places].sort(([a], [b]) => a - b))

/** Tasks of a job that start, and are lost, at once: those of one gang, which may be of several stages, and every other one alone. */
export function together(tasks: readonly TaskId[], work: WorkView): Iterable<readonly TaskId[]> {
  const found = new Map<number, TaskId[]>()
  for (const task of tasks) {
    const key = !work.inGang(task) ? task : work.isGangJob(work.jobOf(task)) ? -1 : -1 - work.stageOf(task)
    found.set(key, [...(found.get(key) ?? []), task])
  }
  return found.values()
}

/** The same, of a job that is one gang of several stages first those without which it does not run. */
export const inOrder = (tasks: readonly TaskId[], work: WorkView): (readonly TaskId[])[] =>
  [...together(tasks, work)].sort((a, b) => Number(areNeeded(b, work)) - Number(areNeeded(a, work)))

/** Whether they are of a job that is one gang of several stages, which does not run without them. */
export const areNeeded = (tasks: readonly TaskId[], work: WorkView): boolean => tasks.some((task) => work.isGangJob(work.jobOf(task)) && work.inGang(task))

/** Processors and whole nodes, under any of their names; of a lane without them the first resource. */
function processorsOf({ lanes, resources }: ClusterView, lane: LaneId): readonly ResourceId[] {
  const own = lanes[lane]?.resources ?? []
  const found = own.filter((resource) => ['cpu', 'node'].some((tres) => slurmResource(tres, [resources[resource] as string]) === 0))
  return found.length > 0 ? found : own.slice(0, 1)
}
