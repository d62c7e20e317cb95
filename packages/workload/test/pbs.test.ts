import { describe, expect, it } from 'vitest'
import type { JobSpec } from '@sched/core'
import { jobsOf, parseTrace, type ParseOptions } from '../src/index.js'
import { executed, memoryOf, selected, specified } from '../src/pbs/resources.js'
import { bytesOf, messageOf } from './reading.js'

/** Attributes of a job of PBS that waited 60 s and ran an hour of its two on 16 processors of 2 nodes, changed in some; '' leaves one out. */
const usual: Readonly<Record<string, string>> = {
  user: 'ada', group: 'math', account: '"proj 1"', project: '_pbs_project_default', jobname: 'run', queue: 'main', ctime: '1706695200', qtime: '1706695210', etime: '1706695220', start: '1706695260',
  exec_host: 'n1/0*8+n2/3*8', exec_vnode: '(n1:ncpus=8:ngpus=1)+(n2:ncpus=8:ngpus=1)', 'Resource_List.mem': '64gb', 'Resource_List.ncpus': '16', 'Resource_List.ngpus': '2', 'Resource_List.nodect': '2',
  'Resource_List.select': '2:ncpus=8:mpiprocs=8:ngpus=1', 'Resource_List.walltime': '02:00:00', session: '77', end: '1706698860', Exit_status: '0', 'resources_used.walltime': '00:59:58', run_count: '1',
}
type Change = Readonly<Record<string, string>>
const record = (kind: string, id: string, text = '') => `01/31/2024 10:00:00;${kind};${id};${text}`
const ended = (change: Change = {}, id = '101.pbs1') =>
  record('E', id, Object.entries({ ...usual, ...change }).flatMap(([name, value]) => (value === '' ? [] : [`${name}=${value}`])).join(' '))
/** As a Cray has it: `exec_host`, `ncpus` and the selection are of the node where the script runs. */
const cray: Change = {
  exec_host: 'login/24', exec_vnode: '(login:ncpus=1)', 'Resource_List.select': '1', 'Resource_List.ncpus': '1', 'Resource_List.nodect': '1', 'Resource_List.ngpus': '', 'Resource_List.mem': '',
  'Resource_List.mppwidth': '64', 'Resource_List.mppnppn': '24',
}
/** As Torque has it: no selection and no count of runs. */
const torque: Change = { exec_host: 'n1/0+n1/1+n2/0+n2/1', exec_vnode: '', 'Resource_List.select': '', 'Resource_List.ncpus': '', 'Resource_List.ngpus': '', 'Resource_List.mem': '', 'Resource_List.nodes': '2:ppn=2', run_count: '' }

const read = (lines: readonly string[], options: object = {}, more: ParseOptions = {}) => parseTrace(bytesOf(lines.join('\n')), { file: '20240131', options, ...more })
const first = (change: Change, options: object = {}): JobSpec => [...jobsOf(read([ended(change)], options))][0]!
const notesOf = (lines: readonly string[], options: object = {}) => read([...lines, ended({}, '999.pbs1')], { procs: 100, gpuDemand: true, gpus: 9, ...options }).report.notes

