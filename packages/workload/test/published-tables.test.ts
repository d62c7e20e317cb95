import { describe, expect, it } from 'vitest'
import { detectFormatOf, jobsOf, parseTrace } from '../src/index.js'
import { bytesOf } from './reading.js'

/** Rows made up in the columns of a published trace; what is read of them. */
interface Case {
  readonly head: string
  readonly rows: readonly string[]
  readonly jobs: readonly object[]
  /** What it is told to be read as begins so. */
  readonly title?: string
  readonly notes?: readonly string[]
  readonly machine?: object
}
const gang = (tasks: number, demand: object, duration: number) => [{ name: 'tasks', tasks, demand, duration, gang: true }]
const rigid = (demand: object, duration: number) => [{ name: 'tasks', tasks: 1, demand, duration }]

const cases: Readonly<Record<string, Case>> = {
  'SenseTime\'s Helios': {
    head: 'job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue',
    rows: [
      '11,ua,vcE,16,80,2,COMPLETED,2020-05-01 00:00:00,2020-05-01 00:01:40,2020-05-01 01:01:40,3600,100',
      '12,ub,vcE,0,4,1,CANCELLED,2020-05-01 00:00:30,None,2020-05-01 00:10:30,0,600', // cancelled while it waited
      '13,ub,vcE,0,4,1,FAILED,2020-05-01 00:00:40,2020-05-01 00:00:45,2020-05-01 00:00:45,0,5',
      '14,uc,vcF,9,20,2,COMPLETED,2020-05-01 00:00:50,2020-05-01 00:00:50,2020-05-01 00:10:50,600,0', // 9 GPUs on 2 nodes: half a GPU is no share of one
    ],
    jobs: [
      { id: '11', submit: 0, user: 'ua', queue: 'vcE', recorded: { wait: 100, status: 'completed' }, stages: gang(2, { cpu: 40_000, gpu: 8000 }, 3600) },
      { id: '13', submit: 40, user: 'ub', queue: 'vcE', recorded: { wait: 5, status: 'failed' }, stages: gang(1, { cpu: 4000, gpu: 0 }, 0) },
      { id: '14', submit: 50, user: 'uc', queue: 'vcF', recorded: { wait: 0, status: 'completed' }, stages: gang(2, { cpu: 10_000, gpu: 5000 }, 600) },
    ],
    notes: ['1 job that never started, of 0 s: left out (neverStarted)'],
  },
  'Shanghai AI Laboratory\'s Acme': {
    head: 'job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,start_time,end_time,fail_time,stop_time,duration,queue,gpu_time',
    rows: [
      'dlc1,u1,4,32,512,900,100.0,Pretrain,FAILED,2023-06-01 08:00:00+08:00,2023-06-01 08:00:10+08:00,2023-06-01 08:01:10+08:00,,,60,10.0,1920.0',
      'dlc2,u1,0,0,0,,,Other,CANCELLED,2023-06-01 00:00:20+00:00,,2023-06-01 00:00:30+00:00,,,,,',
    ],
    jobs: [{ id: 'dlc1', submit: 0, user: 'u1', queue: 'Pretrain', recorded: { wait: 10, status: 'failed' }, stages: gang(4, { cpu: 128_000, gpu: 8000 }, 60) }],
    notes: ['1 job without a demand: left out (noDemand)'],
  },
  'Alibaba\'s spot jobs': {
    head: 'job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type',
    rows: ['71,5,A10,12,1,1,0,900,HP', '72,6,H800,15,0.5,3,40,60,Spot'],
    jobs: [
      { id: '71', submit: 0, account: '5', queue: 'HP', stages: [{ ...gang(1, { cpu: 12_000, gpu: 1000 }, 900)[0], constraints: { require: { model: ['A10'] } } }] },
      { id: '72', submit: 40, account: '6', queue: 'Spot', stages: [{ ...gang(3, { cpu: 15_000, gpu: 500 }, 60)[0], constraints: { require: { model: ['H800'] } } }] },
    ],
  },
  'LANL\'s Mustang': {
    head: 'user_ID,group_ID,submit_time,start_time,end_time,wallclock_limit,job_status,node_count,tasks_requested',
    rows: [
      '3,1,2012-03-11 01:00:00-07:00,2012-03-11 01:00:30-07:00,2012-03-11 04:00:30-06:00,16:00:00,COMPLETED,64,1536',
      '4,1,2012-03-11 08:00:10+00:00,,,02:00:00,CANCELLED,8,192',
    ],
    jobs: [{ id: 'job-1', submit: 0, user: '3', group: '1', estimate: 57_600, recorded: { wait: 30, status: 'completed' }, stages: rigid({ nodes: 64 }, 7200) }],
    notes: ['1 job of unknown run time: left out (unknownRuntime)'],
    machine: { nodes: 64, resources: { nodes: 64 } },
  },
  'LANL\'s Trinity, as its scheduler wrote it': {
    head: 'object_event,object_id,nodes_requested,tasks_requested,submission_time,start_date,end_date,wallclock_limit,dedicated_processors_per_task',
    rows: ['JOBSUBMIT,7,2,64,2016-02-02 06:53:00-07:00,,,3600,32', 'JOBEND,7,2,64,2016-02-02 06:53:00-07:00,2016-02-02 06:54:00-07:00,2016-02-02 07:00:00-07:00,3600,32'],
    jobs: [{ id: '7', submit: 0, estimate: 3600, recorded: { wait: 60 }, stages: rigid({ nodes: 2 }, 360) }],
    notes: ['1 job of other rows than those asked for: left out (where)'],
    machine: { nodes: 2 },
  },
  'Two Sigma': {
    head: 'job-uuid,user,status,submit-time,start-time,end-time,cpu,memory,instance,simset',
    rows: ['x1,u,:instance.status/success,Tue May 03 10:00:00 UTC 2016,Tue May 03 10:00:02 UTC 2016,Tue May 03 10:00:32 UTC 2016,1.5,4096.0,h1,', 'x1,u,:instance.status/failed,Tue May 03 10:00:00 UTC 2016,Tue May 03 10:01:00 UTC 2016,Tue May 03 10:01:05 UTC 2016,1.5,4096.0,h2,'],
    jobs: [
      { id: 'x1', submit: 0, user: 'u', recorded: { wait: 2, status: ':instance.status/success' }, stages: rigid({ cpu: 1500, mem: 4096 }, 30) },
      { id: 'x1#2', submit: 0, user: 'u', recorded: { wait: 60, status: ':instance.status/failed' }, stages: rigid({ cpu: 1500, mem: 4096 }, 5) },
    ],
    notes: ['1 job with the id of one above: called <id>#2, <id>#3, ... (repeated)'],
  },
  'MIT\'s Supercloud': {
    head: 'id_job,id_array_job,id_user,nodes_alloc,nodelist,cpus_req,partition,priority,state,timelimit,time_submit,time_start,time_end,tres_alloc,tres_req',
    rows: [
      '901,0,55,1,"[\'r1\', \'r2\']",40,gpu,100,3,5760,1609900000,1609900060,1609903660,"1=40,2=340000,4=1,1002=2","1=40"',
      '902,0,55,1,[],20,cpu,90,4,4294967295,1609900010,0,1609900500,,"1=20"',
    ],
    jobs: [{ id: '901', submit: 0, user: '55', queue: 'gpu', partition: 'gpu', priority: 100, estimate: 345_600, recorded: { wait: 60, status: '3' }, stages: rigid({ procs: 40, gpus: 2 }, 3600) }],
    title: 'the table of jobs of a Slurm database (MIT\'s Supercloud, whose TRES 1002 are its GPUs)',
    notes: ['1 job of unknown run time: left out (unknownRuntime)'],
    machine: { procs: 40, resources: { procs: 40, gpus: 2 } },
  },
  'PM100': {
    head: 'job_id,user_id,group_id,partition,qos,job_state,submit_time,eligible_time,start_time,end_time,run_time,time_limit,num_nodes_alloc,num_cores_alloc,num_gpus_alloc,mem_alloc',
    rows: ['5,9,1,1,0,COMPLETED,2020-10-01 00:00:00+00:00,2020-10-01 00:00:00+00:00,2020-10-01 00:00:04+00:00,2020-10-01 00:10:04+00:00,600,1440,2,256,8,475'],
    jobs: [{ id: '5', submit: 0, user: '9', queue: '1', partition: '1', qos: '0', estimate: 86_400, recorded: { wait: 4, status: 'completed' }, stages: rigid({ procs: 256, gpus: 8 }, 600) }],
    machine: { procs: 256 },
  },
  'F-DATA': {
    head: 'jid,usr,jnam,cnumr,nnumr,adt,qdt,sdt,edt,elpl,pri,duration',
    rows: ['f1,u7,j,18432,384,2021-04-01 00:00:13+00:00,2021-04-01 00:00:14+00:00,2021-04-01 00:00:43+00:00,2021-04-01 00:01:43+00:00,86400,127,60'],
    jobs: [{ id: 'f1', submit: 0, user: 'u7', estimate: 86_400, recorded: { wait: 30 }, stages: rigid({ nodes: 384 }, 60) }],
    machine: { nodes: 384 },
  },
  'ALCF': {
    head: 'JOB_NAME,COBALT_JOBID,MACHINE_NAME,QUEUED_TIMESTAMP,QUEUED_DATE_ID,START_TIMESTAMP,END_TIMESTAMP,USERNAME_GENID,PROJECT_NAME_GENID,QUEUE_NAME,WALLTIME_SECONDS,RUNTIME_SECONDS,NODES_USED,NODES_REQUESTED,EXIT_STATUS',
    rows: ['77.polaris,77,polaris,2022-08-09 01:00:00,20220809,2022-08-09 01:02:00,2022-08-09 01:12:30,123,456,prod,3600.0,630.0,10.0,10.0,0'],
    jobs: [{ id: '77', submit: 0, user: '123', account: '456', queue: 'prod', estimate: 3600, recorded: { wait: 120 }, stages: rigid({ nodes: 10 }, 630) }],
    machine: { nodes: 10 },
  },
  'Batsim': {
    head: 'job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata',
    rows: [
      '1,w0,delay,5.000000,4,20.000000,0,COMPLETED_WALLTIME_REACHED,10.100001,20.000001,30.100002,5.100001,25.100002,1.255000,0-1 4-5,-1,""',
      '2,w0,delay,6.000000,2,inf,1,COMPLETED_SUCCESSFULLY,30.100001,1.500000,31.600001,24.100001,25.600001,17.066667,0-1,-1,""',
      '3,w0,delay,7.000000,9,-1,0,REJECTED,,,,,,,,-1,""',
    ],
    jobs: [ // the second starts when the first ends, a microsecond before its printed end
      { id: '1', submit: 5, estimate: 20, recorded: { wait: expect.closeTo(5.100001), status: 'completed_walltime_reached' }, stages: rigid({ procs: 4 }, 20.000001) },
      { id: '2', submit: 6, recorded: { wait: expect.closeTo(24.100001), status: 'completed_successfully' }, stages: rigid({ procs: 2 }, 1.5) },
    ],
    notes: ['1 job of unknown run time: left out (unknownRuntime)'],
    machine: { procs: 4 },
  },
  'Batsim before its version 3': {
    head: 'jobID,submission_time,requested_number_of_processors,requested_time,success,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,consumed_energy,allocated_processors',
    rows: ['7,12.0,2,86.0,1,13.0,27.0,40.0,1.0,28.0,1.037,-1,19 20'],
    jobs: [{ id: '7', submit: 12, estimate: 86, recorded: { wait: 1 }, stages: rigid({ procs: 2 }, 27) }],
    machine: { procs: 2 },
  },
}

