import { NodeTree, runningTasks, type ClusterView, type Env, type JobId, type JobSpec, type NodeId, type Round, type Topology, type WorkListener } from '@sched/core'
import { GroupsByLevel } from './groups-by-level.js'
import { hasRoomForAll, WholeGang } from './whole-gang.js'
import { TaskCounts } from './scored/task-counts.js'

/** The topology asked for the tasks of a job, or for those of its front stage alone. */
export interface Asked extends Topology {
  readonly isOfStage: boolean
}

/** The parts of a topology for which a job waits. */
export type Firm = Pick<Topology, 'required' | 'racks' | 'slices'>

/** What a placement asks for jobs without a topology of their own, and how long any job waits at most. */
interface ForAll {
  readonly within?: number | undefined
  /** Path of the option, for messages. */
  readonly field?: string
  readonly wait?: number | undefined
  /** Whether it heeds the slices of a topology. */
  readonly slices?: boolean
}

/**
 * How near the tasks of jobs must be to each other, by their `topology` or by an option for all jobs, and where they run; for placements that
 * respect that.
 */
export class Nearness {
  readonly hooks: WorkListener
  readonly tree: NodeTree
  readonly groups: GroupsByLevel
  readonly #whole: WholeGang
  readonly #counts: TaskCounts
  readonly #cluster: ClusterView
  readonly #placement: string
  readonly #warn: (message: string) => void
  readonly #field: string
  readonly #wait: number
  /** What holds for jobs without a topology of their own; absent if they may be anywhere. */
  readonly #ofOthers: Asked | undefined
  /** Whether any job has a topology of its own. */
  #areAny = false

