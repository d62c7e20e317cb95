import type { ClusterView, JobId, JobSpec, Observer, ResourceId, Seconds, TaskId, WorkView } from '@sched/core'

/** A job on the machine. */
interface Running {
  readonly procs: number
  readonly end: Seconds
}

/** What became of the first waiting jobs of a run. */
export interface HeadDelays {
  readonly observer: Observer
  /** First waiting jobs that had to wait. */
  heads: number
  /** Most seconds by which one started later than its first shadow time; below 0: all were earlier. */
  latest: Seconds
  /** Instants in which a head's shadow time was moved later by other jobs. */
  delayings: number
  /** Those after which its delay was not below AWT. */
  overlong: number
  /** Largest delay against the first shadow time after such an instant, over AWT, the mean wait of the jobs finished by then. */
  largest: number
}

/**
 * Watches the first waiting job of a queue in order of submission, from outside: its shadow time is the earliest at which
 * enough processors are free by the estimates of the running jobs. Counts in the order of things, instant by instant, in
 * plain code. For one machine, one resource, one task per job and exact estimates.
 */
export function headDelays(): HeadDelays {
  const waiting: { readonly job: JobId; readonly procs: number }[] = []
  const running = new Map<TaskId, Running>()
  const submits = new Map<JobId, Seconds>()
  const starts = new Map<JobId, Seconds>()
  /** Started at this instant, in the order of their starts. */
  let started: { readonly job: JobId; readonly task: TaskId; readonly procs: number; readonly backfilled: boolean }[] = []
  let free = 0
  let instant = 0
  let finished = 0
  let waited = 0
  let head: { readonly job: JobId; readonly first: Seconds; shadow: Seconds } | undefined
  let work: WorkView | undefined

  const found: HeadDelays = { observer: {}, heads: 0, latest: -Infinity, delayings: 0, overlong: 0, largest: -Infinity }

  /** When so many processors are free, without the tasks in `without`. */
  function shadow(procs: number, without: ReadonlySet<TaskId>): Seconds {
    const left = [...running].filter(([task]) => !without.has(task)).map(([, each]) => each).sort((a, b) => a.end - b.end)
    let there = free + [...without].reduce((sum, task) => sum + (running.get(task)?.procs ?? 0), 0)
    if (there >= procs) return instant
    for (const { procs: returned, end } of left) if ((there += returned) >= procs) return end
    return Infinity
  }

  /** After all of an instant: who is first now, and how far was he moved? */
  function settle(): void {
    const backfills = new Set(started.filter(({ backfilled }) => backfilled).map(({ task }) => task))
    started = []
    const [first] = waiting
    if (first === undefined) return void (head = undefined)
    if (head?.job !== first.job) {
      const reference = shadow(first.procs, backfills)
      head = { job: first.job, first: reference, shadow: reference }
      found.heads++
    }
    const now = shadow(first.procs, new Set())
    if (backfills.size > 0 && now > Math.max(head.shadow, instant)) {
      found.delayings++
      const awt = finished === 0 ? 0 : waited / finished
      const delay = now - head.first
      if (delay >= awt) found.overlong++
      found.largest = Math.max(found.largest, delay / awt)
    }
    head.shadow = now
  }

  function advance(now: Seconds): void {
    if (now === instant) return
    settle()
    instant = now
  }

  const observer: Observer = {
    onRunStart(run: { readonly cluster: ClusterView; readonly work: WorkView }) {
      work = run.work
      free = run.cluster.capacity(0 as ResourceId)
    },
    onSubmit(job: JobId, spec: JobSpec, now: Seconds) {
      advance(now)
      submits.set(job, now)
      waiting.push({ job, procs: spec.stages[0]?.demand['procs'] ?? 0 })
    },
    onTaskStart(task, job, _lane, _node, _level, now) {
      advance(now)
      const at = waiting.findIndex((each) => each.job === job)
      const procs = waiting[at]?.procs ?? 0
      waiting.splice(at, 1)
      if (head?.job === job) found.latest = Math.max(found.latest, now - head.first)
      free -= procs
      running.set(task, { procs, end: now + (work?.estimate(job) ?? Infinity) })
      started.push({ job, task, procs, backfilled: at > 0 })
      starts.set(job, now)
    },
    onTaskEnd(task, _job, _lane, _node, _how, _started, _stopped, now) {
      advance(now)
      free += running.get(task)?.procs ?? 0
      running.delete(task)
    },
    onJobEnd(job, _spec, now) {
      advance(now)
      finished++
      waited += (starts.get(job) as Seconds) - (submits.get(job) as Seconds)
    },
    onRunEnd: settle,
  }
  return Object.assign(found, { observer })
}
