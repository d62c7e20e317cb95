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
    .describe('Amount per unit of the column, for example 1000 for cores if the resource counts millicores. Results are rounded to whole numbers, and to at least 1 if above 0. Quantities in the notation of Kubernetes (500m, 64Gi) are first read as numbers: 0.5, 68719476736.'),
  key: name.optional().describe('Name of the amount in a list such as cpu=4,mem=8G,gres/gpu=2 (the TRES of Slurm). If the list does not contain it, the amount is unknown.'),
}
/** The amount of a resource in a row: the name of a column, or how to compute the amount from it. */
export const amountColumn = z.union([name, z.strictObject(amount)])

const demandColumn = z.union([
  name,
  z.strictObject({
    ...amount,
    total: z.boolean().default(false).describe('Whether the column is for the whole job, not for one task: it is divided by the number of tasks, and rounded up.'),
    whole: z.boolean().default(false).describe('Whether no task gets a part of what the column counts, as of GPUs that are not shared: the number is rounded up before `scale`.'),
  }),
])

/** How to read the lines of any table. */
export const rowOptions = {
  where: z.record(name, z.union([z.string(), z.number(), z.array(z.union([z.string(), z.number()])).min(1)])).optional()
    .describe('Rows to read, by column: those with this value, or with one of these values. Other rows are left out and counted.'),
  names: z.array(name).min(1).optional().describe('Names of the columns in order, for a table without a header line.'),
  separator: z.enum(separators).optional().describe('Separator of the fields of a line. Default: the one that the first line contains.'),
}

/** Which column has which meaning. Columns that are not named here are read only if they are called by their meaning. */
const columnsSchema = z.strictObject({
  submit: name.optional().describe('Submit time (required; default: a column with that name).'),
  duration: name.optional().describe('Run time of a task; instead of it `start` and `end`.'),
  start: name.optional().describe('Start time, for the run time and the recorded wait.'),
  end: name.optional().describe('End time, for the run time.'),
  id: name.optional().describe('Name of the job. Default: job-<number of the row>.'),
  tasks: name.optional().describe('Number of tasks. Default 1.'),
  user: name.optional(),
  queue: name.optional(),
  group: name.optional(),
  account: name.optional(),
  partition: name.optional(),
  qos: name.optional(),
  priority: name.optional().describe('Larger is more important.'),
  weight: name.optional(),
  estimate: name.optional().describe('Estimate of the run time by the user.'),
  deadline: name.optional().describe('Time by which the job should have ended, given like `submit`.'),
  gang: name.optional().describe('Whether all tasks start together: true, false, yes, no, 1 or 0.'),
  exclusive: name.optional().describe('Whether the job has its nodes to itself (--exclusive): true, false, yes, no, 1 or 0; user: it shares them only with jobs of its user. true needs the queues of a slurm.conf, user needs replan with named nodes.'),
  reservation: name.optional().describe('Reservation of nodes in which it runs (--reservation), under replan with reservations.'),
  min_tasks: name.optional().describe('For a gang, the fewest tasks that start together and keep running.'),
  tolerations: name.optional()
    .describe('Taints of nodes that its tasks tolerate, separated by |: gpu=present:NoSchedule; gpu (any taint with that key); * (all).'),
  class: name.optional(),
  label: name.optional(),
  status: name.optional().describe('How the job ended.'),
  application: name.optional().describe('Program that was run; jobs of the same application are alike.'),
  recorded_runtime: name.optional().describe('Run time in the log, if `duration` is another one, for example cut at an estimate.'),
  recorded_cpu_time: name.optional().describe('Mean CPU time per processor, seconds.'),
  recorded_mem: name.optional().describe('Mean memory used per processor, MiB.'),
})

/** How the rows of a table become jobs. */
export const jobTableOptions = z.strictObject({
  columns: columnsSchema.optional().describe('Names of the table\'s columns by meaning. A column that is called by its meaning need not be named.'),
  demands: z.record(name, demandColumn).optional().describe('Amounts per task by resource: the name of a column, or { column, scale, total }.'),
  defaults: z.strictObject({
    demand: z.record(name, z.int().min(0)).optional().describe('Amounts per task of resources that no column names, or whose column is empty in a row.'),
    duration: z.number().min(0).optional().describe('Run time in seconds if the column is empty.'),
    tasks: z.int().min(1).optional(),
    user: name.optional(),
    queue: name.optional(),
    priority: z.number().optional(),
    gang: z.boolean().optional(),
  }).optional().describe('Values for what a row does not say.'),
  where: rowOptions.where,
  repeatedIds: z.enum(['fail', 'number']).optional().describe('What to do with a repeated id: fail (the default), or number: call it <id>#2, <id>#3, ...'),
  time: z.strictObject({
    submit: z.enum(units).optional().describe('Unit of submit, start, end and deadline: s, ms, us, ns, min, h, d, or iso for dates. Default: numbers are seconds, other text is a date.'),
    duration: z.enum(spanUnits).default('s').describe('Unit of duration. Text like hh:mm:ss is always read as such.'),
    estimate: z.enum(spanUnits).optional().describe('Unit of estimate. Default: that of duration.'),
    dates: z.enum(['dmy', 'mdy']).optional().describe('Order of dates with the year last, for example 31/01/2024 10:00 or 31.1.2024 (dmy), 01/31/2024 10:00 AM (mdy).'),
    origin: z.enum(['first', 'trace']).default('first').describe('What time 0 is: first: the first submission; trace: 0 of the table.'),
  }).optional(),
  names: rowOptions.names,
  zeroEstimate: z.enum(['none', 'keep']).optional().describe('What an estimate of 0 means: none: no estimate, like a limit of 0 (the default); keep: 0 seconds.'),
  neverStarted: z.enum(['skip', 'keep']).optional().describe('What to do, in a table that tells starts, with a job of 0 s without one: skip: it was cancelled while it waited (the default); keep: its start is not known.'),
  separator: rowOptions.separator,
  require: z.record(name, z.union([name, z.strictObject({ column: name, split: z.string().default('|') })])).optional()
    .describe('Labels that nodes must have, by label: the column with the value, or with several values separated by | or `split`.'),
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
