import * as z from '@sched/bundled/zod'
import type { TraceFormat } from '../trace/format.js'
import { demandOption, MachineParts, memoryOption } from './machine-parts.js'
import { TaskGraph } from './task-graph.js'
import { isTable, statusOption, TaskTable, type TaskColumns } from './task-table.js'

const columns: TaskColumns = {
  names: ['task name', 'number of instances', 'job name', 'task type', 'status', 'start time', 'end time', 'CPU', 'memory'],
  task: 0, instances: 1, job: 2, status: 4, start: 5, end: 6, outside: '0',
  isHeader: (line) => /^\s*task_name\s*,\s*(instance|inst)_num\s*,\s*job_name\s*,/.test(line),
  isRow: (fields) => /^j_\d+$/.test(fields[2]!) && /^[A-Za-z]+$/.test(fields[4]!) && [1, 5, 6].every((i) => /^-?\d+(\.0*)?$/.test(fields[i]!)),
}
const options2018 = z.strictObject({
  status: statusOption, memory: memoryOption, demand: demandOption(100, 5000),
  outside: z.enum(['skip', 'keep']).default('skip').describe('What to do with tasks whose start or end is 0, which means before or after the trace: skip leaves them out, keep takes the 0 as a time.'),
})

/**
 * The table `batch_task` of Alibaba's trace of 2018, with or without a header: nine columns. The tasks of a job are its stages, with the dependencies
 * in their names; the job is submitted when the first of them started. An instance asks for `cpu` (1/100 core) and `mem` (millionths of a machine;
 * the table has 0 to 100 for the largest).
 *
 * Deviation: as for 2017, an instance runs as long as its whole task did.
 *
 * Source: Alibaba Cluster Trace Program, cluster-trace-v2018.
 */
export const batchTask2018Format: TraceFormat<typeof options2018> = {
  name: 'alibaba-2018',
  summary: 'batch tasks of Alibaba\'s trace of 2018, with their dependencies (CSV)',
  source: 'Alibaba Cluster Trace Program, v2018',
  options: options2018,
  isHeld: true,
  detect: (head) => isTable(columns, head),
  create: (options, place) => new TaskTable(columns, new TaskGraph(), new MachineParts(7, 8, 100, options), options, place),
}
