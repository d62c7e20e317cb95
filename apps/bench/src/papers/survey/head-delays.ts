import type { ClusterView, JobId, JobSpec, LaneId, NodeId, Observer, ResourceId, Seconds, TaskEnd, TaskId, WorkView } from '@sched/core'

/** A job on the machine. */
interface Running {
  readonly procs: number
  readonly end: Seconds
}

/**
 * Watches the first waiting job of a queue in order of submission, from outside: its shadow time is the earliest at which
 * enough processors are free by the estimates of the running jobs. Counts in the order of things, instant by instant, in
 * plain code. For one machine, one resource, one task per job and exact estimates.
 */
export class HeadDelays implements Observer {
  /** First waiting jobs that had to wait. */
  heads = 0
  /** Most seconds by which one started later than its first shadow time; below 0: all were earlier. */
  latest: Seconds = -Infinity
  /** Instants in which a head's shadow time was moved later by other jobs. */
  delayings = 0
  /** Those after which its delay was not below AWT. */
  overlong = 0
  /** Largest delay against the first shadow time after such an instant, over AWT, the mean wait of the jobs finished by then. */
  largest = -Infinity

  readonly #waiting: { readonly job: JobId; readonly procs: number }[] = []
  readonly #running = new Map<TaskId, Running>()
  readonly #submits = new Map<JobId, Seconds>()
  readonly #starts = new Map<JobId, Seconds>()
  /** Tasks of jobs that have passed the first one at this instant. */
  #backfills = new Set<TaskId>()
  #free = 0
  #instant: Seconds = 0
  #finished = 0
  #waited: Seconds = 0
  #head: { readonly job: JobId; readonly first: Seconds; shadow: Seconds } | undefined
  #work!: WorkView

  onRunStart({ cluster, work }: { readonly cluster: ClusterView; readonly work: WorkView }): void {
    this.#work = work
    this.#free = cluster.capacity(0 as ResourceId)
  }

  onSubmit(job: JobId, spec: JobSpec, now: Seconds): void {
    this.#advance(now)
    this.#submits.set(job, now)
    this.#waiting.push({ job, procs: spec.stages[0]?.demand['procs'] ?? 0 })
  }

  onTaskStart(task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _level: number, now: Seconds): void {
    this.#advance(now)
    const at = this.#waiting.findIndex((each) => each.job === job)
    const [{ procs } = { procs: 0 }] = this.#waiting.splice(at, 1)
    if (this.#head?.job === job) this.latest = Math.max(this.latest, now - this.#head.first)
    if (at > 0) this.#backfills.add(task)
    this.#free -= procs
    this.#running.set(task, { procs, end: now + this.#work.estimate(job) })
    this.#starts.set(job, now)
  }

  onTaskEnd(task: TaskId, _job: JobId, _lane: LaneId, _node: NodeId, _how: TaskEnd, _started: Seconds, _stopped: Seconds, now: Seconds): void {
    this.#advance(now)
    this.#free += this.#running.get(task)?.procs ?? 0
    this.#running.delete(task)
  }

  onJobEnd(job: JobId, _spec: JobSpec, now: Seconds): void {
    this.#advance(now)
    this.#finished++
    this.#waited += (this.#starts.get(job) as Seconds) - (this.#submits.get(job) as Seconds)
  }

  onRunEnd(): void {
    this.#settle()
  }

  #advance(now: Seconds): void {
    if (now === this.#instant) return
    this.#settle()
    this.#instant = now
  }

  /** After all of an instant: who is first now, and how far was he moved? */
  #settle(): void {
    const backfills = this.#backfills
    this.#backfills = new Set()
    const [first] = this.#waiting
    if (first === undefined) return void (this.#head = undefined)
    if (this.#head?.job !== first.job) {
      const reference = this.#shadow(first.procs, backfills)
      this.#head = { job: first.job, first: reference, shadow: reference }
      this.heads++
    }
    const now = this.#shadow(first.procs, new Set())
    if (backfills.size > 0 && now > Math.max(this.#head.shadow, this.#instant)) this.#count(now - this.#head.first)
    this.#head.shadow = now
  }

  /** Others have moved the head, so that it is so late now. */
  #count(delay: Seconds): void {
    const awt = this.#finished === 0 ? 0 : this.#waited / this.#finished
    this.delayings++
    if (delay >= awt) this.overlong++
    this.largest = Math.max(this.largest, delay / awt)
  }

  /** When so many processors are free, without the tasks in `without`. */
  #shadow(procs: number, without: ReadonlySet<TaskId>): Seconds {
    const left = [...this.#running].filter(([task]) => !without.has(task)).map(([, each]) => each).sort((a, b) => a.end - b.end)
    let there = this.#free + [...without].reduce((sum, task) => sum + (this.#running.get(task)?.procs ?? 0), 0)
    if (there >= procs) return this.#instant
    for (const { procs: returned, end } of left) if ((there += returned) >= procs) return end
    return Infinity
  }
}
