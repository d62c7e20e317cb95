import { None, type Env, type JobId, type LaneId, type NodeId, type Plug, type Policy, type Round } from '@sched/core'

/** Delay scheduling over fair pools as a first version would have it: an object per job, everything sorted at every free slot. */
export const naiveHfs = (wait: number): Plug<'policy'> => ({ kind: 'policy', name: 'naive-hfs', create: (env) => new NaiveHfs(env, wait) })

interface NaiveJob {
  readonly id: JobId
  readonly pool: string
  readonly rank: number
  readonly lanes: Map<LaneId, Waiting>
}
interface Waiting {
  level: number
  waited: number
  skipped: boolean
}

/**
 * The same decisions as `delay(fair(), { node: wait, rack: wait })` without limits, weights and minimum shares: pools by
 * running tasks, then name; jobs by running tasks, then submission.
 *
 * Source: Zaharia et al., EuroSys 2010, section 3 and Algorithm 3, taken literally.
 */
class NaiveHfs implements Policy {
  readonly #env: Env
  readonly #wait: number
  readonly #jobs = new Map<JobId, NaiveJob>()
  #last = 0

  constructor(env: Env, wait: number) {
    this.#env = env
    this.#wait = wait
  }

  onSubmit(id: JobId): void {
    const { work } = this.#env
    this.#jobs.set(id, { id, pool: work.queueName(work.queue(id)), rank: work.rank(id), lanes: new Map() })
  }

  onFinish(id: JobId): void {
    this.#jobs.delete(id)
  }

  /** Jobs skipped since the heartbeat before have waited since then. */
  onHeartbeat(_node: NodeId, now: number): void {
    for (const job of this.#jobs.values())
      for (const waiting of job.lanes.values())
        if (waiting.skipped) {
          waiting.waited += now - this.#last
          waiting.skipped = false
        }
    this.#last = now
  }

  schedule(round: Round): void {
    for (const node of round.nodes)
      while (round.room(node) && this.#sorted(round).some((job) => this.#offer(job, node, round))) {
        // the next free slot of the node, with everything sorted anew
      }
  }

  /** All jobs with a task to place, most deserving first. */
  #sorted({ work, lane }: Round): NaiveJob[] {
    const jobs = [...this.#jobs.values()]
    const running = (pool: string) => jobs.reduce((sum, job) => sum + (job.pool === pool ? work.running(job.id, lane) : 0), 0)
    const pools = [...new Set(jobs.map((job) => job.pool))].map((name) => ({ name, running: running(name) }))
    return pools
      .sort((a, b) => a.running - b.running || (a.name < b.name ? -1 : 1))
      .flatMap(({ name }) =>
        jobs.filter((job) => job.pool === name && work.unplaced(job.id, lane) > 0).sort((a, b) =>
          work.running(a.id, lane) - work.running(b.id, lane) || a.rank - b.rank))
  }

  #offer(job: NaiveJob, node: NodeId, round: Round): boolean {
    const { work, lane } = round
    if (!round.fits(job.id, node)) return false
    const waiting = this.#waiting(job, lane)
    const task = work.taskFor(job.id, lane, node, this.#allowed(job, waiting, round))
    if (task === None) {
      waiting.skipped = true
      return false
    }
    if (!round.claim(task, node)) return false
    waiting.level = work.level(task, node)
    waiting.waited = 0
    return true
  }

  /** The farthest level the job may launch at: one further for every full wait, but for rounding; anywhere without located data. */
  #allowed(job: NaiveJob, { level, waited }: Waiting, { work, lane, cluster }: Round): number {
    if (!work.hasData(job.id, lane)) return cluster.levels
    return Math.min(cluster.levels, level + Math.floor((waited * (1 + 1e-9)) / this.#wait))
  }

  #waiting(job: NaiveJob, lane: LaneId): Waiting {
    let waiting = job.lanes.get(lane)
    if (waiting === undefined) job.lanes.set(lane, (waiting = { level: 0, waited: 0, skipped: false }))
    return waiting
  }
}
