import type { JobId, Seconds, TaskId, UserId, WorkView } from '@sched/core'
import { clearBit, hasBit, type NodeBits } from './node-bits.js'
import type { QueuesOfJobs } from './queues-of-jobs.js'

const NOBODY = -1
const SEVERAL = -2

/**
 * Whose jobs run on each node, for jobs that share nodes only with jobs of their own user: exclusive jobs, by their own option or by that of their queue.
 * An exclusive job may run on a node only if no job of another user runs there; any other job only if no exclusive job of another user does.
 *
 * Source: Slurm, ExclusiveUser in slurm.conf(5) and `--exclusive=user` in sbatch(1), `filter_by_node_owner` of slurmctld/job_mgr.c.
 */
export class NodeUsers {
  readonly #queues: ReadonlySet<string>
  readonly #users: Int32Array
  /** By node: whether an exclusive job runs there, and the expected end of all that runs there. */
  readonly #isOwned: Uint8Array
  readonly #until: Float64Array

  constructor(private readonly work: WorkView, private readonly queuesOf: QueuesOfJobs, nodes: number, queues: readonly string[]) {
    this.#queues = new Set(queues)
    this.#users = new Int32Array(nodes)
    this.#isOwned = new Uint8Array(nodes)
    this.#until = new Float64Array(nodes)
  }

  /** Takes in what runs now. `endOf`: the expected end of a task. */
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

  /**
   * Removes from `usable` the nodes on which the job may not start at time `from` because of the users whose jobs run there then. Returns the first time
   * after `from` at which one of these nodes is free of such jobs, `Infinity` if there is none.
   */
  limit(usable: NodeBits, job: JobId, from: Seconds, now: Seconds): Seconds {
    const user = this.work.user(job)
    const isExclusive = this.#isExclusive(job)
    let later = Infinity
    for (let node = 0; node < this.#users.length; node++) {
      if (!hasBit(usable, node) || !this.#conflicts(node, user, isExclusive)) continue
      const until = this.#until[node] as number
      if (from > now && until <= from) continue
      clearBit(usable, node)
      if (until > from) later = Math.min(later, until) // a job that has outlived its estimate has no known end
    }
    return later
  }

  #conflicts(node: number, user: UserId, isExclusive: boolean): boolean {
    const owner = this.#users[node] as number
    return owner !== NOBODY && owner !== user && (isExclusive || this.#isOwned[node] === 1)
  }

  #isExclusive(job: JobId): boolean {
    return this.work.isExclusiveToUser(job) || (this.#queues.size > 0 && this.#queues.has(this.queuesOf.of(job)))
  }
}
