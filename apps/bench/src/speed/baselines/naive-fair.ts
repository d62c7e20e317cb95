import { None, type Env, type JobId, type NodeId, type Plug, type Policy, type Round } from '@sched/core'

/** Fair pools as a first version would have it: jobs as objects, pools and jobs sorted for every single start. */
export const naiveFair = (): Plug<'policy'> => ({ kind: 'policy', name: 'naive-fair-objects', create: (env) => new NaiveFair(env) })

interface NaiveJob {
  readonly id: JobId
  readonly pool: string
  readonly rank: number
}

/** The same decisions as `greedy(fair(), firstFit())` without limits, weights and minimum shares on one lane. */
class NaiveFair implements Policy {
  readonly #env: Env
  readonly #jobs = new Map<JobId, NaiveJob>()

  constructor(env: Env) {
    this.#env = env
  }

  onSubmit(id: JobId): void {
    const { work } = this.#env
    this.#jobs.set(id, { id, pool: work.queueName(work.queue(id)), rank: work.rank(id) })
  }

  onFinish(id: JobId): void {
    this.#jobs.delete(id)
  }

  schedule(round: Round): void {
    while (round.pending > 0 && this.#sorted(round).some((job) => startSomewhere(job, round))) {
      // every start changes the order
    }
  }

  #sorted({ work, lane }: Round): NaiveJob[] {
    const running = new Map<string, number>()
    for (const { id, pool } of this.#jobs.values()) running.set(pool, (running.get(pool) ?? 0) + work.running(id, lane))
    return [...this.#jobs.values()]
      .filter(({ id }) => work.unplaced(id, lane) > 0)
      .sort(
        (a, b) =>
          (running.get(a.pool) ?? 0) - (running.get(b.pool) ?? 0) ||
          (a.pool < b.pool ? -1 : a.pool > b.pool ? 1 : 0) ||
          work.running(a.id, lane) - work.running(b.id, lane) ||
          a.rank - b.rank,
      )
  }
}

function startSomewhere({ id }: NaiveJob, round: Round): boolean {
  const node = round.nodes.find((node: NodeId) => round.fits(id, node))
  if (node === undefined) return false
  const task = round.work.taskFor(id, round.lane, node, round.cluster.levels)
  return task !== None && round.claim(task, node)
}
