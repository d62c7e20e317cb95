import { randomStream, type JobSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import type { RuleCount } from '../trace/facts.js'
import type { TraceFormat } from '../trace/format.js'
import { containerOptions, Stages, type Container } from './containers.js'
import { clusterNote, documentParser, type DocumentJobs } from './document-format.js'
import type { Fields } from '../json/fields.js'
import { sampleOf, sampleOfPair, weighted, type Sample } from './synth-samples.js'

const { demand, slowStart } = containerOptions.shape
const synthOptions = z.strictObject({
  seed: z.int().optional().describe('Seed of all random draws. Default: `rand_seed` of the file.'),
  timeUnit: z.enum(['s', 'ms']).default('s')
    .describe('Unit of the times of tasks: seconds, as the fields are documented, or milliseconds, as the simulator reads the same numbers.'),
  demand,
  slowStart,
})
type SynthOptions = z.output<typeof synthOptions>

/**
 * Settings of the job generator of YARN's scheduler load simulator (SLS, `--tracetype=SYNTH`): one JSON object with workloads, each with a queue,
 * classes of jobs and a distribution of submissions over time, in both forms that Hadoop has had. Jobs are drawn from the seed of the file: their
 * distributions are those of SLS, but the jobs differ, since the random number generators do.
 *
 * Deviations: the container of the application master is not run, and all containers are guaranteed ones; containers of type `stream` run once, for
 * their time. Negative values of a normal distribution become 0.
 *
 * Source: Apache Hadoop, hadoop-sls, `SynthTraceJobProducer`, `SynthJob`, `SynthUtils`.
 */
export const synthFormat: TraceFormat<typeof synthOptions> = {
  name: 'sls-synth',
  summary: 'settings of the job generator of YARN\'s scheduler load simulator (SLS SYNTH, JSON)',
  source: 'Apache Hadoop, hadoop-sls',
  options: synthOptions,
  isHeld: true,
  detect: (head) => /^\s*\{/.test(head) && /"workloads"\s*:/.test(head) && /"(job_classes|num_jobs)"\s*:/.test(head),
  create: (options, place) => documentParser(new SynthJobs(options), place, { perSecond: 1 }, 'trace'),
}

/** Most jobs, and most tasks of all jobs; more would be a mistake. */
const MOST = 10_000_000
/** Least memory of a container, in MiB, as in SLS. */
const LEAST_MEMORY = 1024

class SynthJobs implements DocumentJobs {
  readonly #stages: Stages
  readonly #counts = { opportunistic: 0, empty: 0 }
  #tasks = 0
  #cluster: string | undefined

  constructor(private readonly options: SynthOptions) {
    this.#stages = new Stages({ ...options, memory: LEAST_MEMORY, vcores: 1, hosts: false })
  }

  jobs(document: Fields): JobSpec[] {
    const next = randomStream(this.options.seed ?? document.whole('rand_seed', -Number.MAX_SAFE_INTEGER) ?? 0, 'sls-synth')
    const count = document.whole('num_jobs') ?? 0
    if (count === 0 || count > MOST) throw document.bad('num_jobs', count === 0 ? 'says that there is no job.' : `found ${count}, expected at most ${MOST}.`)
    const nodes = document.whole('num_nodes') ?? 0
    if (nodes > 0) this.#cluster = clusterNote(nodes, Math.ceil(nodes / Math.max(1, document.whole('nodes_per_rack') ?? 1)))
    const given = document.list('workloads')
    const workloads = given.map((each) => new SynthWorkload(each, next))
    const draw = weighted(document, 'workloads', given.map((each) => each.number('workload_weight') ?? 0), next)
    const submitted = Array.from({ length: count }, () => {
      const workload = workloads[draw()] as SynthWorkload
      return { workload, submit: workload.time() }
    })
    return submitted.sort((a, b) => a.submit - b.submit).flatMap((each, i) => this.#job(each, i, next) ?? [])
  }

  rules(): RuleCount[] {
    return [
      { rule: 'count', jobs: this.#counts.empty, text: 'without a task: left out' },
      { rule: 'execution_type', jobs: this.#counts.opportunistic, text: 'with containers that are not guaranteed: treated as if they were' },
    ]
  }

  notes(): string[] {
    return this.#cluster === undefined ? [] : [this.#cluster]
  }

  #job({ workload: { queue, jobClass }, submit }: { readonly workload: SynthWorkload; readonly submit: number }, i: number, next: () => number): JobSpec | undefined {
    const { name, user, tasks, duration, reservation, deadlineFactor, isOpportunistic } = jobClass()
    const deadline = next() <= reservation() ? submit + Math.ceil(deadlineFactor() * Math.round(duration())) : undefined
    const containers = tasks.flatMap((task) => this.#containers(task))
    if (containers.length === 0) return void this.#counts.empty++
    if (isOpportunistic) this.#counts.opportunistic++
    return {
      id: `${name}_${String(i).padStart(6, '0')}`,
      submit,
      user,
      ...(queue !== undefined && { queue }),
      class: name,
      ...(deadline !== undefined && deadline > submit && { deadline }),
      stages: this.#stages.of(containers),
    }
  }

  #containers({ type, count, time, memory, vcores, fields }: SynthTask): Container[] {
    const tasks = whole(count)
    if ((this.#tasks += tasks) > MOST) throw fields.bad('count', `${this.#tasks} tasks have been drawn, expected at most ${MOST} in all.`)
    const demand = this.options.demand === 'slots' ? undefined : { vcores: Math.max(1, whole(vcores)), 'memory-mb': Math.max(LEAST_MEMORY, whole(memory)) }
    const perSecond = this.options.timeUnit === 's' ? 1 : 1000
    return Array.from({ length: tasks }, () => ({ type, duration: whole(time) / perSecond, ...(demand !== undefined && { demand }) }))
  }
}

const whole = (sample: Sample) => Math.max(0, Math.round(sample()))

/** A workload: its queue, and how to draw the time and the class of a job. */
class SynthWorkload {
  readonly queue: string | undefined
  readonly time: () => number
  readonly jobClass: () => JobClass

  constructor(fields: Fields, next: () => number) {
    this.queue = fields.text('queue_name')
    this.time = timesOf(fields, next)
    const given = fields.list('job_classes')
    const classes = given.map((each, i) => jobClassOf(each, i, next))
    const draw = weighted(fields, 'job_classes', given.map((each) => each.number('class_weight') ?? 0), next)
    this.jobClass = () => classes[draw()] as JobClass
  }
}

/** Draws a time in whole seconds: a time of the distribution is drawn, and then one between it and the next; the last time stands for itself. */
function timesOf(fields: Fields, next: () => number): () => number {
  const given = fields.list('time_distribution')
  const times = given.map((each) => each.whole('time') ?? 0)
  const draw = weighted(fields, 'time_distribution', given.map((each) => each.number('weight') ?? 0), next)
  return () => {
    const bucket = draw()
    const start = times[bucket] as number
    return start + Math.floor(next() * Math.max(0, (times[bucket + 1] ?? start) - start))
  }
}

interface JobClass {
  readonly name: string
  readonly user: string
  readonly tasks: readonly SynthTask[]
  readonly duration: Sample
  readonly reservation: Sample
  readonly deadlineFactor: Sample
  readonly isOpportunistic: boolean
}

interface SynthTask {
  readonly type: string
  readonly count: Sample
  readonly time: Sample
  readonly memory: Sample
  readonly vcores: Sample
  readonly fields: Fields
}

function jobClassOf(fields: Fields, i: number, next: () => number): JobClass {
  const named = { name: fields.text('class_name') ?? `class_${i + 1}`, user: fields.text('user_name') ?? 'default' }
  const pair = (mean: string, deviation: string) => sampleOfPair(fields, mean, deviation, next)
  const isOpportunistic = (given: Fields, key: string) => (given.text(key) ?? 'GUARANTEED') !== 'GUARANTEED'
  if (fields.has('tasks')) {
    const tasks = fields.list('tasks')
    const optional = (key: string) => (fields.has(key) ? sampleOf(fields, key, next) : () => 0)
    return {
      ...named,
      tasks: tasks.map((task) => taskOf(task, next)),
      duration: optional('duration'), reservation: optional('reservation'), deadlineFactor: optional('deadline_factor'),
      isOpportunistic: tasks.some((task) => isOpportunistic(task, 'execution_type')),
    }
  }
  const chance = fields.number('chance_of_reservation') ?? 0
  const taskOfType = (type: string, letter: string): SynthTask => ({
    type, fields,
    count: pair(`${letter}tasks_avg`, `${letter}tasks_stddev`), time: pair(`${letter}time_avg`, `${letter}time_stddev`),
    memory: pair(`${type}_max_memory_avg`, `${type}_max_memory_stddev`), vcores: pair(`${type}_max_vcores_avg`, `${type}_max_vcores_stddev`),
  })
  return {
    ...named,
    tasks: [taskOfType('map', 'm'), taskOfType('reduce', 'r')],
    duration: pair('dur_avg', 'dur_stddev'), reservation: () => chance, deadlineFactor: pair('deadline_factor_avg', 'deadline_factor_stddev'),
    isOpportunistic: isOpportunistic(fields, 'map_execution_type') || isOpportunistic(fields, 'reduce_execution_type'),
  }
}

const taskOf = (fields: Fields, next: () => number): SynthTask => ({
  type: fields.text('type') ?? 'map', fields,
  count: sampleOf(fields, 'count', next), time: sampleOf(fields, 'time', next),
  memory: sampleOf(fields, 'max_memory', next), vcores: sampleOf(fields, 'max_vcores', next),
})