  constructor(placement: string, env: Env, { within, field = '', wait = Infinity, slices = false }: ForAll = {}) {
    const { cluster, work } = env
    env.heedsTopology?.(slices)
    this.#placement = placement
    this.#cluster = cluster
    this.#warn = (message) => env.warn(message)
    this.#field = field
    this.#wait = wait
    this.#ofOthers = within === undefined ? undefined : { required: within, isOfStage: false }
    this.#counts = new TaskCounts(cluster)
    this.tree = new NodeTree(cluster)
    this.groups = new GroupsByLevel(cluster)
    this.#whole = new WholeGang(this.groups, this.tree)
    this.hooks = { ...this.#counts.hooks, onFinish: (job) => { this.groups.forget(job, work) } }
  }

  /** Called before a job is submitted: why no group can ever hold what must be in one, so that the job would wait for ever; `undefined` if one can. */
  admits(spec: JobSpec): string | undefined {
    const { stages, topology } = spec
    const areOwn = stages.some((stage) => stage.topology !== undefined)
    if (topology === undefined && !areOwn) return this.#ofOthers && this.#why(spec, this.#ofOthers, this.#field)
    this.#areAny = true
    if (this.#cluster.heartbeat > 0) this.#warn(`${this.#placement}: at a heartbeat one node is in sight, where a task starts if it fits: the \`topology\` of jobs does not hold on this cluster.`)
    if (!areOwn) return this.#why(spec, topology ?? {}, 'its topology')
    for (const stage of stages) {
      const why = this.#why({ ...spec, gang: false, stages: [stage] }, stage.topology ?? topology ?? {}, 'its topology')
      if (why !== undefined) return why
    }
    return undefined
  }

  #why(spec: JobSpec, asked: Topology, by: string): string | undefined {
    const { required: level, racks } = firmOf(asked)
    const isForEver = Math.min(asked.wait ?? Infinity, this.#wait) === Infinity
    const tooFew = racks === undefined || !isForEver ? undefined : this.groups.at(1)?.admitsIn(racks, spec, by)
    if (level === undefined || tooFew !== undefined) return tooFew
    if (level >= this.#cluster.levels) this.tellOfNoLevel(spec.id, `one group of level ${level}`)
    const refusal = this.groups.at(level)?.admits(spec, by)
    return isForEver ? refusal : undefined
  }

  /** Warns of a job that asks for a level above those of the cluster. */
  tellOfNoLevel(job: string, asks: string): void {
    const { levels } = this.#cluster
    this.#warn(`${this.#placement}: job ${job} asks for ${asks}, and the cluster has ${levels === 1 ? 'no racks' : `levels up to ${levels - 1}`}: all nodes are such a group.`)
  }

  /** The topology that the job asks for; `undefined` if it may be anywhere. */
  askedOf(job: JobId, { work, lane }: Round): Asked | undefined {
    const own = this.#areAny ? work.topology(job, lane) : undefined
    return own === undefined ? this.#ofOthers : { ...own.asked, isOfStage: own.isOfStage }
  }

  /** The part of that for which the job still waits; none when its wait is over. Asks for a round at the end of the wait. */
  firm(asked: Asked, job: JobId, round: Round): Firm {
    const firm = firmOf(asked)
    if (firm.required === undefined && firm.racks === undefined && firm.slices === undefined) return NOTHING
    const until = round.work.submitted(job) + Math.min(asked.wait ?? Infinity, this.#wait)
    if (round.now >= until) return NOTHING
    if (until < Infinity) round.wakeAt(until)
    return firm
  }

  /** Whether the job waits for any part of its topology. */
  confines(job: JobId, round: Round): boolean {
    const asked = this.askedOf(job, round)
    return asked !== undefined && this.firm(asked, job, round) !== NOTHING
  }

  /**
   * For a job of which one task waits: whether that task need be near nothing. It need not if nothing of the job runs and the job is confined
   * to no group, or only by the placement's option to one rack (which one task always keeps to) with no master to be beside.
   */
  isAlone(job: JobId, round: Round): boolean {
    if (this.#counts.racks(job) !== undefined) return false
    const asked = this.askedOf(job, round)
    return asked === undefined || (asked === this.#ofOthers && asked.required === 1 && this.groups.at(1)?.besideMaster(job, round.work) === undefined)
  }

  /** Whether anything of the job runs. */
  runs(job: JobId): boolean {
    return this.#counts.racks(job) !== undefined
  }

  /** The nodes with running tasks of the job, or of its front stage. */
  nodesOf(job: JobId, isOfStage: boolean, { work, lane }: Round): NodeId[] {
    const racks = this.#counts.racks(job)
    if (racks === undefined) return []
    if (!isOfStage) return [...racks.values()].flatMap(({ onNode }) => [...onNode.keys()])
    return this.nodesOfFront(job, { work, lane })
  }

  /** The nodes of the running tasks of the job's front stage, one entry per task. */
  nodesOfFront(job: JobId, { work, lane }: Pick<Round, 'work' | 'lane'>): NodeId[] {
    const front = work.frontStage(job, lane)
    return runningTasks(job, lane, work).filter((task) => work.stageOf(task) === front).map((task) => work.nodeOf(task) as NodeId)
  }

  /** The group of the level that these nodes are in; `undefined` if nothing runs. */
  groupOf(level: number, job: JobId, isOfStage: boolean, round: Round): number | undefined {
    const [node] = isOfStage ? this.nodesOf(job, true, round) : this.#oneInEachRack(job)
    return node === undefined ? undefined : this.#cluster.group(level, node)
  }

  /** The leaves of the tree that these nodes are in, some of them more than once. */
  leavesOf(job: JobId, isOfStage: boolean, round: Round): number[] {
    return (isOfStage ? this.nodesOf(job, true, round) : this.#oneInEachRack(job)).map((node) => this.tree.leafOf(node))
  }

  /** Of each rack with running tasks of the job a node that has any: a large job is on very many nodes in few racks. */
  #oneInEachRack(job: JobId): NodeId[] {
    return Array.from(this.#counts.racks(job)?.values() ?? [], ({ onNode }) => onNode.keys().next().value as NodeId)
  }

  /** Plans a gang of several stages as a whole in one group of a level, if one holds it. False: the job is no such gang, or is placed stage by stage. */
  placeWhole(level: number, { isOfStage }: Asked, job: JobId, round: Round, places: NodeId[]): boolean {
    if (isOfStage || !isSeveral(job, round) || this.groups.at(level) === undefined) return false
    this.#whole.plan(level, job, round, this.groupOf(level, job, false, round), places)
    return true
  }

  /** Keeps only places in so many racks, including those that the job is in; keeps none if these are too few for what must start at once. */
  keepTo(racks: number, isOfStage: boolean, job: JobId, round: Round, places: NodeId[]): void {
    const used = new Set(this.leavesOf(job, isOfStage, round))
    const beyond = places.findIndex((node) => used.add(this.tree.leafOf(node)).size > racks)
    if (beyond >= 0) places.length = beyond < startingTogether(job, round) ? 0 : beyond
  }

  /** Whether there is room for all that must start at once, near each other or not. `room`: the number of tasks for which there is room. */
  hasRoom(job: JobId, round: Round, room: () => number): boolean {
    return isSeveral(job, round) ? hasRoomForAll(job, round) : room() >= startingTogether(job, round)
  }
}

const NOTHING = {}

/** The parts of a topology for which a job waits; at most one rack is the same as one group of level 1. */
const firmOf = ({ required, racks, slices }: Topology): Firm => ({
  ...(racks === 1 ? { required: Math.min(1, required ?? 1) } : required !== undefined && { required }),
  ...(racks !== undefined && racks > 1 && { racks }),
  ...(slices !== undefined && { slices }),
})

/** The number of tasks that must start at once; of a job that is one gang that of its next stage. */
export const startingTogether = (job: JobId, { work, lane }: Round): number => (work.isGangJob(job) ? (work.parts(job, lane)[0]?.tasks ?? 0) : work.together(job, lane))

/** The number of tasks that should start at once: of a gang all of its tasks, of any other job all waiting tasks. */
export function startingAtBest(job: JobId, round: Round): number {
  const { work, lane } = round
  const together = startingTogether(job, round)
  return work.isGangJob(job) ? together : together > 1 ? work.mostTogether(job, lane) : work.unplaced(job, lane)
}

/** Whether tasks of several stages of the job must start at once. */
export const isSeveral = (job: JobId, { work, lane }: Round): boolean => work.isGangJob(job) && work.parts(job, lane).length > 1
