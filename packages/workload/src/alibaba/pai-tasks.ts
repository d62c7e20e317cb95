import type { Demand, StageSpec } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { numberIn } from '../job-table/values.js'
import type { RuleCount } from '../trace/facts.js'
import { BadLine, type TraceFormat } from '../trace/format.js'
import { demandOption } from './machine-parts.js'
import { roundUp } from './round-up.js'
import { isTable, statusOption, TaskTable, type TaskAsks, type TaskColumns } from './task-table.js'

const columns: TaskColumns = {
  names: ['job name', 'task name', 'number of instances', 'status', 'start time', 'end time', 'CPU', 'memory', 'GPU', 'GPU type'],
  job: 0, task: 1, instances: 2, status: 3, start: 4, end: 5, outside: '',
  isHeader: (line) => /^\s*job_name\s*,\s*task_name\s*,\s*inst_num\s*,/.test(line),
  isRow: (fields) => /^[A-Z][a-z]+$/.test(fields[3]!) && /^\d+(\.0*)?$/.test(fields[2]!) && [4, 5, 6, 7, 8].every((i) => /^(\d+(\.\d*)?)?$/.test(fields[i]!)),
}
const paiOptions = z.strictObject({
  status: statusOption,
  demand: demandOption(600, 30_000, 'MiB'),
  gang: z.boolean().default(true).describe('Whether the instances of a task start together.'),
  gpuType: z.enum(['ignore', 'require']).default('ignore').describe('What to do with the type of GPU that a task was given: ignore it, or require it as the label `model` of a node.'),
})
type PaiOptions = z.output<typeof paiOptions>

/**
 * The table `pai_task_table` of Alibaba's GPU trace of 2020 (PAI), with or without a header: ten columns. The tasks of a job (workers, parameter
 * servers, ...) are its stages, submitted when the first of them started, since the table has no submissions. An instance asks for `cpu` (1/100
 * core), `mem` (MiB) and `gpu` (thousandths of devices: a share of one or whole ones).
 *
 * Deviations: an instance runs as long as its whole task did. Tasks of a job start independently of each other.
 *
 * Source: Weng et al., "MLaaS in the Wild", NSDI 2022.
 */
export const paiFormat: TraceFormat<typeof paiOptions> = {
  name: 'pai',
  summary: 'tasks of Alibaba\'s GPU trace of 2020, PAI (CSV)',
  source: 'Weng et al., NSDI 2022',
  options: paiOptions,
  isHeld: true,
  detect: (head) => isTable(columns, head),
  create: (options, place) => new TaskTable(columns, { stages: (rows) => rows.map(({ stage }) => stage), rules: () => [] }, new PaiAsks(options), options, place),
}

const DEVICE = 1000
const MIB = 1024

class PaiAsks implements TaskAsks {
  readonly #demands = new Map<string, Demand>()
  #unsaid = 0
  #parts = 0

  constructor(private readonly options: PaiOptions) {}

  of([, , instances, , , , cpu, memory, gpu, type]: readonly string[]): Pick<StageSpec, 'demand' | 'gang' | 'constraints'> {
    const { demand, gang, gpuType } = this.options
    if (cpu === '' || memory === '') this.#unsaid++
    const asked = {
      cpu: cpu === '' ? demand.cpu : Math.ceil(numberIn(cpu!, 'CPU', 0)),
      mem: memory === '' ? demand.mem : roundUp(numberIn(memory!, 'memory', 0) * MIB),
      gpu: this.#gpu(gpu === '' ? 0 : roundUp(numberIn(gpu!, 'GPU', 0) * 10)),
    }
    if (asked.cpu + asked.mem + asked.gpu > Number.MAX_SAFE_INTEGER)
      throw new BadLine(
        asked.gpu > asked.mem ? 'GPU' : 'memory',
        `found ${JSON.stringify(asked.gpu > asked.mem ? gpu : memory)}, more than any machine has.`,
      )
    if (asked.cpu + asked.mem + asked.gpu === 0) throw new BadLine(undefined, 'an instance asks for nothing.')
    const key = `${asked.cpu} ${asked.mem} ${asked.gpu}`
    const known = this.#demands.get(key) ?? { ...(asked.cpu > 0 && { cpu: asked.cpu }), ...(asked.mem > 0 && { mem: asked.mem }), ...(asked.gpu > 0 && { gpu: asked.gpu }) }
    this.#demands.set(key, known)
    return {
      demand: known,
      ...(gang && Number(instances) > 1 && { gang }),
      ...(gpuType === 'require' && asked.gpu > 0 && type !== '' && { constraints: { require: { model: type! } } }),
    }
  }

  rules(): RuleCount[] {
    return [
      { rule: 'demand', jobs: this.#unsaid, text: 'tasks of unknown demand: given the default' },
      { rule: 'gpu', jobs: this.#parts, text: 'tasks with a share of several GPUs: given whole ones' },
    ]
  }

  /** Thousandths of GPUs; more than one GPU is rounded up to whole ones. */
  #gpu(milli: number): number {
    if (milli <= DEVICE || milli % DEVICE === 0) return milli
    this.#parts++
    return Math.ceil(milli / DEVICE) * DEVICE
  }
}