describe.each(Object.entries(cases))('a table of jobs in the columns of %s', (_, { head, rows, jobs, title = '', notes = [], machine }) => {
  const read = (text: string, options: object = {}) => parseTrace(bytesOf(text), { options, ...(Object.keys(options).length > 0 && { format: 'job-table' }) })
  const text = `${head}\n${rows.join('\n')}\n`

  it('is known by them and read without a mapping', () => {
    expect(detectFormatOf(bytesOf(text)).name).toBe('job-table')
    const trace = read(text)
    expect([...jobsOf(trace)]).toEqual(jobs)
    expect(trace.report.notes).toEqual([expect.stringMatching(/^read as .*; columns or demands of your own replace what its columns are taken for$/), ...notes])
    expect(trace.report.notes![0]).toContain(`read as ${title}`)
    expect(trace.machine).toEqual(machine === undefined ? undefined : expect.objectContaining(machine))
  })

  it('may have a byte order mark, ends of lines as in Windows, or no end of the last', () => {
    expect([...jobsOf(read(`\uFEFF${text.trimEnd().replaceAll('\n', '\r\n')}`))]).toEqual(jobs)
  })

  it('is read by a mapping that is given, and options beside what is known of it', () => {
    const [column = ''] = head.split(',')
    const last = text.split('\n').slice(0, -1).map((line) => `${line},last`).join('\n').replace(/,last/, ',mark')
    expect([...jobsOf(read(last, { where: { mark: 'last' } }))]).toEqual(jobs)
    expect(() => read(text, { columns: { user: column } })).toThrow('the table has no column "submit"')
  })
})
