import { ownValue, type ClusterView, type Demand, type JobId, type ResourceId, type Seconds, type TaskId, type WorkView } from '@sched/core'
import { namesOf, type NamedJob } from './named-job.js'

/** A job that held part of the cluster while another waited. */
export interface Holder extends NamedJob {
  /** Mean over the wait of its dominant share, in [0, 1]: its share of the resource of which it holds most. */
  readonly share: number
}

/** A prefilled task: it belongs to no job and runs from the start of the run. */
export interface Prefilled {
  /** What it holds. */
  readonly demand: Demand
  /** When it ends, seconds from the start of the run; `Infinity`: never. */
  readonly end: Seconds
}

interface Held {
  readonly held: number[]
  share: number
  since: Seconds
  /** Integral over time of the dominant share. */
  sum: number
  /** The same up to where the period ends so far. */
  settled: number
}

interface Running extends Held, NamedJob {
  readonly tasks: Map<TaskId, readonly number[]>
}

/**
 * Follows what all jobs and prefilled tasks hold. From `begin` to `end` it adds up how much of the cluster each held, and how many nodes were down;
 * then it may `begin` anew. A period whose end is not known beforehand ends at the last `settle`.
 */
export class Meanwhile {
  readonly #cluster: ClusterView
  readonly #work: WorkView
  readonly #running = new Map<JobId, Running>()
  readonly #gone: Running[] = []
  /** Jobs that have left since the last `settle`. */
  readonly #leaving: Running[] = []
  readonly #prefilled: Held
  /** Prefilled tasks that have not ended; the next to end is the last entry. */
  readonly #left: Prefilled[]
  #from: Seconds = NaN
  #to: Seconds = NaN
  #isOpen = false
  #away = 0
  #awaySince: Seconds = 0
  /** Integral over time of the number of nodes that were down. */
  #awaySum = 0
  #awaySettled = 0

  constructor(cluster: ClusterView, work: WorkView, prefilled: readonly Prefilled[]) {
    this.#cluster = cluster
    this.#work = work
    this.#prefilled = { held: this.#nothing(), share: 0, since: 0, sum: 0, settled: 0 }
    this.#left = [...prefilled].sort((a, b) => b.end - a.end)
    for (const { demand } of prefilled) this.#change(this.#prefilled, this.#amounts(demand), 1, 0)
  }

  begin(now: Seconds): void {
    this.#endPrefilled(now)
    this.#from = now
    this.#to = now
    this.#isOpen = true
    for (const held of [this.#prefilled, ...this.#running.values()]) {
      held.since = now
      held.sum = 0
      held.settled = 0
    }
    this.#gone.length = 0
    this.#leaving.length = 0
    this.#awaySince = now
    this.#awaySum = 0
    this.#awaySettled = 0
  }

  end(now: Seconds): void {
    this.settle(now)
    this.#isOpen = false
  }

  /** The period reaches to here, and may go on. */
  settle(now: Seconds): void {
    this.#endPrefilled(now)
    for (const held of [this.#prefilled, ...this.#running.values()]) {
      this.#count(held, now)
      held.settled = held.sum
    }
    for (const gone of this.#leaving.splice(0)) {
      gone.settled = gone.sum
      this.#gone.push(gone)
    }
    this.#countAway(now)
    this.#awaySettled = this.#awaySum
    this.#to = now
  }

  started(task: TaskId, job: JobId, now: Seconds): void {
    let running = this.#running.get(job)
    if (running === undefined)
      this.#running.set(
        job,
        (running = { ...namesOf(this.#work, job), tasks: new Map(), held: this.#nothing(), share: 0, since: now, sum: 0, settled: 0 }),
      )
    const shape = this.#work.shapeOf(task)
    const demand = this.#cluster.resources.map((_, r) => this.#work.demand(shape, r as ResourceId))
    running.tasks.set(task, demand)
    this.#change(running, demand, 1, now)
  }

  ended(task: TaskId, job: JobId, now: Seconds): void {
    const running = this.#running.get(job)
    const demand = running?.tasks.get(task)
    if (running === undefined || demand === undefined) return
    running.tasks.delete(task)
    this.#change(running, demand, -1, now)
  }

  left(job: JobId): void {
    const running = this.#running.get(job)
    this.#running.delete(job)
    if (running !== undefined && running.sum > 0) this.#leaving.push(running)
  }

  /** A node has gone down or come up. */
  moved(up: boolean, now: Seconds): void {
    this.#countAway(now)
    this.#away += up ? -1 : 1
  }

  /** Mean number of nodes that were down. */
  nodesAway(): number {
    const length = this.#to - this.#from
    return length > 0 ? this.#awaySettled / length : 0
  }

  /** The jobs that held most, at most `most`, the largest first. */
  holders(most: number): Holder[] {
    const length = this.#to - this.#from
    if (!(length > 0)) return []
    const all = [...this.#gone, ...this.#leaving, ...this.#running.values()].filter(({ settled }) => settled > 0)
    return all.sort((a, b) => b.settled - a.settled).slice(0, most).map(({ id, user, queue, settled }) => ({ id, user, queue, share: settled / length }))
  }

  /** Mean dominant share of prefilled tasks, taken together. */
  prefilled(): number {
    const length = this.#to - this.#from
    return length > 0 ? this.#prefilled.settled / length : 0
  }

  /** Gives back what prefilled tasks held that have ended by now. */
  #endPrefilled(now: Seconds): void {
    for (let last = this.#left.at(-1); last !== undefined && last.end <= now; last = this.#left.at(-1)) {
      this.#change(this.#prefilled, this.#amounts(last.demand), -1, last.end)
      this.#left.pop()
    }
  }

  #nothing(): number[] {
    return this.#cluster.resources.map(() => 0)
  }

  #amounts(demand: Demand): number[] {
    return this.#cluster.resources.map((name) => ownValue(demand, name) ?? 0)
  }

  #change(running: Held, demand: readonly number[], sign: 1 | -1, now: Seconds): void {
    this.#count(running, now)
    const { held } = running
    let share = 0
    for (let r = 0; r < held.length; r++) {
      held[r] = (held[r] as number) + sign * (demand[r] as number)
      const capacity = this.#cluster.capacity(r as ResourceId)
      if (capacity > 0) share = Math.max(share, (held[r] as number) / capacity)
    }
    running.share = share
  }

  #countAway(now: Seconds): void {
    if (this.#isOn(now)) this.#awaySum += this.#away * (now - this.#awaySince)
    this.#awaySince = now
  }

  #isOn(now: Seconds): boolean {
    return this.#isOpen && this.#from <= now
  }

  #count(running: Held, now: Seconds): void {
    if (this.#isOn(now)) running.sum += running.share * (now - Math.max(running.since, this.#from))
    running.since = now
  }
}
