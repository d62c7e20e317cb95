import { withoutUndefined, type Demand, type JobSpec, type StageSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import type { Fields } from '../json/fields.js'
import { eventParser, type EventReader, type TakeJob } from '../table/event-log.js'
import type { RuleCount } from '../trace/facts.js'
import { BadLine, type TraceFormat } from '../trace/format.js'
import { memoryOf, shareOfExecutor, type SparkProperties } from './resources.js'

const sparkOptions = z.strictObject({
  unit: z.enum(['jobs', 'executors']).default('jobs')
    .describe('What a job is: jobs: each job of an application, with its stages of tasks; executors: the application, whose tasks are its executors, held for as long as they existed.'),
  hosts: z.boolean().default(false).describe('Whether a task of a stage without parents reads its data on the host where it ran, so that it is slower elsewhere.'),
})
type SparkOptions = z.output<typeof sparkOptions>

/**
 * Event logs of Spark applications, JSON Lines as the history server reads them: one or several after another, or in a directory (also rolling logs).
 * A job of an application is a job, submitted when its driver submitted it. It has the stages that ran, which wait for their parents; a stage named
 * by several jobs belongs to the first. A task runs from launch to finish of its last successful attempt; other attempts do not count. It asks for a
 * share of an executor: `vcores` (`spark.task.cpus`) and `memory-mb` (of `spark.executor.memory` and its overhead). Jobs without an end, or without a
 * task that ran, are left out.
 *
 * With `unit: executors`, an application is a job whose tasks are its executors, each from its start to its removal, or to the end of the
 * application; the driver is left out.
 *
 * Source: Apache Spark 1.3 to 4, `org.apache.spark.util.JsonProtocol`.
 */
export const sparkFormat: TraceFormat<typeof sparkOptions> = {
  name: 'spark',
  summary: 'event logs of Spark applications, one file or many',
  source: 'Apache Spark, JsonProtocol',
  options: sparkOptions,
  isHeld: true,
  isHistory: true,
  detect: (head) => /^\{"Event":"SparkListener/.test(head),
  create: (options, place) => eventParser(new SparkLogs(options), place),
}

interface Stage {
  readonly id: number
  /** Ids of the parent stages; `undefined` if the log does not tell them. */
  readonly parents: readonly number[] | undefined
  /** Whether it has a resource profile of its own, so that tasks and executors differ from the properties. */
  readonly hasProfile: boolean
  /** Tasks by index. */
  readonly tasks: Map<number, { readonly seconds: number; readonly host: string | undefined }>
}

interface Job {
  readonly id: number
  readonly submit: number
  readonly stages: Stage[]
  readonly pool: string | undefined
  launched?: number
}

interface Application {
  id?: string | undefined
  name?: string | undefined
  user?: string | undefined
  start?: number
  properties: SparkProperties
  readonly jobs: Map<number, Job>
  /** Stages by id, with the job that named them first. */
  readonly stages: Map<number, { readonly stage: Stage; readonly job: Job }>
  readonly executors: Map<string, { readonly start: number; end?: number; readonly cores: number }>
}

const wanted = /^\{"Event":"SparkListener(LogStart|ApplicationStart|ApplicationEnd|EnvironmentUpdate|JobStart|JobEnd|TaskEnd|ExecutorAdded|ExecutorRemoved)"/

class SparkLogs implements EventReader {
  #application: Application | undefined
  #nameless = 0
  readonly #counts = { attempts: 0, unfinished: 0, noTasks: 0, noExecutors: 0, parents: 0, profiles: 0 }

  constructor(private readonly options: SparkOptions) {}

  wants(start: string): boolean {
    return wanted.test(start)
  }

  mark(start: string): void {
    throw new BadLine(undefined, `found ${JSON.stringify(start.slice(0, 20))}, expected an event in JSON.`)
  }

  event(event: Fields, take: TakeJob): void {
    const kind = (event.text('Event') ?? '').slice('SparkListener'.length)
    if (kind === 'LogStart') return this.end(take)
    const app = (this.#application ??= { properties: {}, jobs: new Map(), stages: new Map(), executors: new Map() })
    if (kind === 'ApplicationStart') starts(app, event)
    else if (kind === 'EnvironmentUpdate') app.properties = (event.value('Spark Properties') ?? {})
    else if (kind === 'JobStart') jobStarts(app, event)
    else if (kind === 'TaskEnd') this.#taskEnds(app, event)
    else if (kind === 'JobEnd') this.#jobEnds(app, event, take)
    else if (kind === 'ExecutorAdded') app.executors.set(idOf(event), { start: timeOf(event, 'Timestamp'), cores: event.object('Executor Info')?.whole('Total Cores', 1) ?? 1 })
    else if (kind === 'ExecutorRemoved') executorEnds(app, idOf(event), timeOf(event, 'Timestamp'))
    else if (kind === 'ApplicationEnd') this.#applicationEnds(app, timeOf(event, 'Timestamp'), take)
  }

  end(take: TakeJob): void {
    const app = this.#application
    if (app !== undefined) this.#applicationEnds(app, undefined, take)
  }

  rules(): RuleCount[] {
    const { attempts, unfinished, noTasks, noExecutors, parents, profiles } = this.#counts
    return [
      { rule: 'attempts', jobs: attempts, text: 'attempts without success, or run again: left out' },
      { rule: 'unfinished', jobs: unfinished, text: 'without an end: left out' },
      { rule: 'noTasks', jobs: noTasks, text: 'of which no task ran: left out' },
      { rule: 'noExecutors', jobs: noExecutors, text: 'without an executor that was removed, or an end: left out' },
      { rule: 'parents', jobs: parents, text: 'of several stages whose dependencies the log does not tell (Spark 1.3): all at once' },
      { rule: 'profiles', jobs: profiles, text: 'with resource profiles of stages: all stages ask for what spark.task.cpus and spark.executor.* say' },
    ]
  }

  #taskEnds({ stages }: Application, event: Fields): void {
    const found = stages.get(event.whole('Stage ID') ?? -1)
    const info = event.object('Task Info')
    if (found === undefined || info === undefined) return
    const { stage, job } = found
    const launch = timeOf(info, 'Launch Time')
    job.launched = Math.min(job.launched ?? Infinity, launch)
    const succeeded = event.object('Task End Reason')?.text('Reason') === 'Success'
    const index = info.whole('Index') ?? 0
    if (!succeeded || stage.tasks.has(index)) this.#counts.attempts++
    if (!succeeded) return
    const finish = timeOf(info, 'Finish Time')
    if (finish < launch) throw info.bad('Finish Time', `it ends ${launch - finish} ms before it starts.`)
    stage.tasks.set(index, { seconds: (finish - launch) / 1000, host: info.text('Host') })
  }

  #jobEnds(app: Application, event: Fields, take: TakeJob): void {
    const job = app.jobs.get(event.whole('Job ID') ?? -1)
    if (job === undefined || this.options.unit !== 'jobs') return
    app.jobs.delete(job.id)
    const ran = job.stages.filter(({ tasks }) => tasks.size > 0).sort((a, b) => a.id - b.id)
    if (ran.length === 0) return void this.#counts.noTasks++
    if (ran.length > 1 && ran.some(({ parents }) => parents === undefined)) this.#counts.parents++
    if (ran.some(({ hasProfile }) => hasProfile)) this.#counts.profiles++
    const end = timeOf(event, 'Completion Time')
    const succeeded = event.object('Job Result')?.text('Result') === 'JobSucceeded'
    const demand = shareOfExecutor(app.properties, app.executors.values().next().value?.cores)
    take({
      ...this.#names(app),
      id: `${this.#idOf(app)}/${job.id}`,
      submit: job.submit,
      ...(job.pool !== undefined && { group: job.pool }),
      recorded: {
        ...(job.launched !== undefined && job.launched >= job.submit && { wait: (job.launched - job.submit) / 1000 }),
        ...(end >= job.submit && { runtime: (end - job.submit) / 1000 }),
        status: succeeded ? 'succeeded' : 'failed',
      },
      stages: ran.map((stage) => this.#stageOf(stage, ran, demand)),
    })
  }

  #stageOf({ id, parents, tasks }: Stage, ran: readonly Stage[], demand: Demand): StageSpec {
    const after = (parents ?? []).map((parent) => ran.findIndex((other) => other.id === parent)).filter((index) => index !== -1 && ran[index]!.id < id)
    const all = [...tasks.entries()].sort(([a], [b]) => a - b).map(([, task]) => task)
    const hosts = all.map(({ host }) => (host === undefined ? [] : [host]))
    return {
      name: `stage${id}`, tasks: all.length, demand,
      duration: all.every(({ seconds }) => seconds === all[0]!.seconds) ? all[0]!.seconds : all.map(({ seconds }) => seconds),
      ...(after.length > 0 && { after: after.map((stage) => ({ stage, fraction: 1 })) }),
      ...(this.options.hosts && (parents ?? []).length === 0 && { data: { hosts } }),
    }
  }

  #applicationEnds(app: Application, end: number | undefined, take: TakeJob): void {
    this.#application = undefined
    if (this.options.unit === 'jobs') return void (this.#counts.unfinished += app.jobs.size)
    if (end !== undefined) for (const id of app.executors.keys()) executorEnds(app, id, end)
    const held = [...app.executors.values()].flatMap(({ start, end: until, cores }) => (until === undefined ? [] : [{ start, seconds: Math.max(0, until - start) / 1000, cores }]))
    if (held.length === 0) return void this.#counts.noExecutors++
    const memory = memoryOf(app.properties)
    const sizes = [...new Set(held.map(({ cores }) => cores))]
    const first = held.reduce((least, { start }) => Math.min(least, start), Infinity)
    const submit = app.start ?? first
    take({
      ...this.#names(app),
      id: this.#idOf(app), submit,
      recorded: { ...(first >= submit && { wait: (first - submit) / 1000 }), ...(end !== undefined && end >= submit && { runtime: (end - submit) / 1000 }) },
      stages: sizes.map((cores, i): StageSpec => {
        const durations = held.filter((each) => each.cores === cores).map(({ seconds }) => seconds)
        return { name: i === 0 ? 'executors' : `executors${i + 1}`, tasks: durations.length, demand: { vcores: cores, 'memory-mb': memory }, duration: durations }
      }),
    })
  }

  #names({ name, user, properties }: Application): Pick<JobSpec, 'user' | 'queue' | 'application'> {
    return withoutUndefined({ user, queue: properties['spark.yarn.queue'], application: name })
  }

  #idOf(app: Application): string {
    return (app.id ??= app.properties['spark.app.id'] ?? `application-${++this.#nameless}`)
  }
}

