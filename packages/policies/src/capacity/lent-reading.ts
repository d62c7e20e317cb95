import type { JobBlock, JobId, LaneId, WorkView } from '@sched/core'
import type { CapacityQueues } from './capacity-queues.js'
import { JobMerge } from './job-merge.js'
import type { Keys, SortedIds } from '../orders/sorted-ids.js'

/**
 * Reads the jobs of the default partition that may start a task on a node of another partition, which is lent when its own jobs
 * have nothing for the node. Queues that may use the partition come first, ties by what they use of it over what they are
 * guaranteed there. Maxima of queues and the factor of user limits do not count. Queues are sorted anew at each reading, since such
 * nodes are the exception.
 *
 * Source: Hadoop 3, SchedulingMode.IGNORE_PARTITION_EXCLUSIVITY.
 */
export class LentReading {
  readonly #queues: CapacityQueues
  readonly #work: WorkView
  readonly #merge = new JobMerge()
  readonly #block = { ids: new Int32Array(1), from: 0, to: 1 } satisfies JobBlock
  /** Leaves still to be read, the next one last. */
  readonly #leaves: number[] = []
  #pot = 0
  #lane = 0 as LaneId

  constructor(queues: CapacityQueues, work: WorkView) {
    this.#queues = queues
    this.#work = work
  }

  /** Starts a reading for a pot that is lent. */
  begin(lane: LaneId, pot: number): void {
    this.#lane = lane
    this.#pot = pot
    this.#leaves.length = 0
    this.#queues.refresh()
    if (this.#queues.usage.isListed(0, lane)) this.#collect(0)
    this.#leaves.reverse()
    this.#openLeaf()
  }

  next(): JobBlock | undefined {
    for (;;) {
      const job = this.#merge.next()
      if (job < 0 && this.#leaves.length === 0) return undefined
      if (job < 0) this.#openLeaf()
      else if (this.#fits(job as JobId)) {
        this.#block.ids[0] = job
        return this.#block
      }
    }
  }

  /** Adds the leaves inside a queue that have jobs waiting in the default partition, in the order in which the lent partition serves queues. */
  #collect(queue: number): void {
    const { tree, usage, pots } = this.#queues
    if (tree.isInner[queue] !== true) return void this.#leaves.push(queue)
    const label = pots.partitions[pots.partitionOf(this.#pot)] as string
    const rank = (id: number) => {
      const { accessibleLabels } = tree.queue(id)
      return accessibleLabels === '*' || accessibleLabels.includes(label) ? 0 : 1
    }
    const waiting = tree.queue(queue).children.filter((id) => usage.isListed(id, this.#lane))
    for (const id of waiting.sort((a, b) => rank(a) - rank(b) || usage.compare(a, b, this.#pot))) this.#collect(id)
  }

  #openLeaf(): void {
    const { pots, users, limits } = this.#queues
    const leaf = this.#leaves.pop()
    this.#merge.begin(users.jobKeys[this.#lane] as Keys)
    if (leaf === undefined) return
    const { ids, from, to } = this.#queues.waiting.of(leaf, this.#lane)
    for (let i = from; i < to; i++) {
      const pair = ids[i] as number
      const jobs = users.jobs[pair * pots.count + this.#lane] as SortedIds
      if (!limits.isOverLent(pair, this.#pot)) this.#merge.add(jobs, jobs.from)
    }
  }

  /** Whether the next task of the job fits into what is neither used nor reserved in the lent partition. */
  #fits(job: JobId): boolean {
    const { pots, usage } = this.#queues
    const from = pots.demandAt(this.#work.shape(job, this.#lane), this.#lane)
    for (let i = 0; i < pots.width; i++) {
      const at = this.#pot * pots.width + i
      if ((pots.demands[from + i] as number) > (pots.totals[at] as number) - (usage.used[at] as number)) return false
    }
    return true
  }
}
