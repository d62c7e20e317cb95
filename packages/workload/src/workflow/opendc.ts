import * as z from '@sched/bundled/zod'
import type { Columns } from '../slurm/columns.js'
import { headerOf } from '../table/header-rows.js'
import { BadLine, type TraceFormat } from '../trace/format.js'
import { Demands, MILLI } from './demand.js'
import { amountIn, fieldOf, idsIn, millisIn, TaskRows, textIn, type TaskReader, type TaskRow } from './task-rows.js'

const opendcOptions = z.strictObject({
  memory: z.enum(['none', 'requested']).default('requested').describe('Whether tasks ask for memory (mem): mem_capacity, in the unit of the trace (MB).'),
})

/** Names of columns, those of the current version first. */
const submits = ['submission_time', 'submissionTime', 'start_time', 'startTime']
const ends = ['stop_time', 'stopTime', 'end_time', 'endTime']
const cores = ['cpu_count', 'maxCores']
const memories = ['mem_capacity', 'requiredMemory']

/**
 * The table of tasks of OpenDC (`tasks.parquet`, earlier `meta.parquet`; Parquet or CSV). Every task is a job; tasks that are related as parents and
 * children are stages of one job. Times are in ms or dates. A task asks for `cpu` and `gpu` in thousandths and for `mem`, all the time that it runs.
 *
 * Deviations: the use of a task over time (`fragments.parquet`, `trace.parquet`), capacities in MHz, deadlines and deferral are not modelled.
 *
 * Source: OpenDC, documentation of the workload, and `TaskSchemas.kt`, `ResourceReadSupport.kt`.
 */
export const opendcFormat: TraceFormat<typeof opendcOptions> = {
  name: 'opendc',
  summary: 'tasks of the simulator OpenDC (Parquet, CSV)',
  source: 'OpenDC, documentation of the workload',
  options: opendcOptions,
  isHeld: true,
  detect: (head) => isOpendc(new Set(headerOf(head))),
  create: (options, place) => new TaskRows(new OpendcTasks(options.memory === 'requested'), place),
}

/** Whether the columns are those of the table of tasks or of the table of fragments; for the latter the parser says that it is the wrong table. */
function isOpendc(names: ReadonlySet<string>): boolean {
  const hasOne = (of: readonly string[]) => of.some((name) => names.has(name))
  return names.has('id') && hasOne(cores) && ((hasOne(submits) && hasOne(memories)) || (names.has('duration') && names.has('cpu_usage')))
}

class OpendcTasks implements TaskReader {
  readonly needed = ['id', submits, cores]
  readonly wayOut = 'Give the table of tasks (tasks.parquet, earlier meta.parquet), and not that of fragments.'
  readonly #demands = new Demands()

  constructor(private readonly asksMemory: boolean) {}

  task(columns: Columns): TaskRow {
    const id = textIn(columns, 'id')
    const submit = millisIn(columns, ...submits)
    const amounts = {
      cpu: MILLI * amountIn(columns, cores), gpu: columns.text('gpu_count') === ''
        ? 0
        : MILLI * amountIn(columns, ['gpu_count']), mem: this.asksMemory ? amountIn(columns, memories) : 0,
    }
    const demand = this.#demands.of(amounts)
    if (demand === undefined) throw new BadLine(undefined, 'a task asks for nothing.')
    const relatives = (name: string) => idsIn(columns.text(name), name)
    return { id, submit, parents: relatives('parents'), children: relatives('children'), stage: { name: `task${id}`, tasks: 1, demand, duration: this.#duration(columns, submit) } }
  }

  rules() {
    return []
  }

  notes(): string[] {
    return ['what tasks use from one moment to the next (fragments) is not modelled: a task asks for all its cores as long as it runs']
  }

  #duration(columns: Columns, submit: number): number {
    if (columns.has('duration')) return amountIn(columns, ['duration']) / 1000
    const end = millisIn(columns, ...ends)
    if (end < submit) throw new BadLine(fieldOf(columns, ends), `it ends ${submit - end} ms before it starts.`)
    return (end - submit) / 1000
  }
}