function starts(app: Application, event: Fields): void {
  const attempt = event.text('App Attempt ID')
  const id = event.text('App ID')
  app.id = id !== undefined && attempt !== undefined && attempt !== '1' ? `${id}_${attempt}` : id
  app.name = event.text('App Name')
  app.user = event.text('User')
  app.start = timeOf(event, 'Timestamp')
}

function jobStarts(app: Application, event: Fields): void {
  const properties = event.object('Properties')
  const stages = event.list('Stage Infos').map((info): Stage => ({
    id: info.whole('Stage ID') ?? 0,
    parents: info.has('Parent IDs') ? info.texts('Parent IDs').map(Number) : undefined,
    hasProfile: (info.whole('Resource Profile Id') ?? 0) > 0,
    tasks: new Map(),
  }))
  if (!event.has('Submission Time')) throw new BadLine('Submission Time', 'is missing. Spark writes it from version 1.3 on.', 'Read logs of Spark 1.3 or later')
  const job: Job = {
    id: event.whole('Job ID') ?? 0,
    submit: timeOf(event, 'Submission Time'),
    stages: stages.filter(({ id }) => !app.stages.has(id)),
    pool: properties?.text('spark.scheduler.pool'),
  }
  app.jobs.set(job.id, job)
  for (const stage of job.stages) app.stages.set(stage.id, { stage, job })
}

function executorEnds({ executors }: Application, id: string, end: number): void {
  const executor = executors.get(id)
  if (executor !== undefined) executor.end ??= end
}

function idOf(event: Fields): string {
  const id = event.text('Executor ID')
  if (id === undefined) throw event.bad('Executor ID', 'is missing.')
  return id
}

function timeOf(fields: Fields, key: string): number {
  const time = fields.number(key)
  if (time === undefined) throw new BadLine(key, 'is missing.')
  return time
}
