import { grown, type Env, type JobBlock, type JobId, type LaneId, type Order, type Round, type Seconds } from '@sched/core'

/** A number for a job that waits in a lane, at a time; the largest comes first. */
export type Score = (job: JobId, now: Seconds, lane: LaneId) => number

/**
 * An order by a number that changes as time passes, largest first; ties by submission. It is computed once per instant
 * in which it is read. Few jobs change places between two instants, so sorting by insertion costs little more than
 * computing the numbers.
 */
export function byScore({ cluster, work }: Env, scoreOf: Score): Order {
  const rankings = cluster.lanes.map((_, lane) => new Ranking((job, now) => scoreOf(job, now, lane as LaneId), (job) => work.rank(job)))
  let unread: Ranking | undefined
  return {
    onReady: (job: JobId, lane: LaneId) => rankings[lane]?.add(job),
    onDrained: (job: JobId, lane: LaneId) => rankings[lane]?.remove(job),
    begin: ({ lane, now }: Round) => {
      unread = rankings[lane]
      unread?.sort(now)
    },
    next: (): JobBlock | undefined => {
      const block = unread
      unread = undefined
      return block
    },
  }
}

/** Waiting jobs of a lane, most deserving first as of the last `sort`. */
class Ranking implements JobBlock {
  ids = new Int32Array(64)
  readonly from = 0
  to = 0
  /** By job: its score at `#now`. */
  #scores = new Float64Array(64)
  #now: Seconds = NaN
  #isSorted = true
  readonly #scoreOf: (job: JobId, now: Seconds) => number
  readonly #rankOf: (job: JobId) => number

  constructor(scoreOf: (job: JobId, now: Seconds) => number, rankOf: (job: JobId) => number) {
    this.#scoreOf = scoreOf
    this.#rankOf = rankOf
  }

  add(job: JobId): void {
    this.ids = grown(this.ids, this.to + 1)
    this.#scores = grown(this.#scores, job + 1)
    this.ids[this.to++] = job
    this.#isSorted = false
  }

  remove(job: JobId): void {
    const at = this.ids.indexOf(job)
    this.ids.copyWithin(at, at + 1, this.to)
    this.to--
  }

  sort(now: Seconds): void {
    if (this.#isSorted && now === this.#now) return
    this.#isSorted = true
    this.#now = now
    const scores = this.#scores
    const { ids, to } = this
    for (let i = 0; i < to; i++) scores[ids[i] as number] = this.#scoreOf(ids[i] as JobId, now)
    for (let i = 1; i < to; i++) {
      const job = ids[i] as JobId
      let hole = i
      while (hole > 0 && this.#isBefore(job, ids[hole - 1] as JobId)) {
        ids[hole] = ids[hole - 1] as number
        hole--
      }
      ids[hole] = job
    }
  }

  #isBefore(a: JobId, b: JobId): boolean {
    const scoreA = this.#scores[a] as number
    const scoreB = this.#scores[b] as number
    return scoreA > scoreB || (scoreA === scoreB && this.#rankOf(a) < this.#rankOf(b))
  }
}
