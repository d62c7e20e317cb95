import type { JobSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import type { RuleCount } from '../trace/facts.js'
import type { TraceFormat } from '../trace/format.js'
import { containerOptions, nodeOf, Stages, type Container, type ContainerOptions } from './containers.js'
import { documentParser, type DocumentJobs } from './document-format.js'
import { hadoopJob, hadoopPriorities } from './hadoop-job.js'
import type { Fields } from '../json/fields.js'

const rumenOptions = z.strictObject({
  ...containerOptions.shape,
  jobMemory: z.boolean().default(false)
    .describe('Whether a task asks for the memory of its job (jobMapMB, jobReduceMB). Otherwise it asks for that of a container, as in YARN\'s SLS.'),
})

/**
 * Jobs that Rumen extracted from Hadoop's history: consecutive JSON objects, with times in ms since 1970. As in YARN's SLS, a task runs as long as
 * its last attempt did; a task without attempts runs from its own start to its end, and a task without any of these is left out. A job without a
 * submit time is submitted when it was launched or its first task started. Repeated ids are numbered: `<id>#2`, `<id>#3`, ...
 *
 * Source: Apache Hadoop, hadoop-rumen, `LoggedJob`; hadoop-sls, `SLSRunner`.
 */
export const rumenFormat: TraceFormat<typeof rumenOptions> = {
  name: 'rumen',
  summary: 'jobs of Hadoop\'s history as Rumen writes them (JSON)',
  source: 'Apache Hadoop, hadoop-rumen',
  options: rumenOptions,
  isHeld: true,
  detect: (head) => /^[\s[]*\{/.test(head) && /"jobID"\s*:/i.test(head) && /"(mapTasks|submitTime|jobMapreduceVersion|totalMaps)"\s*:/.test(head),
  create: (options, place) => documentParser(new RumenJobs(options), place, { perSecond: 1000, renames: true }),
}

class RumenJobs implements DocumentJobs {
  readonly #stages: Stages
  #unknown = 0
  #unsubmitted = 0

  constructor(private readonly options: ContainerOptions & { readonly jobMemory: boolean }) {
    this.#stages = new Stages(options)
  }

  jobs(document: Fields): JobSpec[] {
    const id = document.text('jobID')
    if (id === undefined) throw document.bad('jobID', 'is missing.')
    const tasks = [...document.list('mapTasks').map((task) => ['map', task] as const), ...document.list('reduceTasks').map((task) => ['reduce', task] as const)]
    if (tasks.length === 0) throw document.bad('mapTasks', 'is empty, and so is reduceTasks.')
    const containers = tasks.flatMap(([type, task]) => this.#container(type, task, document))
    if (containers.length === 0) throw document.bad('mapTasks', 'has no task of known run time.')
    const submit = this.#submitOf(document, tasks.map(([, task]) => task))
    const [end, queue, user, name, status] = [timeOf(document, 'finishTime'), document.text('queue'), document.text('user'), document.text('jobName'), document.text('outcome')]
    const priority = hadoopPriorities[document.text('priority') ?? 'NORMAL']
    if (priority === undefined) throw document.bad('priority', `found ${JSON.stringify(document.text('priority'))}, expected one of ${Object.keys(hadoopPriorities).join(', ')}.`)
    return [hadoopJob({ id, submit, end, user, queue, name, priority, status, stages: this.#stages.of(containers) })]
  }

  rules(): RuleCount[] {
    return [
      { rule: 'unknownRuntime', jobs: this.#unknown, text: 'with tasks of unknown run time: these are left out' },
      { rule: 'submitTime', jobs: this.#unsubmitted, text: 'without submission time: submitted when launched or when the first task started' },
    ]
  }

  #container(type: string, task: Fields, job: Fields): Container[] {
    const attempt = task.list('attempts').at(-1)
    const run = attempt === undefined ? undefined : spanOf(attempt)
    const duration = run ?? spanOf(task)
    if (duration === undefined) {
      this.#unknown++
      return []
    }
    const memory = !this.options.jobMemory ? -1 : job.number(type === 'map' ? 'jobMapMB' : 'jobReduceMB', -1) ?? -1
    return [{ type, duration, host: nodeOf(attempt?.text('hostName')), ...(memory > 0 && { demand: { 'memory-mb': memory } }) }]
  }

  #submitOf(document: Fields, tasks: readonly Fields[]): number {
    const submit = timeOf(document, 'submitTime')
    if (submit !== undefined) return submit
    const starts = tasks.flatMap((task) => timeOf(task, 'startTime') ?? [])
    const known = timeOf(document, 'launchTime') ?? (starts.length === 0 ? undefined : starts.reduce((a, b) => Math.min(a, b)))
    if (known === undefined) throw document.bad('submitTime', 'is missing, and so are launchTime and the start of every task.')
    this.#unsubmitted++
    return known
  }
}

/** Milliseconds since 1970; `undefined` if absent or -1, which Rumen writes for an unknown time. */
function timeOf(fields: Fields, key: string): number | undefined {
  const time = fields.number(key, -1)
  return time === undefined || time < 0 ? undefined : time
}

/** Seconds from start to finish; `undefined` if one of them is unknown. */
function spanOf(fields: Fields): number | undefined {
  const [start, finish] = [timeOf(fields, 'startTime'), timeOf(fields, 'finishTime')]
  if (start === undefined || finish === undefined) return undefined
  if (finish < start) throw fields.bad('finishTime', `it ends ${start - finish} ms before it starts.`)
  return (finish - start) / 1000
}
