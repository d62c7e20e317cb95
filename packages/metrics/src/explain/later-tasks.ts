import {
  Reason, type Architecture, type ClusterView, type Decision, type JobId, type JobSpec, type LaneId, type NodeId, type Seconds, type StageSpec, type TaskEnd, type TaskId, type WorkView,
} from '@sched/core'
import { Avoided, AVOIDED } from './avoided.js'
import type { Holder, Meanwhile } from './meanwhile.js'
import type { NamedJob } from './named-job.js'
import { Room } from './room.js'
import { StartsOfOthers } from './starts-of-others.js'
import { BEHIND, HEARTBEAT, ToldReason, UNUSED } from './told-reason.js'
import { cutBy, exactly, partsOf, type WaitSpan } from './wait-spans.js'
import { WaitsForDecisions } from './waits-for-decisions.js'
import { NO_ROOM, type WaitsForNodes } from './waits-for-nodes.js'

/** Why the tasks of a job after its first started later. A task waits from the start of the first, or since it was evicted, lost or failed, until it starts. */
export interface LaterTasks {
  /** Start of the first task, seconds. */
  readonly from: Seconds
  /** Start of the last task so far, seconds: above `from`. */
  readonly to: Seconds
  /** `to` - `from`, seconds. */
  readonly wait: Seconds
  /** Seconds by reason, largest first; they add up to `wait` exactly. Of several stages the first counts of which tasks may start. */
  readonly parts: Readonly<Record<string, Seconds>>
  /** Seconds that its tasks waited from `from` to `to`, added up over tasks: the sum over the stages. */
  readonly taskSeconds: number
  /** The same by reason, largest first; they add up to `taskSeconds` exactly. */
  readonly taskParts: Readonly<Record<string, number>>
  /** Mean number of its tasks that ran. */
  readonly running: number
  /** What its tasks waited for, in order of time and without gaps. */
  readonly spans: readonly LaterSpan[]
  /** Eight periods of equal length. */
  readonly periods: readonly LaterPeriod[]
  /** By stage, in their order. */
  readonly stages: readonly LaterStage[]
  /** Number of its tasks that started after `from`; one that started again counts again. */
  readonly starts: number
  /** Number of its tasks that wait when the run ends, or the job without them. */
  readonly unstarted: number
  /** Number of tasks of other jobs that started meanwhile, and of these jobs. */
  readonly others: { readonly tasks: number; readonly jobs: number }
  /** Those that started most tasks meanwhile, at most 5. */
  readonly starters: readonly Starter[]
  /** The jobs that held most of the cluster meanwhile. */
  readonly holders: readonly Holder[]
  /** Dominant share of prefilled tasks meanwhile, taken together. */
  readonly prefilled: number
  /** Mean number of nodes that were down. */
  readonly nodesAway: number
  /** Names of nodes that tasks of it avoided because tasks had failed there; absent where none did. */
  readonly avoided?: readonly string[]
}

/** A period with one reason. */
export interface LaterSpan extends WaitSpan {
  /** Mean number of tasks of the job that waited. */
  readonly waiting: number
  /** Mean number of its tasks that ran. */
  readonly running: number
}

/** A part of the time, with all reasons in it. */
export interface LaterPeriod extends Omit<LaterSpan, 'why'> {
  /** Seconds by reason, largest first; they add up to its length exactly. */
  readonly parts: Readonly<Record<string, Seconds>>
}

/** The tasks of one stage, of those that start after the first of the job. */
export interface LaterStage {
  /** Its name, else its number from 1. */
  readonly stage: string
  /** Number of its tasks. */
  readonly tasks: number
  /** When the first and the last of them started, seconds; null: none has. */
  readonly firstStart: Seconds | null
  readonly lastStart: Seconds | null
  /** Seconds that they waited from `from` to `to`, added up over tasks. */
  readonly taskSeconds: number
  /** The same by reason, largest first; they add up to `taskSeconds` exactly. */
  readonly taskParts: Readonly<Record<string, number>>
}

/** A job that started tasks while tasks of another waited. */
export interface Starter extends NamedJob {
  /** Number of tasks. */
  readonly tasks: number
}

/** Names of the reasons that tasks have besides those of jobs. */
const EARLIER = 'earlier stages'
const NONE_WAITED = 'none waited'
/** Most holders and starters to name. */
const NAMED = 5
const PERIODS = 8

/** A period in which nothing changes. */
interface Piece extends WaitSpan {
  readonly waiting: number
  readonly running: number
}

