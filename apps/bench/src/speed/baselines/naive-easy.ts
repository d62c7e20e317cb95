import type { Env, JobId, LaneId, NodeId, Plug, Policy, ResourceId, Round } from '@sched/core'

/** EASY backfilling as a first version would have it: jobs as objects, lists filtered and sorted at every pass. */
export const naiveEasy = (): Plug<'policy'> => ({ kind: 'policy', name: 'naive-easy', create: (env) => new NaiveEasy(env) })

interface Rigid {
  readonly id: JobId
  readonly procs: number
  readonly estimate: number
  /** Start plus estimate, once it runs. */
  end: number
}

const NODE = 0 as NodeId
const PROCS = 0 as ResourceId
const LANE = 0 as LaneId

/**
 * The same decisions as `easy()` for jobs of one task on a machine of one node with one resource, whose estimates hold.
 *
 * Source: Mu'alem and Feitelson, IEEE TPDS 12(6), 2001, the steps of EASY taken literally.
 */
class NaiveEasy implements Policy {
  readonly #env: Env
  #queue: Rigid[] = []
  #running: Rigid[] = []

  constructor(env: Env) {
    this.#env = env
  }

  onReady(id: JobId): void {
    const { work } = this.#env
    this.#queue.push({ id, procs: work.demand(work.shape(id, LANE), PROCS), estimate: work.estimate(id), end: NaN })
  }

  onFinish(id: JobId): void {
    this.#running = this.#running.filter((job) => job.id !== id)
  }

  schedule(round: Round): void {
    while (this.#queue[0] !== undefined && this.#start(this.#queue[0], round)) {
      // the next one is the head
    }
    const [head, ...others] = this.#queue
    if (head === undefined) return
    const shadow = this.#shadow(head, round)
    let extra = shadow.free - head.procs
    for (const job of others) {
      const endsInTime = round.now + job.estimate <= shadow.time
      if (!endsInTime && job.procs > extra) continue
      if (this.#start(job, round) && !endsInTime) extra -= job.procs
    }
  }

  /** When enough will be free for the head of the queue, and how much that will be. */
  #shadow(head: Rigid, { cluster }: Round): { readonly time: number; readonly free: number } {
    let free = cluster.free(NODE, PROCS)
    const byEnd = this.#running.slice().sort((a, b) => a.end - b.end)
    const last = byEnd.findIndex((job) => (free += job.procs) >= head.procs)
    const time = byEnd[last]?.end ?? Infinity
    for (const job of byEnd.slice(last + 1)) if (job.end === time) free += job.procs
    return { time, free }
  }

  #start(job: Rigid, round: Round): boolean {
    if (!round.fits(job.id, NODE)) return false
    const task = round.work.taskFor(job.id, LANE, NODE, 0)
    if (!round.claim(task as Exclude<typeof task, -1>, NODE)) return false
    this.#queue = this.#queue.filter((each) => each !== job)
    this.#running.push(Object.assign(job, { end: round.now + job.estimate }))
    return true
  }
}
