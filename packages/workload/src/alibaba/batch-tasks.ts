import * as z from '@sched/bundled/zod'
import type { TraceFormat } from '../trace/format.js'
import { demandOption, MachineParts, memoryOption } from './machine-parts.js'
import { isTable, statusOption, TaskTable, type TaskColumns } from './task-table.js'

const columns: TaskColumns = {
  names: ['create time', 'end time', 'job id', 'task id', 'number of instances', 'status', 'CPU', 'memory'],
  start: 0, end: 1, job: 2, task: 3, instances: 4, status: 5,
  isHeader: (line) => /^\s*task_create_time\s*,\s*task_end_time\s*,/.test(line),
  isRow: (fields) => [0, 1, 2, 3, 4].every((i) => /^-?\d+$/.test(fields[i]!)) && /^[A-Za-z]+$/.test(fields[5]!),
}
const batchTaskOptions = z.strictObject({ status: statusOption, memory: memoryOption, demand: demandOption(50, 5000) })

/**
 * The table `batch_task` of Alibaba's trace of 2017, with or without a header: eight columns. The tasks of a job are its stages, without
 * dependencies, since the table has none. All stages are submitted with the job, at the earliest creation of its tasks. An instance asks for `cpu`
 * (1/100 core) and `mem` (millionths of a machine).
 *
 * Deviation: the table does not tell how long an instance ran. Here an instance runs as long as its whole task did, which is too long if the
 * instances of the task did not all run at once.
 *
 * Source: Alibaba Cluster Trace Program, cluster-trace-v2017.
 */
export const batchTaskFormat: TraceFormat<typeof batchTaskOptions> = {
  name: 'alibaba-2017',
  summary: 'batch tasks of Alibaba\'s trace of 2017 (CSV)',
  source: 'Alibaba Cluster Trace Program, v2017',
  options: batchTaskOptions,
  isHeld: true,
  detect: (head) => isTable(columns, head),
  create: (options, place) => new TaskTable(columns, { stages: (rows) => rows.map(({ stage }) => stage), rules: () => [] }, new MachineParts(6, 7, 1, options), options, place),
}
