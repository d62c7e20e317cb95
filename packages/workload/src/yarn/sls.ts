import type { Constraints, JobSpec } from '@sched/core'
import type { RuleCount } from '../trace/facts.js'
import type { TraceFormat } from '../trace/format.js'
import { containerOptions, nodeOf, Stages, type Container, type ContainerOptions } from './containers.js'
import { clusterNote, documentParser, type DocumentJobs } from './document-format.js'
import type { Fields } from '../json/fields.js'

/**
 * Jobs of YARN's scheduler load simulator (SLS) in its own JSON: consecutive objects. A container runs for `container.duration.ms`, `duration.ms`, or
 * from `container.start.ms` to `container.end.ms`; its amounts are `container.memory-mb`, `container.vcores` and any other `container.<resource>`
 * with a whole number. A job with a label expression requires nodes of that partition. An object with `num.nodes` describes the cluster, which is
 * reported in a note.
 *
 * Deviations from SLS: the container of the application master is not run, and delays of requests are ignored.
 *
 * Source: Apache Hadoop, hadoop-sls, `SLSConfiguration`, `AMDefinitionSLS`, `MRAMSimulator`.
 */
export const slsFormat: TraceFormat<typeof containerOptions> = {
  name: 'sls',
  summary: 'jobs of YARN\'s scheduler load simulator (SLS, JSON)',
  source: 'Apache Hadoop, hadoop-sls',
  options: containerOptions,
  isHeld: true,
  detect: (head) => /^[\s[]*\{/.test(head) && /"job\.(tasks|start\.ms|queue\.name)"\s*:/.test(head),
  create: (options, place) => documentParser(new SlsJobs(options), place, { perSecond: 1000 }),
}

/** Keys of a container that are not resources. */
const notResources = new Set(['host', 'start.ms', 'end.ms', 'duration.ms', 'priority', 'type', 'execution.type', 'allocation.id', 'request.delay', 'request.delay.ms', 'count'])

class SlsJobs implements DocumentJobs {
  readonly #stages: Stages
  #read = 0
  #delayed = 0
  #cluster: string | undefined

  constructor(options: ContainerOptions) {
    this.#stages = new Stages(options)
  }

  jobs(document: Fields): JobSpec[] {
    const nodes = document.whole('num.nodes')
    if (nodes !== undefined && !document.has('job.tasks')) {
      this.#cluster = clusterNote(nodes, document.whole('num.racks') ?? 1)
      return []
    }
    const count = Math.max(1, document.whole('job.count') ?? 1)
    const id = document.text('job.id') ?? `job_${this.#read + 1}`
    const queue = document.text('job.queue.name')
    const start = document.number('job.start.ms') ?? 0
    const end = document.number('job.end.ms')
    const tasks = document.list('job.tasks')
    if (tasks.length === 0) throw document.bad('job.tasks', document.has('job.tasks') ? 'is empty.' : 'is missing.', 'Give every job a container')
    const label = document.text('job.label.expression')
    const constraints: Constraints | undefined = label === undefined ? undefined : { require: { partition: label } }
    const stages = this.#stages.of(tasks.flatMap((task) => this.#containers(task)), constraints)
    const user = document.text('job.user') ?? 'default'
    this.#read += count
    return Array.from({ length: count }, (_, i): JobSpec => ({
      id: count === 1 ? id : `${id}-${i + 1}`,
      submit: start,
      user,
      ...(queue !== undefined && { queue }),
      ...(end !== undefined && end >= start && { recorded: { runtime: (end - start) / 1000 } }),
      stages,
    }))
  }

  rules(): RuleCount[] {
    return [{ rule: 'request.delay', jobs: this.#delayed, text: 'with containers asked for later: all are asked for at once' }]
  }

  notes(): string[] {
    return this.#cluster === undefined ? [] : [this.#cluster]
  }

  #containers(task: Fields): Container[] {
    const duration = durationOf(task)
    const type = task.text('container.type') ?? 'map'
    if ((task.number('container.request.delay') ?? task.number('container.request.delay.ms') ?? 0) > 0) this.#delayed++
    const container: Container = { type, duration, demand: inMegabytes(task.amounts('container.', notResources)), host: nodeOf(task.text('container.host')) }
    return Array.from({ length: Math.max(1, task.whole('count') ?? task.whole('container.count') ?? 1) }, () => container)
  }
}

/** Renames the memory of a container, which older inputs call `container.memory`. */
const inMegabytes = ({ memory, ...others }: Record<string, number>): Record<string, number> => (memory === undefined ? others : { 'memory-mb': memory, ...others })

/** Run time of a container in seconds. */
function durationOf(task: Fields): number {
  const own = task.number('container.duration.ms') ?? task.number('duration.ms')
  if (own !== undefined) return own / 1000
  const [start, end] = [task.number('container.start.ms'), task.number('container.end.ms')]
  if (start === undefined || end === undefined)
    throw task.bad(start === undefined ? 'container.start.ms' : 'container.end.ms', 'is missing.', 'Give a container a start and an end, or container.duration.ms')
  if (end < start) throw task.bad('container.end.ms', `the container ends ${start - end} ms before it starts.`)
  return (end - start) / 1000
}
