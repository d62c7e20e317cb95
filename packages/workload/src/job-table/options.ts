import * as z from '@sched/bundled/zod'
import { separators } from '../table/separators.js'

const name = z.string().min(1)
const spanUnits = ['s', 'ms', 'us', 'ns', 'min', 'h', 'd'] as const
const units = [...spanUnits, 'iso'] as const

const amount = {
  column: name.describe('Name of the column.'),
  scale: z
    .number()
    .positive()
    .default(1)
    .describe('Amount per unit of the column, for example 1000 for cores that are asked as millicores; results are rounded to whole numbers, to at least 1 where more than 0 is asked. Quantities as Kubernetes writes them (500m, 64Gi) are read as numbers first: 0.5, 68719476736.'),
  key: name.optional().describe('Name of the amount in a list such as cpu=4,mem=8G,gres/gpu=2 (the TRES of Slurm); absent there, it is none.'),
}
/** The amount of a resource in a row: the name of a column, or how to compute the amount from it. */
export const amountColumn = z.union([name, z.strictObject(amount)])

const demandColumn = z.union([
  name,
  z.strictObject({ ...amount, total: z.boolean().default(false).describe('The column is of the whole job, not of one task: it is divided by the number of tasks, rounded up.') }),
])

/** How to read the lines of any table. */
export const rowOptions = {
  where: z.record(name, z.union([z.string(), z.number(), z.array(z.union([z.string(), z.number()])).min(1)])).optional()
    .describe('Rows to read, by column: those with this value, or with one of these; the others are left out and counted.'),
  names: z.array(name).min(1).optional().describe('Names of the columns, in their order, of a table without a header line.'),
  separator: z.enum(separators).optional().describe('What separates the fields of a line; default: what the first line has.'),
}

/** Which column has which meaning. Columns that are not named here are read only if they are called by their meaning. */
const columnsSchema = z.strictObject({
  submit: name.optional().describe('Submission (required, by default a column of that name).'),
  duration: name.optional().describe('Run time of a task; or else `start` and `end`.'),
  start: name.optional().describe('Start, for the run time and the recorded wait.'),
  end: name.optional().describe('End, for the run time.'),
  id: name.optional().describe('Default: job-<number of the row>.'),
  tasks: name.optional().describe('Number of tasks; default 1.'),
  user: name.optional(),
  queue: name.optional(),
  group: name.optional(),
  account: name.optional(),
  partition: name.optional(),
  qos: name.optional(),
  priority: name.optional().describe('Larger is more important.'),
  weight: name.optional(),
  estimate: name.optional().describe('The user\'s estimate of the run time.'),
  deadline: name.optional().describe('A time like `submit`.'),
  gang: name.optional().describe('Whether all tasks start together: true, false, yes, no, 1 or 0.'),
  exclusive: name.optional().describe('Whether it has its nodes for itself (--exclusive), under the queues of a slurm.conf: true, false, yes, no, 1 or 0; or user: shared with jobs of its user alone, under replan with named nodes.'),
  min_tasks: name.optional().describe('Of a gang, the fewest tasks that start together and run on.'),
  tolerations: name.optional()
    .describe('Taints of nodes that do not keep its tasks off, with | between them: gpu=present:NoSchedule; gpu: of that key; *: all.'),
  class: name.optional(),
  label: name.optional(),
  status: name.optional().describe('How the job ended.'),
  application: name.optional().describe('What was run: jobs of the same one are alike.'),
  recorded_runtime: name.optional().describe('Run time in the log, where `duration` is another one: cut at an estimate, say.'),
  recorded_cpu_time: name.optional().describe('CPU time of each of its processors in the mean, seconds.'),
  recorded_mem: name.optional().describe('Memory that it used, MiB for each of its processors in the mean.'),
})

/** How the rows of a table become jobs. */
export const jobTableOptions = z.strictObject({
  columns: columnsSchema.optional().describe('Names of the table\'s columns by their meaning; a column that is called by its meaning need not be named.'),
  demands: z.record(name, demandColumn).optional().describe('Amounts per task by resource: the name of a column, or { column, scale, total }.'),
  defaults: z.strictObject({
    demand: z.record(name, z.int().min(0)).optional().describe('Amounts per task of resources that no column names, or that are empty in a row.'),
    duration: z.number().min(0).optional().describe('Run time where the column is empty, seconds.'),
    tasks: z.int().min(1).optional(),
    user: name.optional(),
    queue: name.optional(),
    priority: z.number().optional(),
    gang: z.boolean().optional(),
  }).optional().describe('What holds where a row says nothing.'),
  where: rowOptions.where,
  repeatedIds: z.enum(['fail', 'number']).optional().describe('An id that comes again is a mistake (fail, the default), or called <id>#2, <id>#3, ...'),
  time: z.strictObject({
    submit: z.enum(units).optional().describe('Unit of submit, start, end and deadline: s, ms, us, ns, min, h, d, or iso for dates; default: seconds for numbers, dates as dates.'),
    duration: z.enum(spanUnits).default('s').describe('Unit of duration; hh:mm:ss is read as such.'),
    estimate: z.enum(spanUnits).optional().describe('Unit of estimate; default: that of duration.'),
    dates: z.enum(['dmy', 'mdy']).optional().describe('Order of dates with the year last, for example 31/01/2024 10:00 or 31.1.2024 (dmy), 01/31/2024 10:00 AM (mdy).'),
    origin: z.enum(['first', 'trace']).default('first').describe('Where time 0 is: at the first submission, or at 0 of the table.'),
  }).optional(),
  names: rowOptions.names,
  zeroEstimate: z.enum(['none', 'keep']).optional().describe('An estimate of 0 is none, as a limit of 0 is (none, the default), or 0 seconds (keep).'),
  separator: rowOptions.separator,
  require: z.record(name, z.union([name, z.strictObject({ column: name, split: z.string().default('|') })])).optional()
    .describe('Labels that nodes must have, by label: the column with the value, or with several that | or `split` separates.'),
})
/** Options of a job table, checked. */
export type JobTableOptions = z.output<typeof jobTableOptions>

/** The options with defaults for absent groups. */
export function completed(options: JobTableOptions) {
  const { columns = {}, demands = {}, require = {}, defaults = {}, where, time = { duration: 's' as const, origin: 'first' as const } } = options
  return { ...options, columns, demands, require, defaults, where: valuesAsked(where), time }
}

/** The columns of option `where`, each with the values that are read. */
export const valuesAsked = (where: JobTableOptions['where'] = {}) => Object.entries(where).map(([column, values]) => [column, [values].flat().map(String)] as const)