interface Stage {
  readonly spec: StageSpec
  readonly at: number
  readonly lane: LaneId
  /** By index in the stage: 1 if the task waits. */
  readonly isWaiting: Uint8Array
  waiting: number
  why: string
  unusedSince: Seconds
  first: Seconds | null
  last: Seconds | null
  readonly pieces: Piece[]
}

/** Follows the tasks of one job from the start of the first. */
export class LaterWaits {
  readonly #job: JobId
  readonly #work: WorkView
  readonly #cluster: ClusterView
  readonly #meanwhile: Meanwhile
  readonly #nodes: WaitsForNodes
  readonly #room: Room
  readonly #avoided: Avoided
  readonly #stages: readonly Stage[]
  readonly #told: ToldReason[] = []
  readonly #decisions = new WaitsForDecisions()
  readonly #starts: StartsOfOthers
  readonly #pieces: Piece[] = []
  readonly #from: Seconds
  #to: Seconds
  #since: Seconds
  #running = 0
  /** The time before a limit was told, in which room was unused; until it is known whether others start at that instant. */
  readonly #beforeLimit: { readonly pieces: Piece[]; readonly stage: Pick<Stage, 'unusedSince'>; readonly piece: Omit<Piece, 'why'>; readonly why: string }[] = []
  #count = 0
  #isOpen = true

