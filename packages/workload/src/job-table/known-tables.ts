import { completed, type JobTableOptions } from './options.js'

/** A published trace that is a table of jobs: the columns by which it is recognized, and what they mean. */
interface KnownTable {
  readonly title: string
  readonly columns: readonly string[]
  readonly mapping: JobTableOptions
}

const MILLI = 1000
const total = (column: string, scale = 1) => ({ column, scale, total: true, whole: false })
const totalOfWhole = (column: string, scale: number) => ({ ...total(column, scale), whole: true })
const amount = (column: string, scale = 1) => ({ column, scale, total: false, whole: false })
const listed = (column: string, key: string, scale: number) => ({ ...amount(column, scale), key })

const gpuJob = { id: 'job_id', user: 'user', tasks: 'node_num', submit: 'submit_time', start: 'start_time', duration: 'duration', status: 'state' }
const atlas = { user: 'user_ID', group: 'group_ID', submit: 'submit_time', start: 'start_time', end: 'end_time', estimate: 'wallclock_limit', status: 'job_status' }
const numbered = { repeatedIds: 'number' } as const

/** What a run of Batsim wrote of its jobs, whose columns some versions call otherwise. Its times are those of the simulation and stay so. */
const batsim = (id: string, procs: string): KnownTable => ({
  title: 'jobs as the simulator Batsim ran them',
  columns: [id, 'submission_time', procs, 'requested_time', 'success', 'starting_time', 'execution_time'],
  mapping: {
    columns: { id, submit: 'submission_time', start: 'starting_time', duration: 'execution_time', estimate: 'requested_time', status: 'final_state' },
    demands: { procs: amount(procs) },
    time: { duration: 's', origin: 'trace' },
    ...numbered,
  },
})

/**
 * Published traces that are read without a mapping. Jobs of GPU clusters are gangs of one task per node, with `cpu` and `gpu` in thousandths; jobs of
 * parallel machines are rigid, with `nodes` or `procs`.
 *
 * Source: names of columns as in the publications: Hu et al., SC 2021 (Helios) and NSDI 2024 (Acme); Amvrosiadis et al., USENIX ATC 2018 (LANL, Two
 * Sigma); Duan et al., ASPLOS 2026 (Alibaba's spot jobs); Samsi et al., HPEC 2021 (Supercloud); Antici et al., SC-W 2023 (PM100) and Scientific Data 2025 (F-DATA); ALCF's public data (DJC);
 * Batsim's documentation of its outputs.
 */
