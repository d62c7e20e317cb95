import type { JobSpec, Seconds, StageSpec, Workload } from '@sched/core'
import { omegaClass } from '../omega/cell-state-log.js'
import type { JobClass } from '../omega/class-loads.js'
import type { RunningGroup } from '../omega/prefill.js'
import type { RuleCount, TraceFacts } from '../trace/facts.js'
import { workloadFrom } from '../workload.js'
import { EventType, eventTypes } from './events.js'
import type { HistoryCounts, JobHistory, TaskHistory } from './history.js'

/** Lowest priority of the production tier in 2011. */
const production = 9
/** Shortest run in seconds: the trace counts microseconds. */
const shortest = 1e-6
const APART = { distinctNodes: true }

/** The jobs of a window of the trace, and the tasks that ran when it began. */
export interface GoogleTrace extends Workload, TraceFacts {
  readonly jobs: number
  /** Tasks that run at time 0, for `placeRunning`. They have no node: the trace names their machine, but not which class of machines it is of. */
  readonly running: readonly RunningGroup[]
  /** Seconds from the start of the trace to the latest event. */
  readonly window: Seconds
  /** What was read from the tables. */
  readonly counts: HistoryCounts
  /** What was done about tasks of which the window shows only a part. */
  readonly rules: readonly RuleCount[]
}

/**
 * Jobs of a history in order of submission. A task runs as long as its latest run lasted, whether that ended in FINISH, FAIL, KILL, LOST or EVICT; a
 * run that does not end in the window lasts to the end of the window. Tasks that never ran in the window, and tasks that ask for nothing, are left
 * out. Tasks of a job that ask for the same are one stage. A job is submitted with the first of its tasks that was not running at time 0.
 *
 * Jobs of production priority with a scheduling class above 1 are `service`, as in the Omega evaluation; the others are `batch`. Production starts at
 * `more.production`, default 9.
 */
export function googleTrace(
  name: string,
  history: TaskHistory,
  window: Seconds,
  more: { readonly names?: ReadonlyMap<string, string>; readonly production?: number; readonly rules?: readonly RuleCount[] } = {},
): GoogleTrace {
  const builder = new JobBuilder(history, window, more.names ?? new Map(), more.production ?? production)
  const jobs = [...history.jobs.values()].map((job) => ({ job, submit: builder.submitOf(job) })).filter(({ submit }) => submit < Infinity)
  // the sort is stable: equal times keep the order of the trace
  jobs.sort((a, b) => a.submit - b.submit)
  const running = builder.running()
  const workload = workloadFrom(name, jobs.length, () => (index) => builder.job(jobs[index]!.job, jobs[index]!.submit))
  return { ...workload, jobs: jobs.length, chained: false, start: 0, running, window, counts: history.counts, rules: [...builder.rules(), ...(more.rules ?? [])] }
}

class JobBuilder {
  readonly #history: TaskHistory
  readonly #window: Seconds
  readonly #names: ReadonlyMap<string, string>
  readonly #production: number

  constructor(history: TaskHistory, window: Seconds, names: ReadonlyMap<string, string>, lowest: number) {
    this.#production = lowest
    this.#history = history
    this.#window = window
    this.#names = names
  }

  submitOf({ tasks }: JobHistory): Seconds {
    const { submitted } = this.#history.columns
    return tasks.reduce((first, task) => (this.#isJobTask(task) ? Math.min(first, submitted[task]!) : first), Infinity)
  }

  job(job: JobHistory, submit: Seconds): JobSpec {
    const kind = this.#class(job)
    const name = this.#names.get(job.id)
    return {
      id: job.id,
      submit,
      ...(job.user !== '' && { user: job.user }),
      ...(name !== undefined && name !== '' && { application: name }),
      priority: job.priority,
      class: kind,
      label: kind,
      recorded: { status: this.#status(job) },
      stages: this.#stages(job),
    }
  }

  running(): RunningGroup[] {
    const { columns, shapes } = this.#history
    const groups: RunningGroup[] = []
    for (let task = 0; task < columns.count; task++)
      if (columns.running[task] === 1 && this.#asks(task)) groups.push({ tasks: 1, demand: shapes[columns.shape[task]!]!.demand, end: columns.ended[task]! || Infinity })
    return groups
  }

  rules(): RuleCount[] {
    const { columns, counts } = this.#history
    const count = (test: (task: number) => boolean) => {
      let found = 0
      for (let task = 0; task < columns.count; task++) if (test(task)) found++
      return found
    }
    const open = (task: number) => this.#isJobTask(task) && Number.isNaN(columns.ended[task])
    const rules: RuleCount[] = [
      { rule: 'unfinished', jobs: count(open), text: 'tasks without an end in the window: run to the end of it' },
      { rule: 'neverRan', jobs: count((task) => Number.isNaN(columns.started[task])), text: 'tasks that did not run in the window: left out' },
      { rule: 'noRequest', jobs: count((task) => !this.#asks(task)), text: 'tasks without a request: left out' },
      { rule: 'resubmitted', jobs: counts.resubmitted, text: 'submissions of tasks that had run before: the latest run counts' },
      { rule: 'unseen', jobs: counts.unseen, text: 'events of tasks never submitted in the window' },
    ]
    return rules.filter(({ jobs }) => jobs > 0)
  }

  #stages({ tasks }: JobHistory): StageSpec[] {
    const { columns, shapes } = this.#history
    const byShape = new Map<number, number[]>()
    for (const task of tasks) {
      if (!this.#isJobTask(task)) continue
      const shape = columns.shape[task]!
      const group = byShape.get(shape)
      if (group === undefined) byShape.set(shape, [task])
      else group.push(task)
    }
    return [...byShape].map(([id, group], index): StageSpec => {
      const { demand, distinctNodes } = shapes[id]!
      const duration = Float64Array.from(group, (task) => this.#duration(task))
      return { name: `tasks${index === 0 ? '' : index + 1}`, tasks: group.length, demand, duration, ...(distinctNodes && { constraints: APART }) }
    })
  }

  #duration(task: number): Seconds {
    const { started, ended } = this.#history.columns
    const end = Number.isNaN(ended[task]) ? this.#window : Math.min(ended[task]!, this.#window)
    return Math.max(shortest, end - started[task]!)
  }

  #isJobTask(task: number): boolean {
    const { running, started } = this.#history.columns
    return running[task] === 0 && !Number.isNaN(started[task]) && this.#asks(task)
  }

  #asks(task: number): boolean {
    const { columns, shapes } = this.#history
    return Object.keys(shapes[columns.shape[task]!]!.demand).length > 0
  }

  #class({ priority, schedulingClass }: JobHistory): JobClass {
    return omegaClass(priority >= this.#production, schedulingClass)
  }

  /** How all its tasks ended; `mixed` if they ended differently. */
  #status({ tasks }: JobHistory): string {
    const { state } = this.#history.columns
    const first = state[tasks[0]!]!
    if (tasks.some((task) => state[task] !== first)) return 'mixed'
    return first === EventType.Schedule || first === EventType.Submit ? 'unfinished' : eventTypes[first]!
  }
}
