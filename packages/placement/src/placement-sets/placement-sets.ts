import {
  definePlacement, forwarding, leastTasks, None, Reason, runningTasks, type Env, type JobId, type JobSpec, type KeptBack, type NodeId, type Placement, type Plug,
  type Round, type TaskId,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { firstFit } from '../first-fit.js'
import { isSeveral, startingAtBest, startingTogether } from '../nearness.js'
import { freeNow, Packing } from '../packing.js'
import { PlannedPlaces } from '../planned-places.js'
import { hasRoomForAll, partsOf } from '../whole-gang.js'
import { nodeSets, type NodeSet } from './node-sets.js'
import { Pool } from './pool.js'
import { RoundInSet } from './round-in-set.js'

const key = z
  .union([z.string(), z.array(z.string()).min(1)])
  .transform((names) => [names].flat().flatMap((each) => each.split(',').map((name) => name.trim())))
const placementSetsOptions = z.strictObject({
  node_group_key: key.optional().describe('labels of nodes, as a list or with commas: nodes with the same value of one are a set; `rack` are the racks of the cluster where no label has that name. Default: none'),
  queues: z.record(z.string(), z.strictObject({ node_group_key: key.describe('labels for jobs of this queue, in place of those above') })).default({}).describe('by queue, labels of its own'),
  only_explicit_psets: z.boolean().default(false).describe('false: nodes without the label are a set, too'),
  do_not_span_psets: z.boolean().default(false).describe('whether a job that no set could hold is refused; false: it may be on any nodes'),
})
/** Options of `placement-sets`; all may be left out. */
export interface PlacementSetsOptions extends Readonly<z.input<typeof placementSetsOptions>> {
  /** Which nodes of a set are taken first; default: the lowest with room. */
  readonly placement?: Plug<'placement'>
}

/**
 * Placement sets: what of a job must start at once is on nodes with the same value of a label. Of the sets of all labels the smallest is taken that has room
 * now. A job waits for one as long as any set could hold it if it were empty; one that none could hold is on any nodes, or is refused. Tasks of a gang that
 * come later go where the gang is; those of no gang are placed each by itself, as subjobs of an array are. Inside a set another placement chooses; a gang
 * of several stages is packed, its lowest nodes first.
 *
 * Source: OpenPBS, node_group_key, only_explicit_psets and do_not_span_psets (eval_selspec of node_info.cpp). Deviations: whether a set could hold a job is
 * asked node by node, in OpenPBS by sums, so that there a job waits for ever that fits into the sum of a set and not on its nodes; who may not
 * span and fits into no set is refused, and waits there.
 */
export const placementSetsPlacement = definePlacement({
  name: 'placement-sets',
  summary: 'each job on nodes with the same value of a label, in the smallest such set with room',
  source: 'OpenPBS, node_group_key',
  options: placementSetsOptions,
  inner: { placement: 'placement' },
  defaults: { placement: 'first-fit' },
  create: (options, env, { placement }) => new PlacementSets(options, env, placement.create(env)),
})

const AT_HEARTBEATS = 'placement-sets: at a heartbeat one node is in sight, where a task starts if it fits: sets do not hold on this cluster.'

/** Tasks of jobs on nodes with the same value of a label. */
export const placementSets = ({ placement = firstFit(), ...options }: PlacementSetsOptions = {}): Plug<'placement'> => placementSetsPlacement.plug({ placement }, options)

/** A job in the system, with whether some set would hold what starts with the stage that was asked about last. */
interface Known {
  readonly spec: JobSpec
  front: number
  changes: number
  isHeld: boolean
}

/** A gang that is being placed: its set, and how many of its tasks waited before and wait afterwards. */
interface InPlacing {
  readonly job: JobId
  readonly serial: number
  readonly set: NodeSet
  readonly before: number
  readonly after: number
}

class PlacementSets implements Placement {
  readonly wouldAllow?: (job: JobId, node: NodeId, without: readonly TaskId[], round: Round) => boolean
  readonly #inner: Placement
  readonly #env: Env
  readonly #ofAll: Pool | undefined
  readonly #ofQueues: ReadonlyMap<string, Pool>
  readonly #spans: boolean
  readonly #inSet = new RoundInSet()
  readonly #places = new PlannedPlaces()
  readonly #known = new Map<JobId, Known>()
  /** The job that was admitted last. */
  #admitted: JobSpec | undefined
  /** How often nodes have gone or come. */
  #changes = 0
  #gang: InPlacing | undefined

  constructor({ node_group_key: labels, queues, only_explicit_psets, do_not_span_psets }: z.output<typeof placementSetsOptions>, env: Env, inner: Placement) {
    const { cluster } = env
    const pools = new Map<string, Pool>()
    const poolOf = (names: readonly string[], field: string): Pool => {
      const pool = pools.get(names.join()) ?? new Pool(nodeSets(names, only_explicit_psets, cluster, field), cluster)
      pools.set(names.join(), pool)
      return pool
    }
    this.#inner = inner
    this.#env = env
    this.#spans = !do_not_span_psets
    this.#ofAll = labels && poolOf(labels, 'placement-sets.node_group_key')
    this.#ofQueues = new Map(Object.entries(queues).map(([queue, own]) => [queue, poolOf(own.node_group_key, `placement-sets.queues.${queue}.node_group_key`)]))
    if (cluster.heartbeat > 0 && pools.size > 0) env.warn(AT_HEARTBEATS)
    if (inner.wouldAllow !== undefined) this.wouldAllow = (...asked) => (inner as Required<Placement>).wouldAllow(...asked)
    Object.assign(this, forwarding(inner, {
      admits: (spec) => this.#refuses(spec),
      onSubmit: (job) => { this.#note(job) },
      onFinish: (job) => { this.#known.delete(job) },
      onNode: () => {
        this.#changes++
        for (const pool of pools.values()) pool.onNode()
      },
    }))
  }

  pick(job: JobId, round: Round): NodeId | None {
    const pool = this.#poolFor(job, round)
    if (pool === undefined) return this.#inner.pick(job, round)
    return this.#places.next(job, round) ?? this.#next(job, round) ?? (isOfGang(job, round) ? this.#startGang(pool, job, round) : this.#pickAlone(pool, job, round))
  }

  keepsBack(job: JobId, round: Round): KeptBack | undefined {
    const isKept = round.work.unplaced(job, round.lane) > 0 && this.#poolFor(job, round) !== undefined && this.pick(job, round) === None && hasRoomAnywhere(job, round)
    return isKept ? { reason: Reason.Locality } : this.#inner.keepsBack?.(job, round)
  }

  confines(job: JobId, round: Round): boolean {
    return (isOfGang(job, round) && this.#poolFor(job, round) !== undefined) || this.#inner.confines?.(job, round) === true
  }

  #poolNamed(queue: string): Pool | undefined {
    return this.#ofQueues.get(queue) ?? this.#ofAll
  }

  /** The sets that the job must be in one of; `undefined` if it may be anywhere. */
  #poolFor(job: JobId, { work, lane, nodes }: Round): Pool | undefined {
    const pool = nodes.length === 1 ? undefined : this.#poolNamed(work.queueName(work.queue(job)))
    const known = this.#known.get(job)
    if (pool === undefined || !this.#spans) return pool
    if (known === undefined) return undefined // it came while a log was replayed, and nothing is known of what it asks for at once
    const front = work.frontStage(job, lane)
    if (known.front !== front || known.changes !== this.#changes) {
      known.front = front
      known.changes = this.#changes
      known.isHeld = pool.holdsFront(known.spec, front)
    }
    return known.isHeld ? pool : undefined
  }

  #refuses(spec: JobSpec): string | undefined {
    this.#admitted = spec
    if (this.#spans) return undefined
    const lacking = this.#poolNamed(spec.queue ?? spec.user ?? 'default')?.lacksFor(spec)
    return lacking && `its ${lacking.reduce((sum, stage) => sum + leastTasks(stage), 0)} tasks at once are more than any placement set has room for (placement-sets.do_not_span_psets)`
  }

  /** A policy submits a job right after it was admitted. */
  #note(job: JobId): void {
    const spec = this.#admitted
    if (spec?.id === this.#env.work.name(job)) this.#known.set(job, { spec, front: -1, changes: -1, isHeld: true })
  }

  /** The node for the next task of the gang that is being placed; `undefined` if there is none. */
  #next(job: JobId, round: Round): NodeId | undefined {
    const gang = this.#gang
    if (gang?.job !== job || gang.serial !== round.serial) return undefined
    const waiting = round.work.unplaced(job, round.lane)
    const node = waiting < gang.before && waiting > gang.after ? this.#inner.pick(job, this.#inSet.around(round, gang.set)) : None
    return node === None ? undefined : node
  }

  /** A node of the first set with room. */
  #pickAlone(pool: Pool, job: JobId, round: Round): NodeId | None {
    for (const set of pool.inOrder(round.cluster)) {
      const node = this.#inner.pick(job, this.#inSet.around(round, set))
      if (node !== None) return node
    }
    return None
  }

  /** The node for the first of the gang's tasks that start now, in the first set with room for all that should, or else for all that must. */
  #startGang(pool: Pool, job: JobId, round: Round): NodeId | None {
    const on = nodesOf(job, round)
    const sets = pool.inOrder(round.cluster).filter(({ has }) => on.every((node) => has.has(node)))
    if (isSeveral(job, round)) return this.#placeStages(sets, job, round)
    for (const tasks of new Set([startingAtBest(job, round), startingTogether(job, round)])) {
      const set = sets.find((each) => roomOn(this.#inSet.around(round, each), tasks, job) >= tasks)
      if (set === undefined) continue
      const before = round.work.unplaced(job, round.lane)
      this.#gang = { job, serial: round.serial, set, before, after: before - tasks }
      return this.#inner.pick(job, this.#inSet.around(round, set))
    }
    return None
  }

  #placeStages(sets: readonly NodeSet[], job: JobId, round: Round): NodeId | None {
    for (const set of sets) {
      const places = placesOfStages(this.#inSet.around(round, set), job)
      if (places === undefined) continue
      this.#places.begin(job, round)
      this.#places.nodes.push(...places)
      return places[0] ?? None
    }
    return None
  }
}

const isOfGang = (job: JobId, { work, lane }: Round): boolean => work.isGangJob(job) || work.least(job, lane) > 1

/** The nodes of the gang that the job's next task belongs to. */
function nodesOf(job: JobId, { work, lane }: Round): NodeId[] {
  if (work.running(job, lane) === 0) return []
  const front = work.frontStage(job, lane)
  return runningTasks(job, lane, work).filter((task) => work.isGangJob(job) || work.stageOf(task) === front).map((task) => work.nodeOf(task) as NodeId)
}

/** For how many tasks of the job the nodes in sight have room; at least `enough` if there is that much. */
function roomOn(round: Round, enough: number, job: JobId): number {
  const { nodes, cluster, work, lane } = round
  const shape = work.shape(job, lane)
  let room = 0
  for (let i = 0; i < nodes.length && room < enough; i++) {
    const node = nodes[i] as NodeId
    if (cluster.hasRoom(lane, node) && round.fits(job, node)) room += Math.max(1, cluster.couldTake(shape, node))
  }
  return room
}

/** Nodes in sight for a gang of several stages, in the order in which its tasks are claimed; `undefined` if they have no room for all of it. */
const placesOfStages = (round: Round, job: JobId): NodeId[] | undefined => new Packing(partsOf(job, round), round.nodes, round.cluster, freeNow(round.cluster)).places()

const hasRoomAnywhere = (job: JobId, round: Round): boolean =>
  isSeveral(job, round) ? hasRoomForAll(job, round) : roomOn(round, startingTogether(job, round), job) >= startingTogether(job, round)
