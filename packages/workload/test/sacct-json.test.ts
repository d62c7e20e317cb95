import type { JobSpec } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detectFormatOf, jobsOf, parseTrace, type Trace } from '../src/index.js'
import { sacctJsonFormat } from '../src/slurm/sacct-json.js'
import { LineDecoder } from '../src/trace/line-decoder.js'
import { bytesOf, messageOf, skip } from './reading.js'

const set = (number: number) => ({ set: true, infinite: false, number })
const unset = { set: false, infinite: false, number: 0 }
const infinite = { set: false, infinite: true, number: 0 }
const SUBMIT = 1_700_000_000

/** Times of a job that waited 60 s and ran an hour of its two, changed in some. */
const time = (change: object = {}) => ({ elapsed: 3600, eligible: SUBMIT, end: SUBMIT + 3660, start: SUBMIT + 60, submission: SUBMIT, suspended: 0, limit: set(120), ...change })
const usualTres = {
  allocated: [{ type: 'cpu', name: '', id: 1, count: 32 }, { type: 'energy', name: '', id: 3, count: -2 }, { type: 'node', name: '', id: 4, count: 2 }],
  requested: [{ type: 'cpu', name: '', id: 1, count: 30 }, { type: 'mem', name: '', id: 2, count: 65_536 }, { type: 'gres', name: 'gpu', id: 1001, count: 4 }, { type: 'gres', name: 'gpu:a100', id: 1002, count: 4 }],
}
/** A job of v0.0.40 and later, with a step inside. */
const job = (change: object = {}) => ({
  account: 'proj', allocation_nodes: 2, array: { job_id: 0, task_id: unset, task: '' }, association: { account: 'proj', user: 'ada' }, time: time(), group: 'math', het: { job_id: 0, job_offset: unset },
  job_id: 101, partition: 'main', priority: set(500), qos: 'normal', required: { CPUs: 30, memory_per_cpu: set(2000), memory_per_node: unset }, state: { current: ['COMPLETED'], reason: 'None' },
  steps: [{ step: { id: '101.batch' }, time: { elapsed: 9 }, tres: { allocated: [{ type: 'cpu', count: 1 }] } }], tres: usualTres, user: 'ada', ...change,
})
const other = job({ job_id: 999 })
const output = (jobs: readonly object[], around: object = { errors: [], warnings: [{ description: 'a "jobs": [{' }] }) => ({ meta: { plugin: { type: 'openapi/dbv0.0.40' }, slurm: { release: '24.05.4' }, jobs: '[{' }, jobs, ...around })
const text = (jobs: readonly object[]) => JSON.stringify(output(jobs), undefined, 1)
const read = (content: string, options: object = {}) => parseTrace(bytesOf(content), { file: 's.json', options })
const jobs = (content: string, options?: object) => [...jobsOf(read(content, options))]
const first = (change: object, options?: object) => jobs(text([job(change), other]), options)[0]!
const demand = ({ stages }: JobSpec) => stages[0]!.demand

/** But for what is told of GPUs, which the usual job held and is not asked to. */
const notesOf = (trace: Trace) => trace.report.notes?.filter((note) => !note.endsWith('(noGpus)'))

