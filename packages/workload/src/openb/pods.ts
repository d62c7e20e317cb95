import { SchedError, type Constraints, type Demand, type JobSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import type { Columns } from '../slurm/columns.js'
import { headerOf, HeaderRows, wholeOf } from '../table/header-rows.js'
import { heldParser, type RowReader } from '../table/held-jobs.js'
import type { RuleCount } from '../trace/facts.js'
import { BadLine, type LinePlace, type TraceFormat } from '../trace/format.js'

const needed = ['name', 'cpu_milli', 'num_gpu', 'gpu_milli']
const MEMORY = 'memory_mib'
const times = ['creation_time', 'deletion_time']
const WHOLE = 1000

/** How pods of Alibaba's GPU cluster become jobs. */
export const openbOptions = z.strictObject({
  unscheduled: z.enum(['keep', 'skip']).default('keep')
    .describe('What to do with a pod that was never placed in the real cluster: keep it, with a run from creation to deletion, or skip it.'),
  gpuSpec: z.enum(['require', 'ignore']).default('require').describe('What to do with allowed GPU models (gpu_spec): require them as the label `model` of a node, or ignore them.'),
  queue: z.enum(['qos', 'none']).default('qos').describe('What names the queue of a pod: its class of service (qos), or nothing (none).'),
  lifetime: z.number().positive().optional().describe('Seconds that a pod runs in a list without times, as lists for other mixes of pods are.'),
  arrivals: z.number().min(0).default(1).describe('Seconds from one pod to the next in a list without times.'),
})
type OpenbOptions = z.output<typeof openbOptions>

/**
 * Pods of Alibaba's GPU cluster of 2023 (`openb_pod_list_*.csv`): one task each, which asks for `cpu` (millicores), `mem` (MiB) and `gpu`
 * (thousandths of devices: a share of one or whole ones). A pod runs from scheduling to deletion; times count from 0 of the trace. Its recorded wait
 * and status are kept. Pods in lists without memory, as the authors' simulator has them, ask for none.
 *
 * Source: Weng et al., "Beware of Fragmentation", USENIX ATC 2023.
 */
export const openbFormat: TraceFormat<typeof openbOptions> = {
  name: 'openb',
  summary: 'pods of Alibaba\'s GPU cluster 2023 (CSV)',
  source: 'Weng et al., USENIX ATC 2023',
  options: openbOptions,
  isHeld: true,
  detect: (head) => ['cpu_milli', 'num_gpu', 'gpu_milli'].every((name) => headerOf(head).includes(name)),
  create: (options, place) => heldParser(new Pods(options, place), place, 'trace'),
}

class Pods implements RowReader {
  readonly #rows: HeaderRows
  /** Pods that ask for the same share one object; the same goes for their allowed models. */
  readonly #demands = new Map<string, Demand>()
  readonly #constraints = new Map<string, Constraints>()
  #unscheduled = 0
  #withoutMemory = 0
  #read = 0

  constructor(private readonly options: OpenbOptions, place: LinePlace) {
    this.#rows = new HeaderRows(place, needed, `A list of pods has ${[...needed.slice(0, 2), MEMORY, ...needed.slice(2), ...times].join(', ')}.`)
  }

  job(bytes: Uint8Array, from: number, to: number): JobSpec | undefined {
    const row = this.#rows.row(bytes, from, to)
    if (row === undefined) return undefined
    const id = row.text('name')
    if (id === '') throw new BadLine('name', 'is empty.')
    if (!times.some((name) => row.has(name))) return this.#timeless(row, id)
    const created = known(row, 'creation_time')
    const scheduled = row.number('scheduled_time')
    const isScheduled = !Number.isNaN(scheduled)
    if (!isScheduled && this.#countUnscheduled() === 'skip') return undefined
    const start = isScheduled ? scheduled : created
    const duration = known(row, 'deletion_time') - start
    if (duration < 0) throw new BadLine('deletion_time', `the pod is deleted ${-duration} s before it is ${isScheduled ? 'scheduled' : 'created'}.`)
    if (start < created) throw new BadLine('scheduled_time', `the pod is scheduled ${created - start} s before it is created.`)
    const qos = row.text('qos')
    const status = row.text('pod_phase').toLowerCase()
    return {
      id,
      submit: created,
      ...(this.options.queue === 'qos' && qos !== '' && { queue: qos }),
      ...(qos !== '' && { label: qos }),
      recorded: { ...(isScheduled && { wait: start - created }), ...(status !== '' && { status }) },
      stages: [{ name: 'pod', tasks: 1, demand: this.#demandOf(row), duration, ...this.#constraintsOf(row) }],
    }
  }

  /** The job of a pod in a list without times: such lists, with other mixes of pods than the trace, give only the order of arrival. */
  #timeless(row: Columns, id: string): JobSpec {
    const { lifetime, arrivals } = this.options
    if (lifetime === undefined)
      throw new SchedError(
        'BAD_OPTION',
        'the pods of the list have no times.',
        { field: 'openb.lifetime' },
        'Give lifetime, the seconds that a pod runs, and arrivals, those between two pods (default 1).',
      )
    const qos = row.text('qos')
    return {
      id,
      submit: this.#read++ * arrivals,
      ...(this.options.queue === 'qos' && qos !== '' && { queue: qos }),
      ...(qos !== '' && { label: qos }),
      stages: [{ name: 'pod', tasks: 1, demand: this.#demandOf(row), duration: lifetime, ...this.#constraintsOf(row) }],
    }
  }

  rules(): RuleCount[] {
    const { unscheduled } = this.options
    return [
      { rule: 'unscheduled', jobs: this.#unscheduled, text: unscheduled === 'skip' ? 'never placed: left out' : 'never placed: run from creation to deletion' },
      { rule: 'memory', jobs: this.#withoutMemory, text: 'of a list without memory: none asked for' },
    ]
  }

  #countUnscheduled(): OpenbOptions['unscheduled'] {
    this.#unscheduled++
    return this.options.unscheduled
  }

  #demandOf(row: Columns): Demand {
    const cpu = wholeOf(row, 'cpu_milli')
    const hasMemory = row.has(MEMORY)
    if (!hasMemory) this.#withoutMemory++
    const mem = hasMemory ? wholeOf(row, MEMORY) : 0
    const gpu = gpuOf(wholeOf(row, 'num_gpu', 1000), wholeOf(row, 'gpu_milli'))
    if (cpu + mem + gpu === 0) throw new BadLine(undefined, 'the pod asks for nothing.')
    const key = `${cpu} ${mem} ${gpu}`
    const demand = this.#demands.get(key) ?? { ...(cpu > 0 && { cpu }), ...(mem > 0 && { mem }), ...(gpu > 0 && { gpu }) }
    this.#demands.set(key, demand)
    return demand
  }

  #constraintsOf(row: Columns): { readonly constraints?: Constraints } {
    const spec = row.text('gpu_spec')
    if (spec === '' || this.options.gpuSpec === 'ignore') return {}
    const constraints = this.#constraints.get(spec) ?? { require: { model: spec.split('|').map((model) => model.trim()).filter((model) => model !== '') } }
    this.#constraints.set(spec, constraints)
    return { constraints }
  }
}

/** A time that must be present. Throws `BadLine`. */
function known(row: Columns, name: string): number {
  const value = row.has(name) ? row.number(name) : NaN
  if (Number.isNaN(value)) throw new BadLine(name, 'is empty.')
  return value
}

/** Thousandths of devices that a pod asks for. Throws `BadLine`. */
function gpuOf(count: number, each: number): number {
  if (count === 0) {
    if (each > 0) throw new BadLine('gpu_milli', `found ${each}, and num_gpu is 0.`)
    return 0
  }
  if (each === 0 || each > WHOLE) throw new BadLine('gpu_milli', `found ${each}, expected 1 to ${WHOLE} of each GPU.`)
  if (count > 1 && each < WHOLE) throw new BadLine('gpu_milli', `found ${each} for each of ${count} GPUs; only a single GPU can be shared.`)
  return count * each
}
