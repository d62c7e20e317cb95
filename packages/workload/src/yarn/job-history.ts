import type { JobSpec } from '@sched/core'
import type * as z from '@sched/bundled/zod'
import type { Fields } from '../json/fields.js'
import { eventParser, type EventReader, type TakeJob } from '../table/event-log.js'
import type { RuleCount } from '../trace/facts.js'
import { BadLine, type TraceFormat } from '../trace/format.js'
import { isAvroBinary } from './avro.js'
import { containerOptions, nodeOf, Stages, type Container } from './containers.js'
import { hadoopJob, hadoopPriorities } from './hadoop-job.js'

/**
 * Job histories of MapReduce as its history server keeps them (`job_...jhist`): a line `Avro-Json`, the schema, and the events of one job; several
 * such files one after another or in a directory. Files in Avro's binary encoding are converted first. A task runs as long as its successful attempt
 * or, without one, its last attempt with a start and an end; other attempts do not count. The history does not tell what containers asked for, so
 * options do. The container of the application master, and tasks and jobs without a known run time, are left out.
 *
 * Source: Apache Hadoop, `org.apache.hadoop.mapreduce.jobhistory` (EventWriter, JobHistoryParser).
 */
export const jobHistoryFormat: TraceFormat<typeof containerOptions> = {
  name: 'jhist',
  summary: 'job histories of MapReduce (.jhist), one file or many',
  source: 'Apache Hadoop, mapreduce.jobhistory',
  options: containerOptions,
  isHeld: true,
  isHistory: true,
  detect: (head) => /^Avro-Json\s/.test(head) || isAvroBinary(head),
  create: (options, place) => eventParser(new JobHistories(options), place),
}

interface Attempt {
  readonly start: number | undefined
  end?: number | undefined
  host?: string | undefined
  succeeded?: boolean
}

interface History {
  id?: string
  user?: string | undefined
  name?: string | undefined
  queue?: string | undefined
  priority?: string | undefined
  submit?: number | undefined
  launch?: number | undefined
  end?: number | undefined
  status?: string | undefined
  /** Tasks by id, in the order in which they started. */
  readonly tasks: Map<string, { readonly type: string; readonly attempts: Map<string, Attempt> }>
}

class JobHistories implements EventReader {
  readonly #stages: Stages
  #job: History | undefined
  readonly #counts = { attempts: 0, unknownRuntime: 0, noTasks: 0 }

  constructor(options: z.output<typeof containerOptions>) {
    this.#stages = new Stages(options)
  }

  wants(start: string): boolean {
    return /^\{"type":"(JOB_|TASK_STARTED|(MAP|REDUCE)_ATTEMPT_)/.test(start)
  }

  mark(start: string, take: TakeJob): void {
    if (!/^Avro-/.test(start)) throw new BadLine(undefined, `found ${JSON.stringify(start.slice(0, 20))}, expected an event in JSON.`)
    this.end(take)
    this.#job = { tasks: new Map() }
  }

  event(event: Fields): void {
    const job = (this.#job ??= { tasks: new Map() })
    const type = event.text('type') ?? ''
    const [name] = Object.keys((event.value('event') ?? {}))
    const fields = name === undefined ? undefined : event.object('event')?.object(name)
    if (fields === undefined) throw event.bad('event', 'is missing.')
    if (type.startsWith('JOB_')) ofJob(job, type, fields)
    else if (type === 'TASK_STARTED') taskOf(job, fields)
    else ofAttempt(job, type, fields)
  }

  end(take: TakeJob): void {
    const job = this.#job
    this.#job = undefined
    if (job === undefined || (job.id === undefined && job.tasks.size === 0)) return
    const spec = this.#spec(job)
    if (spec !== undefined) take(spec)
  }

  rules(): RuleCount[] {
    const { attempts, unknownRuntime, noTasks } = this.#counts
    return [
      { rule: 'attempts', jobs: attempts, text: 'attempts other than those that count for their tasks: left out' },
      { rule: 'unknownRuntime', jobs: unknownRuntime, text: 'tasks of unknown run time: left out' },
      { rule: 'noTasks', jobs: noTasks, text: 'without a task of known run time: left out' },
    ]
  }

  #spec({ id, user, name, queue, priority = 'NORMAL', submit, launch, end, status, tasks }: History): JobSpec | undefined {
    const containers = [...tasks.values()].flatMap(({ type, attempts }) => this.#container(type, [...attempts.values()]))
    const at = submit ?? launch
    if (containers.length === 0) return void this.#counts.noTasks++
    if (id === undefined || at === undefined)
      throw new BadLine(
        undefined,
        'the history above does not say which job it is of, and when that was submitted.',
        'Was the file cut short? Copy it again',
      )
    return hadoopJob({ id, submit: at, end, user, queue, name, priority: hadoopPriorities[priority] ?? 0, status, stages: this.#stages.of(containers) })
  }

  #container(type: string, attempts: readonly Attempt[]): Container[] {
    const known = attempts.filter(({ start, end }) => start !== undefined && end !== undefined && end >= start)
    const chosen = known.find(({ succeeded }) => succeeded) ?? known.at(-1)
    if (chosen === undefined) {
      this.#counts.unknownRuntime++
      return []
    }
    this.#counts.attempts += attempts.length - 1
    return [{ type, duration: (chosen.end! - chosen.start!) / 1000, host: nodeOf(chosen.host) }]
  }
}

function ofJob(job: History, type: string, fields: Fields): void {
  const id = fields.text('jobid')
  if (id !== undefined) job.id = id
  job.submit = timeOf(fields, 'submitTime') ?? job.submit
  job.launch = timeOf(fields, 'launchTime') ?? job.launch
  job.queue = fields.text('jobQueueName') ?? job.queue
  job.priority = fields.text('priority') ?? job.priority
  if (type === 'JOB_SUBMITTED') Object.assign(job, { user: fields.text('userName'), name: fields.text('jobName') })
  if (!/^JOB_(FINISHED|FAILED|KILLED|ERROR)$/.test(type)) return
  job.end = timeOf(fields, 'finishTime')
  job.status = type === 'JOB_FINISHED' ? 'succeeded' : (fields.text('jobStatus') ?? type.slice(4))
}

function taskOf(job: History, fields: Fields): History['tasks'] extends Map<string, infer T> ? T : never {
  const id = fields.text('taskid')
  if (id === undefined) throw fields.bad('taskid', 'is missing.')
  const known = job.tasks.get(id) ?? { type: fields.text('taskType') === 'REDUCE' ? 'reduce' : 'map', attempts: new Map<string, Attempt>() }
  job.tasks.set(id, known)
  return known
}

function ofAttempt(job: History, type: string, fields: Fields): void {
  const { attempts } = taskOf(job, fields)
  const id = fields.text('attemptId')
  if (id === undefined) throw fields.bad('attemptId', 'is missing.')
  if (type.endsWith('_STARTED')) return void attempts.set(id, { start: timeOf(fields, 'startTime') })
  const attempt = attempts.get(id) ?? { start: undefined }
  attempts.set(id, attempt)
  Object.assign(attempt, { end: timeOf(fields, 'finishTime'), host: fields.text('hostname'), succeeded: type.endsWith('_FINISHED') })
}

/** Milliseconds since 1970; `undefined` if absent or unknown, which is written as -1 or 0. */
function timeOf(fields: Fields, key: string): number | undefined {
  const time = fields.number(key, -1)
  return time === undefined || time <= 0 ? undefined : time
}