describe('pbs', () => {
  it('is known by its records, and gives a task with all its processors, times from the first submission, and what was recorded', () => {
    const trace = read([record('Q', '101.pbs1', 'queue=main'), ended()])
    expect(trace.format).toBe('pbs')
    expect(trace.machine?.origin).toBe('16 procs: inferred, the log does not say how many: the widest job asks for 16; give procs if that is wrong')
    expect([...jobsOf(trace)]).toEqual([{
      id: '101', submit: 0, user: 'ada', queue: 'main', group: 'math', account: 'proj 1', estimate: 7200, recorded: { wait: 60, status: 'completed' },
      stages: [{ name: 'job', tasks: 1, demand: { procs: 16 }, duration: 3600 }],
    }])
    expect(trace.start).toBe(1_706_695_200)
  })

  it.each<[string, Change, object, (job: JobSpec) => unknown, unknown]>([
    ['the chunks of a selection where the server made no sum', { 'Resource_List.ncpus': '', 'Resource_List.select': '2:ncpus=8:mpiprocs=8+1:ncpus=4+host=n9' }, {}, ({ stages }) => stages[0]!.demand, { procs: 21 }],
    ['processors it was given', { 'Resource_List.ncpus': '12' }, { processors: 'allocated' }, ({ stages }) => stages[0]!.demand, { procs: 16 }],
    ['processors it was given where none are requested', { 'Resource_List.ncpus': '', 'Resource_List.select': '' }, {}, ({ stages }) => stages[0]!.demand, { procs: 16 }],
    ['nodes and processors of Torque', torque, {}, ({ stages }) => stages[0]!.demand, { procs: 4 }],
    ['more of them than a default of one processor', { ...torque, 'Resource_List.ncpus': '1' }, {}, ({ stages }) => stages[0]!.demand, { procs: 4 }],
    ['procs of Torque', { ...torque, 'Resource_List.nodes': '1', 'Resource_List.procs': '32' }, {}, ({ stages }) => stages[0]!.demand, { procs: 32 }],
    ['slots of Torque in ranges', { ...torque, exec_host: 'n1/0-15+n2/0-3,8' }, { processors: 'allocated' }, ({ stages }) => stages[0]!.demand, { procs: 21 }],
    ['processing elements of a Cray', cray, {}, ({ stages }) => stages[0]!.demand, { procs: 64 }],
    ['and no others where only the node of its script is told', cray, { processors: 'allocated' }, ({ stages }) => stages[0]!.demand, { procs: 64 }],
    ['processors of one large machine', { exec_host: 'altix:ssinodes=2:mem=7974912kb:ncpus=4', exec_vnode: '' }, { processors: 'allocated' }, ({ stages }) => stages[0]!.demand, { procs: 4 }],
    ['the nodes of a Cray where they are told', { ...cray, exec_host: 'n1/0-31+n2/0-31+n3/0-31' }, { processors: 'allocated' }, ({ stages }) => stages[0]!.demand, { procs: 96 }],
    ['threads and memory of its elements', { ...cray, 'Resource_List.mppdepth': '4', 'Resource_List.mppmem': '1gb' }, { memory: 'requested' }, ({ stages }) => stages[0]!.demand, { procs: 256, mem: 65_536 }],
    ['nodes by the elements on each', cray, { unit: 'nodes' }, ({ stages }) => stages[0]!.demand, { nodes: 3 }],
    ['nodes of a Cray that are counted', { ...cray, 'Resource_List.mppnodect': '4' }, { unit: 'nodes' }, ({ stages }) => stages[0]!.demand, { nodes: 4 }],
    ['whole nodes', {}, { unit: 'nodes' }, ({ stages }) => stages[0]!.demand, { nodes: 2 }],
    ['whole nodes by nodect where it does not say which', { exec_host: '', 'Resource_List.nodect': '3' }, { unit: 'nodes' }, ({ stages }) => stages[0]!.demand, { nodes: 3 }],
    ['its part on each node', {}, { tasks: 'node', memory: 'requested', gpuDemand: true }, ({ stages }) => stages, [{ name: 'job', tasks: 2, gang: true, demand: { procs: 8, mem: 32_768, gpus: 1 }, duration: 3600 }]],
    ['memory of its chunks', { 'Resource_List.mem': '', 'Resource_List.select': '2:ncpus=8:mem=4gb+1:mem=512mb' }, { memory: 'requested' }, ({ stages }) => stages[0]!.demand, { procs: 16, mem: 8704 }],
    ['memory per processor of Torque', { ...torque, 'Resource_List.pmem': '2000mb' }, { memory: 'requested' }, ({ stages }) => stages[0]!.demand, { procs: 4, mem: 8000 }],
    ['GPUs of its chunks', { 'Resource_List.ngpus': '' }, { gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 16, gpus: 2 }],
    ['GPUs of the nodes of Torque', { ...torque, 'Resource_List.nodes': '2:ppn=2:gpus=3' }, { gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 4, gpus: 6 }],
    ['GPUs of a resource of Torque', { ...torque, 'Resource_List.gpus': '5' }, { gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 4, gpus: 5 }],
    ['GPUs of a resource of the site', { ...torque, 'Resource_List.gpu': '3' }, { gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 4, gpus: 3 }],
    ['GPUs of the nodes by the name of PBS', { ...torque, 'Resource_List.nodes': '2:ppn=2:ngpus=3' }, { gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 4, gpus: 6 }],
    ['GPUs of the nodes by their other name', { ...torque, 'Resource_List.nodes': '2:ppn=2:gpu=3:gpu' }, { gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 4, gpus: 6 }],
    ['nodes that stand for their number', { ...torque, 'Resource_List.nodes': '', 'Resource_List.nodect': '3:ppn=8:gpu=2' }, { gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 24, gpus: 6 }],
    ['GPUs that Torque gave it', { ...torque, exec_gpus: 'n1-gpu/0+n1-gpu/1' }, { gpuDemand: true }, ({ stages }) => stages[0]!.demand, { procs: 4, gpus: 2 }],
    ['when it came into its queue', { etime: '' }, { submit: 'qtime' }, ({ recorded }) => recorded, { wait: 50, status: 'completed' }],
    ['when it could first run', {}, { submit: 'etime' }, ({ recorded }) => recorded, { wait: 40, status: 'completed' }],
    ['when it was made where it never could', { etime: '0' }, { submit: 'etime' }, ({ recorded }) => recorded, { wait: 60, status: 'completed' }],
    ['another queue', {}, { queue: 'account' }, ({ queue }) => queue, 'proj 1'],
    ['its project as queue', {}, { queue: 'project' }, ({ queue }) => queue, '_pbs_project_default'],
    ['a limit in seconds', { 'Resource_List.walltime': '5400' }, {}, ({ estimate }) => estimate, 5400],
    ['the least and the most limit of a job that shrinks to fit', { 'Resource_List.min_walltime': '00:30:00', 'Resource_List.max_walltime': '04:00:00' }, {}, ({ estimate, minEstimate }) => [estimate, minEstimate], [14_400, 1800]],
    ['a limit of days', { 'Resource_List.walltime': '120:00:00' }, {}, ({ estimate }) => estimate, 432_000],
    ['no limit', { 'Resource_List.walltime': '' }, { missingEstimate: 'unknown' }, ({ estimate }) => estimate, undefined],
    ['a run beyond its limit', { 'Resource_List.walltime': '00:59:30', Exit_status: '-29' }, {}, ({ stages, recorded }) => [stages[0]!.duration, recorded], [3570, { wait: 60, runtime: 3600, status: 'timeout' }]],
    ['names in quotes that hold quotes, blanks and semicolons', { account: `'a "b"; c=d e'`, user: 'bob' }, {}, ({ account, user, queue }) => [account, user, queue], ['a "b"; c=d e', 'bob', 'main']],
    ['names with blanks as Torque leaves them', { account: 'a b c' }, {}, ({ account, queue }) => [account, queue], ['a', 'main']],
  ])('reads %s', (_, change, options, facts, expected) => {
    expect(facts(first(change, options))).toEqual(expected)
  })

  it.each<[string, Change, string]>([
    ['completed', {}, 'completed'],
    ['failed by its own status', { Exit_status: '2' }, 'failed'],
    ['failed by a signal before its limit', { Exit_status: '271' }, 'failed'],
    ['killed at its limit', { Exit_status: '271', 'Resource_List.walltime': '01:00:00' }, 'timeout'],
    ['over its memory', { Exit_status: '-27' }, 'out_of_memory'],
    ['over its limit, as Torque has it', { ...torque, Exit_status: '-11' }, 'timeout'],
    ['not to be begun, where PBS has the same number', { Exit_status: '-11' }, 'failed'],
  ])('says that a job was %s', (_, change, status) => {
    expect(first(change).recorded!.status).toBe(status)
  })

  it.each<[string, string[], object, string[]]>([
    ['jobs that wait, run or are gone without an end', [record('Q', '1.p'), record('Q', '2.p'), record('S', '2.p'), record('Q', '3.p'), record('D', '3.p', 'requestor=x@y'), record('Q', '4.p'), record('M', '4.p')], {},
      ['7 events other than the end of a job (D, M, Q, S): passed over (records)', '1 job started and without an end in the log: left out (unfinished)', '1 job without a start in the log: left out (queued)', '1 job deleted or aborted, without an end in the log: left out (deleted)']],
    ['arrays as a whole', [record('Q', '7[].p'), ended({}, '7[].p'), ended({}, '7[3].p')], {}, ['1 event other than the end of a job (Q): passed over (records)', '1 job standing for an array as a whole: its jobs are read (arrays)']],
    ['runs that were begun again', [record('R', '5.p', 'start=1 end=2'), ended({}, '5.p')], {}, ['1 event other than the end of a job (R): passed over (records)', '1 event of runs that were given up and begun again (R): the last run of a job is read (rerun)']],
    ['jobs that never started', [ended({ start: '0' }, '6.p')], {}, ['1 job that never started: left out (neverStarted)']],
    ['jobs without an end', [ended({ end: '' }, '6.p')], {}, ['1 job of unknown run time: left out (unknownRuntime)']],
    ['ids that come again', [ended({}, '999.p')], {}, ['1 job with the id of one above, run again or of another server: called <id>#2, <id>#3, ... (repeated)']],
    ['jobs of a reservation', [ended({ resvID: 'R9.p' }, '8.p')], {}, ['1 job in a reservation of nodes: run like all others, except under replan with such a reservation (reservations)']],
    ['jobs of other states', [ended({ Exit_status: '1' }, '8.p')], { status: ['completed'] }, ['1 job of a status other than completed: left out (status)']],
  ])('tells of %s', (_, lines, options, notes) => {
    expect(notesOf(lines, options)).toEqual(notes)
  })

  it('says that a job was cancelled which somebody deleted while it ran, and that one was suspended, without its pauses', () => {
    const trace = read([record('S', '101.pbs1'), record('z', '101.pbs1'), record('r', '101.pbs1'), record('D', '101.pbs1'), ended({ Exit_status: '271', 'resources_used.walltime': '00:40:00' })])
    expect([...jobsOf(trace)][0]).toMatchObject({ recorded: { status: 'cancelled' }, stages: [{ duration: 2400 }] })
    expect(trace.report.notes).toContain('1 job suspended meanwhile: run for their resources_used.walltime (suspended)')
  })

  it('reads what Cobalt writes: times with fractions, and the name of a block of nodes', () => {
    const attributes = 'queue=default qtime=1415414459.0 Resource_List.nodect=4096 Resource_List.walltime=00:20:00 start=1415422720.5'
    const ended = record('E', '359758', `${attributes} end=1415422930.250000 exec_host=MIR-08800-3BFF1-3-4096 runtime=209.8 hold=0 overhead=0`)
    const trace = read([record('S', '359758', `${attributes} exec_host=MIR-08800-3BFF1-3-4096`), ended], { unit: 'nodes' })
    expect([...jobsOf(trace)]).toEqual([{ id: '359758', submit: 0, queue: 'default', estimate: 1200, recorded: { wait: 8261.5 }, stages: [{ name: 'job', tasks: 1, demand: { nodes: 4096 }, duration: 209.75 }] }])
  })

  it('reads records without a semicolon behind the id, and their own times where they tell no others (logs of Emmy and Meggie, RRZE)', () => {
    const asked = 'Resource_List.nodes=4:ppn=40 Resource_List.walltime=00:59:00'
    const trace = read([
      '01/01/2019 00:01:33;Q;1033693.eadm;queue=route', '01/01/2019 00:01:40;Q;1033693.eadm;queue=devel', `01/01/2019 00:01:44;S;1033693.eadm ${asked}`,
      `01/01/2019 00:28:07;E;1033693.eadm ${asked} resources_used.walltime=00:26:03 account=e9f5 jobstr=362c`,
    ])
    expect([...jobsOf(trace)]).toEqual([{ id: '1033693', submit: 0, account: 'e9f5', estimate: 3540, recorded: { wait: 11 }, stages: [{ name: 'job', tasks: 1, demand: { procs: 160 }, duration: 1583 }] }])
    expect(trace.start).toBe(1_546_300_893)
    // of which a part that begins with them is known, too
    expect(read([`01/01/2019 00:01:44;S;7.eadm ${asked}`, ended()]).format).toBe('pbs')
  })

  it.each<[string, string, string]>([
    ['a time that is none', ended({ ctime: 'soon' }), '"20240131" line 1 ctime: found "soon", expected a number of seconds.'],
    ['a selection that is none', ended({ 'Resource_List.select': '2:ncpus=many' }), '"20240131" line 1 Resource_List.select: found "2:ncpus=many", expected chunks such as 2:ncpus=8+1:ncpus=4.'],
    ['nodes that are none', ended({ ...torque, 'Resource_List.nodes': '2:ppn=x' }), '"20240131" line 1 Resource_List.nodes: found "2:ppn=x", expected nodes such as 4:ppn=16.'],
    ['a number of nodes that is none', ended({ ...torque, 'Resource_List.nodect': '2:ppn=x', 'Resource_List.nodes': '' }), '"20240131" line 1 Resource_List.nodect: found "2:ppn=x", expected a number of nodes, or nodes such as 4:ppn=16.'],
    ['places that are none', ended({ exec_host: 'n1/a' }), '"20240131" line 1 exec_host: found "n1/a", expected places such as n1/0*16+n2/0*16.'],
    ['a limit that is none', ended({ 'Resource_List.walltime': 'long' }), '"20240131" line 1 Resource_List.walltime: found "long", expected a span of time such as 12:00:00.'],
    ['memory that is none', ended({ 'Resource_List.mem': 'much' }), '"20240131" line 1 Resource_List.mem: found "much", expected an amount of memory such as 16gb.'],
    ['a job without an id', ended({}, ''), '"20240131" line 1 job: is empty.'],
    ['a line that is no record', `${record('Q', '1.p')}\nresources_used.mem=12kb`, '"20240131" line 2: found "resources_used.mem=12kb", expected a record: MM/DD/YYYY HH:MM:SS;KIND;JOB;... Was the file cut short?'],
  ])('names file, line and field of %s', (_, text, message) => {
    expect(messageOf(() => read([text]))).toContain(message)
    const kept = read([text, ended({}, '7.p')], {}, { onBadLine: 'skip' })
    expect([[...jobsOf(kept)].map(({ id }) => id), kept.report.skipped]).toEqual([['7'], 1])
  })

  it('says of a day on which no job ended why none is left', () => {
    expect(messageOf(() => read([record('Q', '1.p'), record('S', '1.p')]))).toContain('the trace holds no jobs or none is left: 2 events other than the end of a job (Q, S): passed over (records)')
  })
})

describe('amounts as PBS writes them', () => {
  it.each([['8mb', 8], ['1024kb', 1], ['1tb', 1_048_576], ['2GB', 2048], ['2048', 1], ['1gw', 8192], ['100b', 1], ['1.5gb', 1536], ['many', undefined]])('%s are %s MiB', (text, mib) => {
    expect(memoryOf(text)).toBe(mib)
  })

  it('adds chunks, nodes and places', () => {
    expect(selected('3:ncpus=4:ngpus=2:mem=1gb:x="a+b:ncpus=9"+ncpus=2')).toEqual({ nodes: 4, procs: 14, gpus: 6, mem: 3072 })
    expect(specified('2:ppn=8:gpus=1+n07:ppn=4:big#shared')).toEqual({ nodes: 3, procs: 20, gpus: 2, mem: -1 })
    expect(executed('n1/0*16+n2/1*16+n1/5')).toEqual({ nodes: 2, procs: 33 })
    expect([selected('2:ncpus='), specified('2:ppn='), executed('n1/3-1'), executed('n1/x')]).toEqual([undefined, undefined, undefined, undefined])
  })
})