describe('sacct --json', () => {
  it('gives the jobs that the table of sacct gives', () => {
    const table = ['JobID|User|Group|Account|Partition|QOS|Priority|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|NNodes|ReqCPUS|NCPUS|ReqTRES',
      `101|ada|math|proj|main|normal|500|${SUBMIT}|${SUBMIT + 60}|${SUBMIT + 3660}|3600|120|COMPLETED|2|30|32|cpu=30,mem=64G,gres/gpu=4,gres/gpu:a100=4`].join('\n')
    const options = { memory: 'requested', gpuDemand: true }
    expect(jobs(text([job()]), options)).toEqual(jobs(table, options))
    expect(jobs(text([job()]), options)[0]).toMatchObject({ id: '101', estimate: 7200, recorded: { wait: 60, status: 'completed' }, stages: [{ demand: { procs: 30, mem: 65_536, gpus: 4 }, duration: 3600 }] })
  })

  it('makes one job of the parts of a heterogeneous one, as the table of sacct does', () => {
    const part = (offset: number, CPUs: number) => job({ job_id: 90 + offset, het: { job_id: 90, job_offset: set(offset) }, tres: { allocated: [] }, required: { CPUs } })
    const [found, ...others] = jobs(text([part(0, 2), part(1, 8), other]))
    expect([found!.id, found!.gang, found!.stages.map((stage) => stage.demand['procs']), others.map(({ id }) => id)]).toEqual(['90', true, [2, 8], ['999']])
    expect(jobs(text([part(0, 2), part(1, 8)]), { hetjobs: 'apart' }).map(({ id }) => id)).toEqual(['90+0', '90+1'])
  })

  it.each<[string, object, object, (job: JobSpec) => unknown, unknown]>([
    ['a state without a list (v0.0.39)', { state: { current: 'CANCELLED by 7' } }, {}, ({ recorded }) => recorded!.status, 'cancelled'],
    ['the first of several states', { state: { current: ['TIMEOUT', 'COMPLETING'] } }, {}, ({ recorded }) => recorded!.status, 'timeout'],
    ['plain numbers (v0.0.38)', { time: time({ limit: 120 }), priority: 7 }, {}, ({ estimate, priority }) => [estimate, priority], [7200, 7]],
    ['no limit', { time: time({ limit: infinite }) }, { missingEstimate: 'unknown' }, ({ estimate }) => estimate, undefined],
    ['no limit as a number', { time: time({ limit: 4_294_967_295 }) }, { missingEstimate: 'unknown' }, ({ estimate }) => estimate, undefined],
    ['no limit as a word (+complex)', { time: time({ limit: 'Infinity' }) }, { missingEstimate: 'unknown' }, ({ estimate }) => estimate, undefined],
    ['a limit that is not set', { time: time({ limit: unset }) }, {}, ({ estimate }) => estimate, 3600],
    ['a limit that is null', { time: time({ limit: null }) }, {}, ({ estimate }) => estimate, 3600],
    ['a priority of NO_VAL', { priority: 4_294_967_294 }, {}, ({ priority }) => priority, undefined],
    ['processors it was given', {}, { processors: 'allocated' }, demand, { procs: 32 }],
    ['processors of the request where there is no other number', { required: {} }, {}, demand, { procs: 30 }],
    ['whole nodes', {}, { unit: 'nodes' }, demand, { nodes: 2 }],
    ['memory per processor', { tres: { allocated: usualTres.allocated, requested: [{ type: 'cpu', count: 30 }] } }, { memory: 'requested' }, demand, { procs: 30, mem: 60_000 }],
    ['memory per node', { tres: { allocated: usualTres.allocated }, required: { CPUs: 30, memory_per_cpu: unset, memory_per_node: set(600) } }, { memory: 'requested' }, demand, { procs: 30, mem: 1200 }],
    ['licences', { tres: { requested: [{ type: 'license', name: 'fluent', count: 2 }, { type: 'cpu', count: 8 }] } }, {}, ({ licenses }) => licenses, { fluent: 2 }],
    ['licences as a text', { licenses: 'fluent:2,matlab' }, {}, ({ licenses }) => licenses, { fluent: 2, matlab: 1 }],
    ['one of several licences, which is not said', { licenses: 'fluent:2|ansys' }, {}, ({ licenses }) => licenses, undefined],
    ['GPUs of several kinds', { tres: { requested: [{ type: 'gres', name: 'gpu:a100', count: 2 }, { type: 'gres', name: 'gpu:v100', count: 1 }, { type: 'gres', name: 'shard', count: 8 }] } }, { gpuDemand: true }, demand, { procs: 30, gpus: 3 }],
    ['a task of an array', { array: { job_id: 90, task_id: set(7) } }, {}, ({ id }) => id, '90_7'],
    ['a task of an array in plain numbers', { array: { job_id: 90, task_id: 0 } }, {}, ({ id }) => id, '90_0'],
    ['a job of an array without a task', { array: { job_id: 90, task_id: null } }, {}, ({ id }) => id, '101'],
    ['the first of the tasks of an array that wait', { state: { current: ['PENDING'], reason: 'Priority' }, array: { job_id: 90, task_id: unset, task: '3-4' } }, { pending: 'estimate' }, ({ id }) => id, '90_3'],
    ['how many tasks of an array may run at once', { array: { job_id: 90, task_id: set(7), limits: { max: { running: { tasks: 4 } } } } }, {}, ({ arrayThrottle }) => arrayThrottle, 4],
    ['no such number where any may', { array: { job_id: 90, task_id: set(7), limits: { max: { running: { tasks: 0 } } } } }, {}, ({ arrayThrottle }) => arrayThrottle, undefined],
    ['that number in the command', { array: { job_id: 90, task_id: set(7) }, submit_line: 'sbatch --array=0-9%3 job.sh' }, {}, ({ arrayThrottle }) => arrayThrottle, 3],
    ['a part of a heterogeneous job', { het: { job_id: 90, job_offset: set(1) } }, {}, ({ id }) => id, '90+1'],
    ['the user of its association', { user: '' }, {}, ({ user }) => user, 'ada'],
    ['another queue', {}, { queue: 'qos' }, ({ queue }) => queue, 'normal'],
  ])('reads %s', (_, change, options, facts, expected) => {
    expect(facts(first(change, options))).toEqual(expected)
  })

  it.each<[string, object, string]>([
    ['never started', { time: time({ start: 0, end: 0, elapsed: 0 }), state: { current: ['PENDING'] } }, '1 job that never started: left out (neverStarted)'],
    ['were cancelled in the queue', { time: time({ start: SUBMIT + 5, end: SUBMIT + 5, elapsed: 0 }), tres: { allocated: [], requested: [] } }, '1 job that never started: left out (neverStarted)'],
    ['still run', { time: time({ end: 0 }) }, '1 job of unknown run time: left out (unknownRuntime)'],
  ])('leaves out jobs that %s, counted', (_, change, note) => {
    const trace = read(text([job(change), other]), { procs: 100 })
    expect([[...jobsOf(trace)].map(({ id }) => id), notesOf(trace)]).toEqual([['999'], [note]])
  })

  it('knows the start of versions that give the time of eligibility for it', () => {
    // ended 4000 s after it was eligible, ran 3600 and was suspended for 100: started 300 s after it
    const trace = read(text([job({ time: time({ eligible: SUBMIT + 10, start: SUBMIT + 10, end: SUBMIT + 4010, suspended: 100 }) })]), { procs: 100 })
    expect([...jobsOf(trace)][0]!.recorded).toEqual({ wait: 310, status: 'completed' })
    expect(notesOf(trace)).toEqual(['1 job whose start is the time at which they became eligible (Slurm up to 22.05): started as long before their end as they ran (eligible)'])
  })

  it.each([2 ** 32 - 1, infinite])('has %j of a time for one that is not known: the run time is then that between start and end', (unknown) => {
    expect(first({ time: time({ elapsed: unknown }) }).stages[0]!.duration).toBe(3600)
    expect(notesOf(read(text([job({ time: time({ submission: unknown }) }), job({ job_id: 5, time: time({ start: unknown }) }), other])))?.map((note) => /\((\w+)\)$/.exec(note)?.[1])).toEqual(expect.arrayContaining(['neverStarted', 'submit']))
  })

  it('submits jobs when they became eligible where it is told to', () => {
    const later = text([job({ time: time({ eligible: SUBMIT + 3000, start: SUBMIT + 3010, end: SUBMIT + 6610 }) }), other])
    const found = (options?: object) => jobs(later, options).find(({ id }) => id === '101')!.recorded!.wait
    expect([found(), found({ submit: 'eligible' })]).toEqual([3010, 10])
  })

  it('has jobs wait for those that they depend on where it is told to', () => {
    const trace = read(text([job(), job({ job_id: 102, submit_line: 'sbatch --dependency=afterok:101 job.sh' })]), { dependencies: 'keep' })
    expect([[...jobsOf(trace)].map(({ after }) => after), trace.chained]).toEqual([[undefined, '101'], true])
  })

  it('says of jobs with --exclusive that they share no node', () => {
    expect(jobs(text([job({ submit_line: 'sbatch --exclusive job.sh' }), other])).map(({ exclusive }) => exclusive)).toEqual([true, undefined])
  })

  it('has every run of a requeued job', () => {
    const again = job({ time: time({ submission: SUBMIT + 9, eligible: SUBMIT + 9 }) })
    expect(jobs(text([job(), again])).map(({ id }) => id)).toEqual(['101', '101#2'])
    expect(read(text([job(), job()])).report.rules).toContainEqual(expect.objectContaining({ rule: 'twice', jobs: 1 }))
  })

  it.each<[string, string]>([
    ['on one line', JSON.stringify(output([job(), other]))],
    ['a list of jobs', JSON.stringify([job(), other])],
    ['one job after another', `${JSON.stringify(job())}\n${JSON.stringify(other)}\n`],
    ['with keys sorted', JSON.stringify({ errors: [], jobs: [job(), other], meta: { slurm: {} } })],
  ])('may stand %s', (_, content) => {
    expect(jobs(content)).toEqual(jobs(text([job(), other])))
    expect(detectFormatOf(bytesOf(content)).name).toBe('sacct-json')
  })

  it('streams the same jobs, cut anywhere', () => {
    for (const content of [text([job(), other]), JSON.stringify(output([job(), other]))]) {
      fc.assert(fc.property(fc.integer({ min: 1, max: content.length }), (chunk) => {
        const decoder = new LineDecoder((place) => sacctJsonFormat.create(sacctJsonFormat.options.parse({}), place), {})
        const found: JobSpec[] = []
        for (let at = 0; at <= content.length; at += chunk) {
          decoder.push(bytesOf(content.slice(at, at + chunk)))
          if (at + chunk >= content.length) decoder.end()
          for (let next = decoder.next(); next !== undefined; next = decoder.next()) found.push(next)
        }
        expect(found).toEqual(jobs(content))
      }), { numRuns: 15, seed: 20_266 })
    }
  })

  it.each<[string, string, string]>([
    ['a limit that is no number', JSON.stringify(output([job({ time: time({ limit: 'soon' }) })])), `"s.json" line 1 time.limit: found "soon", expected a number of at least 0. ${skip}`],
    ['a time that is none', JSON.stringify([other, job({ time: 'noon' })]), `"s.json" line 1 time: found "noon", expected an object. ${skip}`],
    ['no times', JSON.stringify([{ ...job(), time: undefined }, { submission: 1 }]), `"s.json" line 1 time: is missing. Print jobs with \`sacct --json\`, which gives time, job_id, required and tres, or drop such lines with onBadLine "skip".`],
    ['no id', JSON.stringify(output([job({ job_id: null })])), `"s.json" line 1 job_id: is missing. ${skip}`],
    ['an amount that is a list', JSON.stringify(output([job({ priority: [1] })])), `"s.json" line 1 priority: found [1], expected an object. ${skip}`],
    ['a cut within a job', text([job(), other]).slice(0, -900), '"s.json" line 219: the object that begins on line 145 has no end. Was the file cut short? Copy it again, or drop such lines with onBadLine "skip".'],
    ['a cut between jobs', `{"jobs": [\n${JSON.stringify(job())},\n`, '"s.json" line 2: the object that begins on line 1 has no end. Was the file cut short? Copy it again, or drop such lines with onBadLine "skip".'],
    ['no jobs', JSON.stringify(output([])), '"s.json": the trace holds no jobs.'],
    ['jobs of squeue', JSON.stringify({ jobs: [{ job_id: 1, job_state: ['RUNNING'], submit_time: set(1) }] }), '"s.json": looks like jobs of squeue or scontrol in JSON (sacct --json prints those that have ended), which is no trace format known here.'],
  ])('answers %s', (_, content, message) => {
    expect(messageOf(() => read(content)).slice(0, message.length)).toBe(message)
  })
})