const knownTables: readonly KnownTable[] = [
  {
    title: 'the job log of SenseTime\'s Helios',
    columns: ['job_id', 'user', 'vc', 'gpu_num', 'cpu_num', 'node_num', 'state', 'submit_time', 'start_time', 'duration'],
    mapping: { columns: { ...gpuJob, queue: 'vc' }, demands: { cpu: total('cpu_num', MILLI), gpu: totalOfWhole('gpu_num', MILLI) }, defaults: { gang: true }, ...numbered },
  },
  {
    title: 'the job log of Shanghai AI Laboratory\'s Acme; its types of jobs are queues',
    columns: ['job_id', 'user', 'node_num', 'gpu_num', 'cpu_num', 'type', 'state', 'submit_time', 'start_time', 'duration', 'gpu_time'],
    mapping: { columns: { ...gpuJob, queue: 'type' }, demands: { cpu: total('cpu_num', MILLI), gpu: totalOfWhole('gpu_num', MILLI) }, defaults: { gang: true }, ...numbered },
  },
  {
    title: 'the jobs of Alibaba\'s GPU cluster with spot jobs (2026), high-priority and spot jobs being queues',
    columns: ['job_name', 'organization', 'gpu_model', 'cpu_request', 'gpu_request', 'worker_num', 'submit_time', 'duration', 'job_type'],
    mapping: {
      columns: { id: 'job_name', account: 'organization', queue: 'job_type', tasks: 'worker_num', submit: 'submit_time', duration: 'duration' },
      demands: { cpu: amount('cpu_request', MILLI), gpu: amount('gpu_request', MILLI) },
      defaults: { gang: true },
      require: { model: 'gpu_model' },
      ...numbered,
    },
  },
  {
    title: 'the job log of a cluster of Los Alamos (Mustang, Trinity)',
    columns: ['user_ID', 'group_ID', 'submit_time', 'start_time', 'end_time', 'wallclock_limit', 'job_status', 'node_count'],
    mapping: { columns: atlas, demands: { nodes: amount('node_count') } },
  },
  {
    title: 'the events of Los Alamos\' Trinity, of which each job\'s last is read',
    columns: ['object_event', 'object_id', 'nodes_requested', 'wallclock_limit', 'submission_time', 'start_date', 'end_date'],
    mapping: {
      columns: { id: 'object_id', submit: 'submission_time', start: 'start_date', end: 'end_date', estimate: 'wallclock_limit' },
      demands: { nodes: amount('nodes_requested') },
      where: { object_event: ['JOBEND'] },
      ...numbered,
    },
  },
  {
    title: 'the job log of Two Sigma',
    columns: ['job-uuid', 'user', 'status', 'submit-time', 'start-time', 'end-time', 'cpu', 'memory'],
    mapping: {
      columns: { id: 'job-uuid', user: 'user', submit: 'submit-time', start: 'start-time', end: 'end-time', status: 'status' },
      demands: { cpu: amount('cpu', MILLI), mem: amount('memory') },
      ...numbered,
    },
  },
  {
    title: 'the table of jobs of a Slurm database (MIT\'s Supercloud, whose TRES 1002 are its GPUs)',
    columns: ['id_job', 'id_user', 'time_submit', 'time_start', 'time_end', 'timelimit', 'cpus_req', 'tres_alloc', 'state'],
    mapping: {
      columns: {
        id: 'id_job', user: 'id_user', queue: 'partition', partition: 'partition', submit: 'time_submit', start: 'time_start',
        end: 'time_end', estimate: 'timelimit', status: 'state', priority: 'priority',
      },
      demands: { procs: amount('cpus_req'), gpus: listed('tres_alloc', '1002', 1) },
      time: { duration: 's', estimate: 'min', origin: 'first' },
      ...numbered,
    },
  },
  {
    title: 'PM100, jobs of CINECA\'s Marconi100',
    columns: ['job_id', 'user_id', 'submit_time', 'start_time', 'end_time', 'run_time', 'time_limit', 'num_nodes_alloc', 'num_cores_alloc', 'num_gpus_alloc'],
    mapping: {
      columns: {
        id: 'job_id', user: 'user_id', queue: 'partition', qos: 'qos', submit: 'submit_time', start: 'start_time', duration: 'run_time',
        estimate: 'time_limit', status: 'job_state',
      },
      demands: { procs: amount('num_cores_alloc'), gpus: amount('num_gpus_alloc') },
      time: { duration: 's', estimate: 'min', origin: 'first' },
      ...numbered,
    },
  },
  {
    title: 'F-DATA, jobs of RIKEN\'s Fugaku',
    columns: ['jid', 'usr', 'nnumr', 'cnumr', 'adt', 'sdt', 'edt', 'elpl'],
    mapping: { columns: { id: 'jid', user: 'usr', submit: 'adt', start: 'sdt', end: 'edt', estimate: 'elpl' }, demands: { nodes: amount('nnumr') }, ...numbered },
  },
  {
    title: 'the job log of a machine of Argonne (DJC: Polaris, Theta, Mira)',
    columns: ['COBALT_JOBID', 'QUEUED_TIMESTAMP', 'START_TIMESTAMP', 'END_TIMESTAMP', 'WALLTIME_SECONDS', 'NODES_REQUESTED'],
    mapping: {
      columns: {
        id: 'COBALT_JOBID', submit: 'QUEUED_TIMESTAMP', start: 'START_TIMESTAMP', end: 'END_TIMESTAMP', estimate: 'WALLTIME_SECONDS',
        user: 'USERNAME_GENID', account: 'PROJECT_NAME_GENID', queue: 'QUEUE_NAME',
      },
      demands: { nodes: amount('NODES_REQUESTED') },
      ...numbered,
    },
  },
  batsim('job_id', 'requested_number_of_resources'),
  batsim('job_id', 'requested_number_of_processors'),
  batsim('jobID', 'requested_number_of_processors'),
]

/** The published trace that has these columns; `undefined` if there is none. */
export function knownTable(names: readonly string[]): KnownTable | undefined {
  const found = knownTables.find(({ columns }) => columns.every((column) => names.includes(column)))
  return found && { ...found, mapping: within(found.mapping, names) }
}

/** What the columns of a table mean: the given mapping or, without columns and demands in it, that of a published trace. */
export function mappingFor(given: JobTableOptions, names: readonly string[]) {
  const known = given.columns === undefined && given.demands === undefined ? knownTable(names) : undefined
  return { ...completed({ ...known?.mapping, ...given }), title: known?.title }
}

/** The mapping without columns that the table lacks. Only columns by which a trace is recognized are always there. */
function within(mapping: JobTableOptions, names: readonly string[]): JobTableOptions {
  return { ...mapping, columns: Object.fromEntries(Object.entries(mapping.columns ?? {}).filter(([, column]) => column !== undefined && names.includes(column))) }
}
