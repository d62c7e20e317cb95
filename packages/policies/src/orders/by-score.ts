import { grown, type Env, type JobBlock, type JobId, type LaneId, type NodeId, type Order, type Round, type Seconds, type TaskId } from '@sched/core'

/** The score of a job that waits in a lane, at time `now`; the largest comes first. */
export type Score = (job: JobId, now: Seconds, lane: LaneId) => number

/** A number that stays the same as long as the passing of time changes no score in the lane; when it changes, all scores there are computed anew. */
export type Epoch = (now: Seconds, lane: LaneId) => number

/**
 * An order by a score that changes as time passes, largest first; ties by submission. When the order is read, scores are computed at
 * most once per instant: of all jobs if the epoch has changed (by default in every instant), else only of jobs of which something has
 * changed. Few jobs change places between two instants, so an insertion sort costs little more than computing the scores.
 */
export const byScore = (env: Env, scoreOf: Score, epochOf: Epoch = (now) => now): Order => new ByScore(env, scoreOf, epochOf)

class ByScore implements Order {
  readonly readsAll = true
  readonly #rankings: readonly Ranking[]
  #unread: Ranking | undefined

  constructor({ cluster, work }: Env, scoreOf: Score, epochOf: Epoch) {
    const rankOf = (job: JobId) => work.rank(job)
    this.#rankings = cluster.lanes.map((_, lane) => new Ranking((job, now) => scoreOf(job, now, lane as LaneId), rankOf, (now) => epochOf(now, lane as LaneId)))
  }

  onReady(job: JobId, lane: LaneId): void {
    this.#rankings[lane]?.add(job)
  }

  onMore(job: JobId, lane: LaneId): void {
    this.#rankings[lane]?.touch(job)
  }

  onClaim(job: JobId, lane: LaneId, _task: TaskId, _node: NodeId): void {
    this.#rankings[lane]?.touch(job)
  }

  onDrained(job: JobId, lane: LaneId): void {
    this.#rankings[lane]?.remove(job)
  }

  /** The cluster's size has changed, and with it the part of it that each job asks for. */
  onNode(): void {
    for (const ranking of this.#rankings) ranking.touchAll()
  }

  begin({ lane, now }: Round): void {
    this.#unread = this.#rankings[lane]
    this.#unread?.sort(now)
  }

  next(): JobBlock | undefined {
    const block = this.#unread
    this.#unread = undefined
    return block
  }
}

/** Waiting jobs of a lane, most deserving first as of the last `sort`. */
class Ranking implements JobBlock {
  ids = new Int32Array(64)
  readonly from = 0
  to = 0
  /** The first so many of `ids` are in order; those behind them are to be placed. */
  #sorted = 0
  /** Jobs that may ask for something else than when they were placed, so that their scores may have changed. */
  readonly #touched = new Set<JobId>()
  /** By job: its score in the epoch. */
  #scores = new Float64Array(64)
  #now: Seconds = NaN
  #epoch = NaN
  readonly #scoreOf: (job: JobId, now: Seconds) => number
  readonly #rankOf: (job: JobId) => number
  readonly #epochOf: (now: Seconds) => number

  constructor(scoreOf: (job: JobId, now: Seconds) => number, rankOf: (job: JobId) => number, epochOf: (now: Seconds) => number) {
    this.#scoreOf = scoreOf
    this.#rankOf = rankOf
    this.#epochOf = epochOf
  }

  add(job: JobId): void {
    this.ids = grown(this.ids, this.to + 1)
    this.#scores = grown(this.#scores, job + 1)
    this.ids[this.to++] = job
  }

  remove(job: JobId): void {
    this.#touched.delete(job)
    this.#takeOut(this.ids.indexOf(job))
  }

  touch(job: JobId): void {
    this.#touched.add(job)
  }

  touchAll(): void {
    this.#epoch = NaN
  }

  sort(now: Seconds): void {
    if (this.#sorted === this.to && now === this.#now) return
    this.#now = now
    if (this.to < 2) return this.#leaveOpen()
    const epoch = this.#epochOf(now)
    if (epoch !== this.#epoch) this.#sorted = 0
    else for (const job of this.#touched) this.#putLast(job)
    if (this.#touched.size > 0) this.#touched.clear()
    this.#epoch = epoch
    const scores = this.#scores
    const { ids, to } = this
    for (let i = this.#sorted; i < to; i++) scores[ids[i] as number] = this.#scoreOf(ids[i] as JobId, now)
    if (this.#sorted === 0) this.#sortAll()
    else for (; this.#sorted < to; this.#sorted++) this.#place(this.#sorted)
  }

  /**
   * A single job gets no score, which may be costly: with a user who has just come the scores of all others change. Once there are two jobs both
   * get theirs.
   */
  #leaveOpen(): void {
    this.#sorted = 0
    this.#touched.clear()
  }

  #takeOut(at: number): void {
    this.ids.copyWithin(at, at + 1, this.to)
    this.to--
    if (at < this.#sorted) this.#sorted--
  }

  #putLast(job: JobId): void {
    const at = this.ids.indexOf(job)
    if (at < 0 || at >= this.to) return
    this.#takeOut(at)
    this.ids[this.to++] = job
  }

  /** Sorts all by insertion, since they are almost in order already. */
  #sortAll(): void {
    const { ids, to } = this
    for (let i = 1; i < to; i++) {
      const job = ids[i] as JobId
      let hole = i
      while (hole > 0 && this.#isBefore(job, ids[hole - 1] as JobId)) {
        ids[hole] = ids[hole - 1] as number
        hole--
      }
      ids[hole] = job
    }
    this.#sorted = to
  }

  /** Moves a job to its place among those before it, which are in order. */
  #place(at: number): void {
    const { ids } = this
    const job = ids[at] as JobId
    let low = 0
    let high = at
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#isBefore(job, ids[middle] as JobId)) high = middle
      else low = middle + 1
    }
    ids.copyWithin(low + 1, low, at)
    ids[low] = job
  }

  #isBefore(a: JobId, b: JobId): boolean {
    const scoreA = this.#scores[a] as number
    const scoreB = this.#scores[b] as number
    return scoreA > scoreB || (scoreA === scoreB && this.#rankOf(a) < this.#rankOf(b))
  }
}
