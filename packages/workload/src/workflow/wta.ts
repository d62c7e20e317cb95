import * as z from '@sched/bundled/zod'
import type { Columns } from '../slurm/columns.js'
import { headerOf } from '../table/header-rows.js'
import type { RuleCount } from '../trace/facts.js'
import type { TraceFormat } from '../trace/format.js'
import { Demands, MILLI } from './demand.js'
import { amountIn, idsIn, millisIn, TaskRows, textIn, type TaskReader, type TaskRow } from './task-rows.js'

const wtaOptions = z.strictObject({
  scale: z
    .number()
    .positive()
    .max(1e9)
    .default(MILLI)
    .describe('Thousandths of a core (or of a GPU, by resource_type) per unit of resource_amount_requested; 10 if a trace counts hundredths of cores, like that of Alibaba 2018.'),
  memory: z.enum(['none', 'requested']).default('none').describe('Whether tasks ask for memory (mem): memory_requested, in the unit of the trace, rounded up.'),
})
type WtaOptions = z.output<typeof wtaOptions>

/**
 * The table `tasks` of a trace of the Workflow Trace Archive (schema 1.0, Parquet or CSV), with times in ms. The tasks of a workflow are stages of a
 * job, which is submitted with the first of them. A task asks for `cpu` in thousandths of a core, or for `gpu` if its `resource_type` says so.
 *
 * Deviations: a task waits for its parents but not for its own submission; sites, tables of states and data transfers, and times of I/O are not read.
 *
 * Source: Versluis et al., "The Workflow Trace Archive", IEEE TPDS 31(9), 2020; wta-tools, `objects/task.py`.
 */
export const wtaFormat: TraceFormat<typeof wtaOptions> = {
  name: 'wta',
  summary: 'tasks of the Workflow Trace Archive (Parquet, CSV)',
  source: 'Versluis et al., TPDS 2020',
  options: wtaOptions,
  isHeld: true,
  detect: (head) => isWta(new Set(headerOf(head))),
  create: (options, place) => new TaskRows(new WtaTasks(options), place),
}

/** Whether the columns are those of the table of tasks or of the table of workflows; for the latter the parser says that it is the wrong table. */
const isWta = (names: ReadonlySet<string>): boolean =>
  names.has('ts_submit') && names.has('id') && ((names.has('workflow_id') && names.has('runtime')) || (names.has('task_count') && names.has('critical_path_length')))

class WtaTasks implements TaskReader {
  readonly needed = ['workflow_id', 'id', 'ts_submit', 'runtime', 'parents', 'resource_amount_requested']
  readonly wayOut = 'Give the table of tasks (the directory tasks/schema-1.0), whose parents are lists of whole numbers.'
  readonly #demands = new Demands()
  readonly #counts = { demand: 0, memory: 0 }

  constructor(private readonly options: WtaOptions) {}

  workflow(columns: Columns): string {
    return textIn(columns, 'workflow_id')
  }

  task(columns: Columns): TaskRow {
    const id = textIn(columns, 'id')
    const [user, group] = ['user_id', 'group_id'].map((name) => columns.text(name)).map((text) => (text === '' || text === '-1' ? undefined : text))
    return {
      id, submit: millisIn(columns, 'ts_submit'),
      parents: idsIn(columns.text('parents'), 'parents'), children: idsIn(columns.text('children'), 'children'),
      stage: { name: `task${id}`, tasks: 1, demand: this.#demand(columns), duration: amountIn(columns, ['runtime']) / 1000 },
      job: { ...(user !== undefined && { user }), ...(group !== undefined && { group }) },
    }
  }

  rules(): RuleCount[] {
    const { demand, memory } = this.#counts
    return [
      { rule: 'demand', jobs: demand, text: 'tasks of unknown demand: given 1' },
      { rule: 'memory', jobs: memory, text: 'tasks of unknown memory: they ask for none' },
    ]
  }

  /** Demand of a task. Unknown amounts are -1 in the table. */
  #demand(columns: Columns): TaskRow['stage']['demand'] {
    const { scale, memory } = this.options
    const amount = amountIn(columns, ['resource_amount_requested'], -Infinity)
    if (!(amount > 0)) this.#counts.demand++
    const mem = memory === 'none' || columns.text('memory_requested') === '' ? -1 : amountIn(columns, ['memory_requested'], -Infinity)
    if (memory === 'requested' && !(mem > 0)) this.#counts.memory++
    const resource = /^gpu/i.test(columns.text('resource_type')) ? 'gpu' : 'cpu'
    return this.#demands.of({ [resource]: scale * (amount > 0 ? amount : 1), mem: Math.max(mem, 0) })!
  }
}
