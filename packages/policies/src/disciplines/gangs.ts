import { None, type JobId, type NodeId, type Round, type ShapeId, type TaskId } from '@sched/core'
import { startNearest } from './start-nearest.js'

/** The outcome of an attempt to start a gang. After `TakenBack` the order must be read from the beginning. */
export const Gang = { NoRoom: 0, Started: 1, TakenBack: 2 } as const
export type Gang = (typeof Gang)[keyof typeof Gang]

/** The node of the job's next task, `None` where there is none. */
type Pick = (job: JobId, round: Round) => NodeId | None

const NOBODY: readonly TaskId[] = []

/** By shape: an upper bound on the tasks for which the nodes in sight have room, as long as nothing is given back. */
export type MostRoom = Map<ShapeId, number>

/**
 * Starts all tasks of the job that must start at once, or none: those of its front stage, or, of a job that is one gang, those of all stages
 * in their order. It first counts whether the nodes in sight have room for all, so that claims are taken back only if `pick` or a limit of the
 * round stands in the way, or tasks of different shapes do not fit beside each other. In a round that only asks which job would be taken up
 * (`claimsLeft` 0) the job is taken up and nothing is claimed. `most` keeps what is found of the room for the next gang.
 */
export function startGang(job: JobId, round: Round, pick: Pick, most: MostRoom = new Map()): Gang {
  const { work, lane } = round
  const tasks = work.together(job, lane)
  const isAsked = round.claimsLeft === 0
  if ((tasks > round.claimsLeft && !isAsked) || !hasRoom(job, tasks, round, most)) return Gang.NoRoom
  if (isAsked) return round.take(job) ? Gang.Started : Gang.NoRoom
  const before = round.savepoint()
  for (let left = tasks; left > 0; left--) {
    const node = pick(job, round)
    if (node !== None && startNearest(job, node, round.cluster.levels, round)) continue
    if (node === None && left === tasks) return Gang.NoRoom // nothing was claimed, so the reading of the order may go on
    round.rollback(before)
    return Gang.TakenBack
  }
  return Gang.Started
}

/** Starts the job's next task on the node that `pick` gives it; false where it gives none, or the task does not fit there. */
export function startPicked(job: JobId, round: Round, pick: Pick): boolean {
  const node = pick(job, round)
  return node !== None && startNearest(job, node, round.cluster.levels, round)
}

/** Starts the job's next task, or all that must start with it; false, and nothing has changed, where they do not fit. */
export const startNext = (job: JobId, round: Round, pick: Pick, most?: MostRoom): boolean =>
  round.work.together(job, round.lane) > 1 ? startGang(job, round, pick, most) === Gang.Started : startPicked(job, round, pick)

/** Whether so many tasks of the job fit on the nodes in sight at once: exact for tasks of one shape, by total amounts for a job of several stages. */
function hasRoom(job: JobId, tasks: number, round: Round, most: MostRoom): boolean {
  const { work, lane } = round
  return work.isGangJob(job) ? hasAmounts(job, round) : hasRoomFor(tasks, work.shape(job, lane), job, round, most)
}

/** Whether so many tasks of one shape fit on the nodes in sight at once, without those that are left out. */
export function hasRoomFor(tasks: number, shape: ShapeId, job: JobId, round: Round, most: MostRoom, isLeftOut?: (node: NodeId) => boolean): boolean {
  const { nodes, cluster } = round
  if (tasks > (most.get(shape) ?? Infinity)) return false
  let room = 0
  let all = 0
  for (let i = 0; i < nodes.length && room < tasks; i++) {
    const node = nodes[i] as NodeId
    if (isLeftOut?.(node) === true) continue
    const could = cluster.couldTake(shape, node)
    all += could
    if (could > 0 && round.fits(job, node)) room += could
  }
  if (room < tasks) most.set(shape, all)
  return room >= tasks
}

/** Whether the nodes in sight have as much free in total, once these running tasks have left, as the job asks for that must start together. */
export function hasAmounts(job: JobId, { nodes, cluster, work, lane }: Round, leaving = NOBODY): boolean {
  for (const r of cluster.lanes[lane]?.resources ?? []) {
    let lacks = work.asked(job, lane, r)
    for (let i = 0; i < nodes.length && lacks > 0; i++) if (cluster.up(nodes[i] as NodeId)) lacks -= cluster.free(nodes[i] as NodeId, r)
    for (let i = 0; i < leaving.length && lacks > 0; i++) lacks -= work.demand(work.shapeOf(leaving[i] as TaskId), r)
    if (lacks > 0) return false
  }
  return true
}

/** Starts gangs during one call of a policy. Room only shrinks while a round lasts, so a gang that did not start is not tried again. */
export class Gangs {
  /** By job: the last call in which its gang did not start. */
  readonly #in: number[] = []
  #call = 0
  readonly #most: MostRoom = new Map()

  begin(): void {
    this.#call++
    if (this.#most.size > 0) this.#most.clear() // clearing allocates a new table, even of an empty map
  }

  /** Starts the gang of the job's front stage, or of the whole job if it is one gang. When it returns true the order must be read from the beginning. */
  start(job: JobId, round: Round, pick: Pick): boolean {
    if (this.#in[job] === this.#call) return false
    const outcome = startGang(job, round, pick, this.#most)
    if (outcome !== Gang.Started || round.claimsLeft === 0) this.#in[job] = this.#call
    return outcome !== Gang.NoRoom
  }
}
