import type { JobId, Seconds, TaskId, UserId, WorkView } from '@sched/core'
import { clearBit, hasBit, type NodeBits } from './node-bits.js'

const NOBODY = -1
const SEVERAL = -2

/**
 * Whose jobs run on each node, for jobs that share nodes with those of their own user alone: they say so, or are of a queue that does. Such a job
 * may be on a node where nobody else runs, and any other on one where no such job of somebody else does.
 *
 * Source: Slurm, ExclusiveUser in slurm.conf(5) and `--exclusive=user` in sbatch(1), `filter_by_node_owner` of slurmctld/job_mgr.c.
 */
export class NodeUsers {
  readonly #queues: ReadonlySet<string>
  readonly #users: Int32Array
  /** Whether such a job runs there, and when all that runs is expected to have ended. */
  readonly #isOwned: Uint8Array
  readonly #until: Float64Array

  constructor(private readonly work: WorkView, nodes: number, queues: readonly string[]) {
    this.#queues = new Set(queues)
    this.#users = new Int32Array(nodes)
    this.#isOwned = new Uint8Array(nodes)
    this.#until = new Float64Array(nodes)
  }

  /** What runs has changed. `endOf`: when a task is expected to end. */
  begin(running: Iterable<TaskId>, endOf: (task: TaskId) => Seconds): void {
    this.#users.fill(NOBODY)
    this.#isOwned.fill(0)
    this.#until.fill(0)
    for (const task of running) {
      const node = this.work.nodeOf(task)
      const job = this.work.jobOf(task)
      const user = this.work.user(job)
      const before = this.#users[node] as number
      this.#users[node] = before === NOBODY || before === user ? user : SEVERAL
      if (this.#isExclusive(job)) this.#isOwned[node] = 1
      this.#until[node] = Math.max(this.#until[node] as number, endOf(task))
    }
  }

  /** Takes from `usable` the nodes on which a job may not start at a time because of who runs there then; when the first of them is free of all that, `Infinity` if there is none. */
  limit(usable: NodeBits, job: JobId, from: Seconds, now: Seconds): Seconds {
    const user = this.work.user(job)
    const isExclusive = this.#isExclusive(job)
    let later = Infinity
    for (let node = 0; node < this.#users.length; node++) {
      if (!hasBit(usable, node) || !this.#conflicts(node, user, isExclusive)) continue
      const until = this.#until[node] as number
      if (from > now && until <= from) continue
      clearBit(usable, node)
      if (until > from) later = Math.min(later, until) // what has outlived its estimate ends nobody knows when
    }
    return later
  }

  #conflicts(node: number, user: UserId, isExclusive: boolean): boolean {
    const owner = this.#users[node] as number
    return owner !== NOBODY && owner !== user && (isExclusive || this.#isOwned[node] === 1)
  }

  #isExclusive(job: JobId): boolean {
    return this.work.isExclusiveToUser(job) || this.#queues.has(this.work.queueName(this.work.queue(job)))
  }
}
