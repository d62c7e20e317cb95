import { ownValue, SchedError, type JobSpec, type Workload } from '@sched/core'
import { streamJobs } from '@sched/workload'
import { parquetOf, type Columns } from './parquet-file.js'

const types = {
  id: 'STRING', submit: 'DOUBLE', start: 'DOUBLE', duration: 'DOUBLE', tasks: 'INT32', gang: 'BOOLEAN', min_tasks: 'INT32', user: 'STRING', queue: 'STRING', group: 'STRING', account: 'STRING', partition: 'STRING', qos: 'STRING',
  class: 'STRING', label: 'STRING', application: 'STRING', priority: 'DOUBLE', weight: 'DOUBLE', estimate: 'DOUBLE', deadline: 'DOUBLE', status: 'STRING', recorded_runtime: 'DOUBLE', recorded_cpu_time: 'DOUBLE', recorded_mem: 'DOUBLE',
} as const satisfies Columns
type Name = keyof typeof types

const ofJob: ReadonlySet<string> = new Set([...Object.keys(types), 'recorded', 'stages'])
const ofStage: ReadonlySet<string> = new Set(['name', 'tasks', 'demand', 'duration', 'gang', 'minTasks'])

/** Jobs as a table in Parquet. */
export interface JobTable {
  readonly bytes: Uint8Array
  readonly jobs: number
}

/**
 * The jobs of a workload as a table with a row each, in the columns that the format `job-table` knows by their names (`start` is the recorded one), and one per
 * resource, per task; the table says itself how it is read. Columns in which no row has a value are left out. The jobs are read twice.
 * Throws `BAD_INPUT` for a job that is more than a row can say.
 */
export async function jobTable(workload: Workload, facts: Readonly<Record<string, string>>): Promise<JobTable> {
  const used = new Set<string>()
  const demands = new Set<string>()
  let jobs = 0
  for await (const job of streamJobs(workload)) {
    jobs++
    const row = rowOf(job)
    for (const name of Object.keys(row)) used.add(name)
    for (const resource of Object.keys(job.stages[0]!.demand)) demands.add(resource)
  }
  const names = (Object.keys(types) as Name[]).filter((name) => used.has(name))
  const taken = [...demands].find((resource) => Object.hasOwn(types, resource))
  if (taken !== undefined) throw new SchedError('BAD_INPUT', `a resource is called "${taken}", which is a column of every job.`, { file: workload.name }, WAY_OUT)
  const resources = [...demands].sort()
  const columns: Columns = { ...Object.fromEntries(names.map((name) => [name, types[name]])), ...Object.fromEntries(resources.map((name) => [name, 'INT64' as const])) }
  async function* rows(): AsyncGenerator<unknown[], void, undefined> {
    for await (const job of streamJobs(workload)) {
      const row = rowOf(job)
      yield [...names.map((name) => row[name] ?? null), ...resources.map((resource) => ownValue(job.stages[0]!.demand, resource) ?? null)]
    }
  }
  const trace = JSON.stringify({
    format: 'job-table',
    options: { zeroEstimate: 'keep', neverStarted: 'keep', demands: Object.fromEntries(resources.map((name) => [name, name])), time: { origin: 'trace' } },
  })
  return { bytes: await parquetOf(columns, rows(), { ...facts, trace }), jobs }
}

const WAY_OUT = 'Write the native format, which holds any job: name the file jobs.jsonl.'

function rowOf(job: JobSpec): Partial<Record<Name, unknown>> {
  const [stage, ...others] = job.stages
  if (stage === undefined || others.length > 0) throw beyond(job, `${job.stages.length} stages`)
  const { duration, tasks, gang, minTasks } = stage
  const times = Array.isArray(duration) || duration instanceof Float64Array ? [...new Set<number>(duration as Iterable<number>)] : [duration]
  if (times.length !== 1 || typeof times[0] !== 'number') throw beyond(job, 'tasks of different run times')
  const other = Object.keys(job).find((key) => !ofJob.has(key)) ?? Object.keys(stage).find((key) => !ofStage.has(key))
  if (other !== undefined) throw beyond(job, `the field "${other}"`)
  const { stages: _, recorded: { wait, runtime, status, cpuTime, mem } = {}, ...plain } = job
  return {
    ...plain, duration: times[0], tasks,
    ...(gang !== undefined && { gang }), ...(minTasks !== undefined && { min_tasks: minTasks }), ...(wait !== undefined && {
      start: job.submit + wait,
    }), ...(status !== undefined && { status }), ...(runtime !== undefined && {
      recorded_runtime: runtime,
    }), ...(cpuTime !== undefined && { recorded_cpu_time: cpuTime }), ...(mem !== undefined && { recorded_mem: mem }),
  }
}

const beyond = ({ id }: JobSpec, what: string) => new SchedError('BAD_INPUT', `job "${id}" has ${what}, for which a table of jobs has no column.`, {}, WAY_OUT)
