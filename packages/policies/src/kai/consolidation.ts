import type { JobId, NodeId, Round, ShapeId, TaskId, WorkView } from '@sched/core'
import type { KaiOrder } from './kai.js'
import { Room, type Place } from './room.js'
import { Serving, type Piece } from './serving.js'
import type { Victim } from './victim.js'
import { VictimsInTurn } from './victims-in-turn.js'
import type { Victims } from './victims.js'

/** A running victim, and where each of its tasks goes, in their order. */
export interface Move {
  readonly victim: Victim
  readonly nodes: readonly NodeId[]
}

/** Moves that make room for a job, so that no moved task loses its place for good. */
export interface Moves {
  /** Nodes of the tasks that the job starts next, in the order in which they are claimed. */
  readonly starts: readonly NodeId[]
  readonly moves: readonly Move[]
}

/** By piece: the places of its tasks. */
type Arrangement = ReadonlyMap<Piece, readonly Place[]>

/**
 * Makes room for a job by moving running tasks to other places, where enough is free in total but not on any single node. Victims are taken away one after
 * another, from the queue that would be served last on, until they and the job all find places in the order in which they would be served. It first tries
 * to move only the victims on the nodes of the last one, and then all of them. No more are moved than are needed, and a gang is moved as a whole.
 *
 * Source: KAI Scheduler, consolidation.go, job_solver.go and by_pod_solver.go. Deviations: the tasks of a waiting gang are placed at once, in KAI
 * one more at a time; each task goes to the node with the least room, by the resource of which it asks most; if tasks of too many jobs could be
 * moved, those of the jobs that would be served last are, in KAI any.
 */
export class Consolidation {
  readonly #most: number
  readonly #order: KaiOrder
  readonly #work: WorkView

  /** `most`: the largest number of jobs whose tasks may be moved for one job. */
  constructor(most: number, order: KaiOrder, work: WorkView) {
    this.#most = most
    this.#order = order
    this.#work = work
  }

  /**
   * Finds moves for the job; `undefined` if there are none. It leaves the draft as it was. `mayMove`: whether the tasks of a victim may be moved.
   */
  find(job: JobId, victims: Victims, mayMove: (victim: Victim) => boolean, round: Round): Moves | undefined {
    const before = round.savepoint()
    const inTurn = new VictimsInTurn(this.#order, this.#work, this.#order.inside(0), (leaf) => victims.of(leaf).filter((each) => each.job !== job && mayMove(each)))
    const own = this.#pieceOf(job, round)
    const gone: Victim[] = []
    const jobs = new Set<JobId>()
    let found: Moves | undefined
    for (let victim = inTurn.next(() => true); victim !== undefined && found === undefined; victim = inTurn.next(() => true)) {
      if (jobs.add(victim.job).size > this.#most) break
      for (const task of victim.tasks) round.evict(task)
      gone.push(victim)
      found = this.#movesAmong(gone, own, round)
    }
    round.rollback(before)
    return found !== undefined && this.#comesTrue(found, own, round) ? found : undefined
  }

  #movesAmong(gone: readonly Victim[], own: Piece, round: Round): Moves | undefined {
    const nodes = new Set(gone.at(-1)?.tasks.map((task) => this.#work.nodeOf(task)))
    const near = gone.filter(({ tasks }) => tasks.some((task) => nodes.has(this.#work.nodeOf(task))))
    const arrangement = this.#arrange(near, gone, own, round) ?? (near.length < gone.length ? this.#arrange(gone, gone, own, round) : undefined)
    return arrangement && this.#fewest(arrangement, gone, own, round)
  }

  /** Places for the job and the `movers`, with the other victims of `gone` back in their places; `undefined` if one finds no place. */
  #arrange(movers: readonly Victim[], gone: readonly Victim[], own: Piece, round: Round): Arrangement | undefined {
    const room = new Room(round)
    const serving = new Serving([...movers.map((victim) => this.#pieceFor(victim)), own], this.#order, this.#work)
    for (const victim of gone) {
      if (movers.includes(victim)) continue
      for (const task of victim.tasks) room.putBack(task)
      serving.keep(victim)
    }
    const found = new Map<Piece, readonly Place[]>()
    for (let piece = serving.next(); piece !== undefined; piece = serving.next()) {
      const { job, shapes } = piece
      const places: Place[] = []
      for (const shape of shapes) {
        const place = room.put(job, shape)
        if (place === undefined) return undefined
        places.push(place)
      }
      found.set(piece, places)
    }
    return found
  }

  /** The moves of an arrangement, without victims that need not move or would stay where they are. */
  #fewest(arrangement: Arrangement, gone: readonly Victim[], own: Piece, round: Round): Moves {
    let best = arrangement
    for (const victim of gone.slice(0, -1).reverse()) {
      const movers = this.#moversOf(best, gone, round)
      const fewer = movers.filter((each) => each !== victim)
      if (fewer.length < movers.length) best = this.#arrange(fewer, gone, own, round) ?? best
    }
    const places = new Map([...best].map(([{ victim }, each]) => [victim, each.map(({ node }) => node)]))
    const nodesOf = (victim: Victim | undefined) => places.get(victim) as readonly NodeId[]
    return { starts: nodesOf(undefined), moves: this.#moversOf(best, gone, round).map((victim) => ({ victim, nodes: nodesOf(victim) })) }
  }

  /** The victims that an arrangement moves to another place, in the order in which they were taken away. */
  #moversOf(arrangement: Arrangement, gone: readonly Victim[], round: Round): readonly Victim[] {
    const room = new Room(round)
    const places = new Map([...arrangement].map(([{ victim }, each]) => [victim, each]))
    return gone.filter((victim) => places.get(victim)?.every((place, i) => room.isWhere(victim.tasks[i] as TaskId, place)) === false)
  }

  /** Whether all fit in their new places in the order in which they will start: the job first, then the moved victims. */
  #comesTrue({ starts, moves }: Moves, own: Piece, round: Round): boolean {
    const before = round.savepoint()
    for (const { victim } of moves) for (const task of victim.tasks) round.evict(task)
    const room = new Room(round)
    const isPut = own.shapes.every((shape, i) => room.putOn(own.job, shape, starts[i] as NodeId)) && moves.every(({ victim, nodes }) => victim.tasks.every((task, i) => room.putOn(victim.job, this.#work.shapeOf(task), nodes[i] as NodeId)))
    round.rollback(before)
    return isPut
  }

  #pieceOf(job: JobId, { lane }: Round): Piece {
    const work = this.#work
    const shapes = work.parts(job, lane).flatMap(({ shape, tasks }) => Array<ShapeId>(tasks).fill(shape))
    return { job, shapes, isCore: work.running(job, lane) < work.least(job, lane) }
  }

  #pieceFor(victim: Victim): Piece {
    return { job: victim.job, shapes: victim.tasks.map((task) => this.#work.shapeOf(task)), isCore: victim.isCore, victim }
  }
}