  constructor(job: JobId, spec: JobSpec, now: Seconds, cluster: ClusterView, work: WorkView, architecture: Architecture, meanwhile: Meanwhile, nodes: WaitsForNodes) {
    this.#job = job
    this.#work = work
    this.#cluster = cluster
    this.#meanwhile = meanwhile
    this.#nodes = nodes
    this.#room = new Room(job, cluster, architecture)
    this.#avoided = new Avoided(job, cluster, architecture)
    this.#starts = new StartsOfOthers(work)
    this.#from = now
    this.#to = now
    this.#since = now
    this.#stages = work.tasksByStage(job).map((tasks, at) => ({
      spec: spec.stages[at] as StageSpec, at, lane: tasks === 0 ? (0 as LaneId) : work.laneOf(work.taskAt(job, at, 0) as TaskId), isWaiting: new Uint8Array(tasks).fill(1), waiting: tasks, why: EARLIER,
      unusedSince: now, first: null, last: null, pieces: [],
    }))
    meanwhile.begin(now)
  }

  /** `null` if nothing started later than the first task. */
  result(): LaterTasks | null {
    const [from, to] = [this.#from, this.#to]
    if (!(to > from)) return null
    const decided = this.#decisions.spans(from, to)
    const onNodes = this.#nodes.spans(from, to)
    const clipped = (pieces: readonly Piece[]) => cutBy(cutBy(within(pieces, from, to), decided, [HEARTBEAT, BEHIND]), onNodes, [NO_ROOM])
    const all = clipped(this.#pieces)
    const spans = merged(all)
    const stages = this.#stages.map(({ spec, at, isWaiting, first, last, pieces }): LaterStage => {
      const sums = taskSums(clipped(pieces))
      const taskSeconds = total(sums.values())
      return { stage: spec.name === '' ? `${at + 1}` : spec.name, tasks: isWaiting.length, firstStart: first, lastStart: last, taskSeconds, taskParts: exactly(sums, taskSeconds) }
    })
    const sums = new Map<string, number>()
    for (const { taskParts } of stages) for (const [why, seconds] of Object.entries(taskParts)) sums.set(why, (sums.get(why) ?? 0) + seconds)
    const taskSeconds = total(stages.map((stage) => stage.taskSeconds))
    return {
      from, to, wait: to - from, parts: partsOf(spans, to - from),
      taskSeconds, taskParts: exactly(sums, taskSeconds),
      running: means(all, from, to).running,
      spans, periods: periodsOf(all, from, to), stages, starts: this.#count,
      unstarted: total(this.#stages.map(({ waiting }) => waiting)),
      others: this.#starts.counts, starters: this.#starts.most(NAMED),
      holders: this.#meanwhile.holders(NAMED), prefilled: this.#meanwhile.prefilled(), nodesAway: this.#meanwhile.nodesAway(),
      ...(this.#avoided.names.length > 0 && { avoided: this.#avoided.names }),
    }
  }

  // ---- what happens ----

  /** What the policy has said of the job in a lane before its first task starts; it is kept if it was said at that instant. */
  isTold(lane: LaneId, told: ToldReason): void {
    this.#told[lane] = told
    told.ownStarts(this.#from)
  }

  /** A task of the job starts, the first included. */
  started(task: TaskId, lane: LaneId, now: Seconds): void {
    this.#settleLimit(now)
    this.#attribute(now)
    const work = this.#work
    const stage = this.#stages[work.stageOf(task)] as Stage
    this.#running++
    this.#settle(stage, work.indexOf(task))
    if (now > this.#from) this.#count++
    stage.first ??= now
    stage.last = now
    if (now > this.#to) this.#meanwhile.settle(now)
    this.#to = now
    this.#starts.settle()
    this.#told[lane]?.ownStarts(now)
    for (const each of this.#stages) if (each.lane === lane) each.unusedSince = now
    this.#look(now)
  }

  /** A task of the job has left its node. */
  ended(task: TaskId, how: TaskEnd, now: Seconds): void {
    if (!this.#isOpen) return
    this.#attribute(now)
    this.#running--
    const work = this.#work
    const stage = this.#stages[work.stageOf(task)] as Stage
    const index = work.indexOf(task)
    if (how === 'done') this.#settle(stage, index) // a copy is done, too, where the task itself waits to run again
    else if (how !== 'superseded' && !work.isCopy(task) && stage.isWaiting[index] === 0) {
      stage.isWaiting[index] = 1
      stage.waiting++
    }
    this.#look(now)
  }

  /** A task of another job starts. */
  othersStart(job: JobId, now: Seconds): void {
    if (!this.#isOpen) return
    this.#starts.started(job)
    this.#settleLimit(now)
    for (const told of this.#told) told?.othersStart(now)
    this.changed(now)
  }

  /** Tasks of the job avoid a node from now on, or do not any more. */
  avoids(node: NodeId, stage: number, task: number, isAvoided: boolean, now: Seconds): void {
    this.#avoided.told(node, stage, task, isAvoided)
    this.changed(now)
  }

  /** What is free has changed, or which nodes are up. */
  changed(now: Seconds): void {
    if (!this.#isOpen) return
    this.#attribute(now)
    this.#look(now)
  }

  /** The policy has passed over the job. */
  defer(lane: LaneId, reason: Reason, now: Seconds, limit: string | undefined): void {
    const told = (this.#told[lane] ??= new ToldReason())
    if (!told.defer(reason, now, limit)) return
    if (reason === Reason.Limit && this.#cluster.heartbeat > 0 && this.#isOpen) this.#attribute(now, { lane, why: told.why(() => true) })
    this.changed(now)
  }

  decided(decision: Decision, isOwn: boolean): void {
    if (this.#isOpen) this.#decisions.add(decision, isOwn)
  }

  left(job: JobId): void {
    this.#starts.left(job)
  }

  /** The job or the run is over. */
  over(): void {
    this.#isOpen = false
  }

  // ---- its waits ----

  #settle(stage: Stage, index: number): void {
    if (stage.isWaiting[index] !== 1) return
    stage.isWaiting[index] = 0
    stage.waiting--
  }

  /** Finds the reasons that hold from now on, until something happens. Of a lane one stage may start tasks, and others come after it. */
  #look(now: Seconds): void {
    for (const stage of this.#stages) {
      if (stage.waiting === 0) continue
      const isFront = this.#work.frontStage(this.#job, stage.lane) === stage.at
      const why = isFront ? this.#whyFront(stage) : EARLIER
      if (why === UNUSED && stage.why !== UNUSED) stage.unusedSince = now
      stage.why = why
    }
  }

  #whyFront({ spec, at, lane, isWaiting }: Stage): string {
    const told = (this.#told[lane] ??= new ToldReason())
    const tasks = Math.max(1, this.#work.together(this.#job, lane))
    let isElsewhere = true
    const why = told.why(() => this.#room.holds(spec, tasks) && (isElsewhere = !this.#avoided.areOf(at, isWaiting) || this.#avoided.holds(spec, at, isWaiting, tasks)))
    return isElsewhere ? why : AVOIDED
  }

  /** Something happens now. If others start at the instant at which a limit was told, they may have been what it left no place beside. */
  #settleLimit(now: Seconds): void {
    for (const { pieces, stage, piece, why } of this.#beforeLimit.splice(0)) {
      if (now > piece.to) extend(pieces, { ...piece, why })
      else this.#addUnused(pieces, stage, piece)
    }
  }

  /** `told`: the limit of a lane that is told now. Whether it held since the last event is known later. */
  #attribute(now: Seconds, told?: { readonly lane: LaneId; readonly why: string }): void {
    const from = this.#since
    if (!(now > from)) return
    this.#settleLimit(now)
    const running = this.#running
    let all = 0
    let shown: Stage | undefined
    for (const stage of this.#stages) {
      if (stage.waiting === 0) continue
      all += stage.waiting
      if (shown === undefined || (shown.why === EARLIER && stage.why !== EARLIER)) shown = stage
      this.#add(stage.pieces, stage, { from, to: now, waiting: stage.waiting, running: 0 }, told)
    }
    if (shown === undefined) extend(this.#pieces, { from, to: now, why: NONE_WAITED, waiting: 0, running })
    else this.#add(this.#pieces, shown, { from, to: now, waiting: all, running }, told)
    this.#since = now
  }

  #add(pieces: Piece[], stage: Stage, piece: Omit<Piece, 'why'>, told?: { readonly lane: LaneId; readonly why: string }): void {
    if (stage.why !== UNUSED) extend(pieces, { ...piece, why: stage.why })
    else if (told?.lane === stage.lane) this.#beforeLimit.push({ pieces, stage: { unusedSince: stage.unusedSince }, piece, why: told.why })
    else this.#addUnused(pieces, stage, piece)
  }

  #addUnused(pieces: Piece[], { unusedSince }: Pick<Stage, 'unusedSince'>, piece: Omit<Piece, 'why'>): void {
    const heard = Math.max(piece.from, Math.min(piece.to, unusedSince + this.#cluster.heartbeat))
    extend(pieces, { ...piece, to: heard, why: HEARTBEAT })
    extend(pieces, { ...piece, from: heard, why: BEHIND })
  }
}

/** Appends a piece; one that continues the last with all the same extends it. */
function extend(pieces: Piece[], piece: Piece): void {
  if (!(piece.to > piece.from)) return
  const last = pieces.at(-1)
  if (last !== undefined && last.to === piece.from && last.why === piece.why && last.waiting === piece.waiting && last.running === piece.running)
    pieces[pieces.length - 1] = { ...piece, from: last.from }
  else pieces.push(piece)
}

/** What of the pieces lies between two times. */
const within = (pieces: readonly Piece[], start: Seconds, end: Seconds): Piece[] =>
  pieces.filter(({ from, to }) => from < end && to > start).map((piece) => ({ ...piece, from: Math.max(piece.from, start), to: Math.min(piece.to, end) }))

/** Mean numbers of tasks over pieces that fill the time between two times. */
function means(pieces: readonly Piece[], from: Seconds, to: Seconds): { readonly waiting: number; readonly running: number } {
  let [waiting, running] = [0, 0]
  for (const piece of pieces) {
    waiting += piece.waiting * (piece.to - piece.from)
    running += piece.running * (piece.to - piece.from)
  }
  return { waiting: waiting / (to - from), running: running / (to - from) }
}

/** Neighbours with the same reason as one, with the means of their numbers. */
function merged(pieces: readonly Piece[]): LaterSpan[] {
  const groups: Piece[][] = []
  for (const piece of pieces) {
    const last = groups.at(-1)
    if (last?.[0]?.why === piece.why) last.push(piece)
    else groups.push([piece])
  }
  return groups.map((group): LaterSpan => {
    const [{ from, why }, { to }] = [group[0] as Piece, group.at(-1) as Piece]
    return { from, to, why, ...means(group, from, to) }
  })
}

/** Periods of equal length; of a time that is too short to be divided those that have a length. */
function periodsOf(pieces: readonly Piece[], from: Seconds, to: Seconds): LaterPeriod[] {
  const ends = Array.from({ length: PERIODS + 1 }, (_, i) => (i === PERIODS ? to : from + (i * (to - from)) / PERIODS))
  return ends.slice(1).flatMap((end, i): LaterPeriod[] => {
    const begin = ends[i] as Seconds
    const own = within(pieces, begin, end)
    return end > begin ? [{ from: begin, to: end, parts: partsOf(own, end - begin), ...means(own, begin, end) }] : []
  })
}

/** Tasks times seconds by reason. */
function taskSums(pieces: readonly Piece[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { from, to, why, waiting } of pieces) sums.set(why, (sums.get(why) ?? 0) + waiting * (to - from))
  return sums
}

function total(values: Iterable<number>): number {
  let sum = 0
  for (const value of values) sum += value
  return sum
}
