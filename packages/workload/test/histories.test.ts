import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { detectFormatOf, jobsOf, parseTrace } from '../src/index.js'
import { openTrace, openTraceFile } from '../src/node/index.js'
import { bytesOf, messageAfter, messageOf, streamed } from './reading.js'
import { temporaryFolder, writeFiles } from './temporary.js'

const folder = temporaryFolder()
const files = (name: string, contents: Parameters<typeof writeFiles>[1]) => writeFiles(join(folder, name), contents)
const read = (text: string | Uint8Array, options: object = {}) => parseTrace(typeof text === 'string' ? bytesOf(text) : text, { file: 'h', options })
const jobs = (text: string | Uint8Array, options?: object) => [...jobsOf(read(text, options))]
const container = { vcores: 1, 'memory-mb': 1024 }

/** A schema with the parts of Hadoop's that are read, in the names of its types. */
const text = (name: string) => ({ name, type: 'string' })
const long = (name: string) => ({ name, type: 'long' })
const types = ['JOB_SUBMITTED', 'JOB_INFO_CHANGED', 'JOB_FINISHED', 'JOB_KILLED', 'TASK_STARTED', 'MAP_ATTEMPT_STARTED', 'MAP_ATTEMPT_FINISHED', 'MAP_ATTEMPT_KILLED', 'REDUCE_ATTEMPT_STARTED', 'REDUCE_ATTEMPT_FINISHED', 'AM_STARTED']
const records: Record<string, { name: string; type: unknown }[]> = {
  JobSubmitted: [text('jobid'), text('jobName'), text('userName'), long('submitTime'), { name: 'acls', type: { type: 'map', values: 'string' } }, text('jobQueueName'), { name: 'workflowId', type: ['null', 'string'] }],
  JobInfoChange: [text('jobid'), long('submitTime'), long('launchTime')],
  JobFinished: [text('jobid'), long('finishTime'), { name: 'totalCounters', type: { type: 'record', name: 'JhCounters', fields: [text('name'), { name: 'counts', type: { type: 'array', items: 'long' } }] } }],
  JobUnsuccessfulCompletion: [text('jobid'), long('finishTime'), text('jobStatus')],
  TaskStarted: [text('taskid'), text('taskType'), long('startTime')],
  TaskAttemptStarted: [text('taskid'), text('attemptId'), long('startTime')],
  AttemptFinished: [text('taskid'), text('attemptId'), long('finishTime'), text('hostname'), { name: 'counters', type: 'JhCounters' }, { name: 'uber', type: 'boolean' }],
  TaskAttemptUnsuccessfulCompletion: [text('taskid'), text('attemptId'), long('finishTime')],
  AMStarted: [text('applicationAttemptId'), long('startTime')],
}
const schema = {
  type: 'record', name: 'Event', namespace: 'org.apache.hadoop.mapreduce.jobhistory',
  fields: [{ name: 'type', type: { type: 'enum', name: 'EventType', symbols: types } }, { name: 'event', type: Object.entries(records).map(([name, fields]) => ({ type: 'record', name, fields })) }],
}
type Event = readonly [type: string, record: string, fields: Readonly<Record<string, unknown>>]
const counters = { name: 'COUNTERS', counts: [1, 300, 118_655_541_199] }
const started = (id: string, kind: string, start: number, attempt = 0): Event[] => [
  ['TASK_STARTED', 'TaskStarted', { taskid: id, taskType: kind, startTime: start - 5 }],
  [`${kind}_ATTEMPT_STARTED`, 'TaskAttemptStarted', { taskid: id, attemptId: `${id}_${attempt}`, startTime: start }],
]
const finished = (id: string, kind: string, end: number, attempt = 0): Event =>
  [`${kind}_ATTEMPT_FINISHED`, 'AttemptFinished', { taskid: id, attemptId: `${id}_${attempt}`, finishTime: end, hostname: '/r1/n1', counters, uber: false }]
const at = 1_700_000_000_000
const history = (job: string, submit: number): Event[] => [
  ['AM_STARTED', 'AMStarted', { applicationAttemptId: 'a', startTime: at + submit }],
  ['JOB_SUBMITTED', 'JobSubmitted', { jobid: job, jobName: 'word count', userName: 'ann', submitTime: at + submit, acls: { view: '*' }, jobQueueName: 'root.q', workflowId: null }],
  ['JOB_INFO_CHANGED', 'JobInfoChange', { jobid: job, submitTime: at + submit, launchTime: at + submit + 900 }],
  ...started('m0', 'MAP', at + submit + 1000), ...started('m1', 'MAP', at + submit + 1000), ...started('m2', 'MAP', at + submit + 1000), ...started('r0', 'REDUCE', at + submit + 2000),
  ['MAP_ATTEMPT_STARTED', 'TaskAttemptStarted', { taskid: 'm0', attemptId: 'm0_1', startTime: at + submit + 2000 }],
  finished('m0', 'MAP', at + submit + 4500, 1),
  ['MAP_ATTEMPT_KILLED', 'TaskAttemptUnsuccessfulCompletion', { taskid: 'm0', attemptId: 'm0_0', finishTime: at + submit + 4600 }],
  finished('m1', 'MAP', at + submit + 11_000), finished('r0', 'REDUCE', at + submit + 9000),
  ['JOB_FINISHED', 'JobFinished', { jobid: job, finishTime: at + submit + 12_000, totalCounters: counters }],
]
/** As Avro writes it in JSON: a value of one of several types stands under the type's name. */
const asJson = (events: readonly Event[]) => `Avro-Json\n${JSON.stringify(schema)}\n${events.map(([type, record, fields]) => `${JSON.stringify({ type, event: { [`${schema.namespace}.${record}`]: fields } })}\n\n`).join('')}`

/** The same in Avro's binary encoding: numbers zigzag in 7 bits a byte, lengths before texts, blocks of elements up to an empty one. */
function asBinary(events: readonly Event[]): Uint8Array {
  const bytes: number[] = []
  const whole = (value: number) => {
    let rest = BigInt(value) >= 0n ? BigInt(value) * 2n : -BigInt(value) * 2n - 1n
    for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
    bytes.push(Number(rest))
  }
  const word = (value: string) => {
    whole(bytesOf(value).length)
    bytes.push(...bytesOf(value))
  }
  const write = (type: unknown, value: unknown): void => {
    if (type === 'string') return word(value as string)
    if (type === 'long') return whole(value as number)
    if (type === 'boolean') return void bytes.push(value === true ? 1 : 0)
    if (type === 'JhCounters') return write((records['JobFinished']![2] as { type: unknown }).type, value)
    if (Array.isArray(type)) return whole(value === null ? 0 : 1)
    const { type: kind, fields, items } = type as { type: string; fields: { name: string; type: unknown }[]; items: unknown }
    if (kind === 'record') return fields.forEach((field) => write(field.type, (value as Record<string, unknown>)[field.name]))
    const elements = kind === 'map' ? Object.entries(value as object) : (value as unknown[])
    if (elements.length > 0) {
      whole(kind === 'map' ? elements.length : -elements.length) // a negative number is followed by a size
      if (kind !== 'map') whole(0)
    }
    for (const each of elements) {
      if (kind === 'map') (each as [string, string]).forEach((part) => word(part))
      else write(items, each)
    }
    whole(0)
  }
  for (const [type, record, fields] of events) {
    whole(types.indexOf(type))
    whole(Object.keys(records).indexOf(record))
    write({ type: 'record', fields: records[record] }, fields)
  }
  return Uint8Array.from([...bytesOf(`Avro-Binary\n${JSON.stringify(schema)}\n`), ...bytes])
}

describe('job histories of MapReduce', () => {
  const expected = {
    id: 'job_1', submit: 0, user: 'ann', queue: 'root.q', application: 'word count', recorded: { runtime: 12, status: 'succeeded' },
    stages: [{ name: 'map', tasks: 2, demand: container, duration: [2.5, 10] }, { name: 'reduce', tasks: 1, demand: container, duration: 7, after: [{ stage: 0, fraction: 1 }] }],
  }

  it('are jobs of the attempts that succeeded; reduces wait for the maps', () => {
    const trace = read(asJson(history('job_1', 0)))
    expect([...jobsOf(trace)]).toEqual([expected])
    expect([trace.format, trace.report.rules!.map(({ rule, jobs: count }) => [rule, count])]).toEqual(['jhist', [['attempts', 1], ['unknownRuntime', 1]]])
    expect(jobs(asJson(history('job_1', 0)), { demand: 'slots', hosts: true })[0]!.stages[0]).toEqual({ name: 'map', tasks: 2, demand: { map: 1 }, duration: [2.5, 10], data: { hosts: [['n1'], ['n1']] } })
  })

  it('are read in both encodings, one after another, packed, and from the files of a directory, with the same jobs', async () => {
    const [first, second] = [history('job_1', 5000), history('job_2', 0)]
    const both = [{ ...expected, id: 'job_2' }, { ...expected, id: 'job_1', submit: 5 }]
    expect(jobs(asJson(first) + asJson(second))).toEqual(both)
    expect(jobs(Uint8Array.from([...asBinary(first), ...asBinary(second)]))).toEqual(both)
    expect(detectFormatOf(asBinary(first)).name).toBe('jhist')
    const path = files('done', {
      '2024/01/job_10.jhist': asBinary(first), '2024/01/job_9.jhist.gz': gzipSync(asJson(second)), '2024/01/job_10_conf.xml': '<configuration/>', '2024/01/.job_9.crc': 'crc', '_SUCCESS': '',
    })
    expect(await streamed(await openTraceFile(path))).toEqual(both)
    expect([...jobsOf(openTrace(join(path, '2024/01/job_10.jhist')))]).toEqual([{ ...expected, submit: 0 }])
  })

  it('tell the file and the line of what cannot be used', async () => {
    const cut = asJson(history('job_1', 0)).slice(0, -60)
    expect(messageOf(() => read(cut))).toMatch(/^"h" line 35: is not JSON\. Was the file cut short\? Copy it again, or drop such lines/)
    const path = files('cut', { 'a.jhist': asJson(history('job_1', 0)), 'b.jhist': cut })
    expect(await messageAfter(openTraceFile(path).then(streamed), `${folder}/`)).toMatch(/^"cut\/b\.jhist" line 35: is not JSON\./)
    const skipped = await openTraceFile(path, { onBadLine: 'skip' })
    expect([(await streamed(skipped)).length, skipped.report.skipped, skipped.report.lines]).toEqual([2, 1, 72])
    for (const length of [5000, 300]) {
      const binary = asBinary(history('job_1', 0))
      expect(messageOf(() => read(binary.slice(0, Math.min(length, binary.length - 3))))).toMatch(/^"h": is a job history of Hadoop that cannot be read beyond event \d+\. Was it cut short\? Copy it again\.$/)
    }
    // a mark before the first line, a schema of events without bytes, and more elements than there are bytes: none may be read for ever
    const endless = [Uint8Array.from([0xef, 0xbb, 0xbf, ...asBinary(history('job_1', 0))]), bytesOf('Avro-Binary\n"null"\nx'), bytesOf('Avro-Binary\n{"type":"array","items":"null"}\n\u007e\u007e')]
    for (const bytes of endless) expect(messageOf(() => parseTrace(bytes, { file: 'h', format: 'jhist' }))).toContain('"h": is a job history of Hadoop that cannot be read beyond event ')
    expect(messageOf(() => read(asJson([['JOB_KILLED', 'JobUnsuccessfulCompletion', { jobid: 'j', finishTime: 1, jobStatus: 'KILLED' }]])))).toBe('"h": the trace holds no jobs or none is left: 1 job without a task of known run time: left out (noTasks). Choose other rules, or another file.')
    expect(await messageAfter(openTraceFile(files('others', { 'a.csv': 'id,submit,duration\n' })), `${folder}/`)).toContain('"others": cannot read: is a directory.')
  })
})

/** As zstd packs what it cannot make smaller: frames of one raw block each. */
function zstd(content: string): Uint8Array {
  const bytes = bytesOf(content)
  const frames = Array.from({ length: Math.ceil(bytes.length / 200) }, (_, i) => bytes.subarray(i * 200, i * 200 + 200))
  return Buffer.concat(frames.map((part) => Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, part.length, ((part.length << 3) | 1) & 255, part.length >> 5, 0, ...part])))
}

describe('event logs of Spark', () => {
  const line = (event: string, fields: object) => `${JSON.stringify({ Event: `SparkListener${event}`, ...fields })}\n`
  const stageInfo = (id: number, parents: readonly number[] = []) => ({ 'Stage ID': id, 'Stage Attempt ID': 0, 'Stage Name': 'count', 'Number of Tasks': 2, 'RDD Info': [], 'Parent IDs': parents })
  const task = (stage: number, index: number, launch: number, finish: number, reason = 'Success') => line('TaskEnd', {
    'Stage ID': stage, 'Stage Attempt ID': 0, 'Task Type': 'ResultTask', 'Task End Reason': { Reason: reason },
    'Task Info': { 'Task ID': index, Index: index, Attempt: 0, 'Launch Time': at + launch, 'Executor ID': '1', Host: 'n1', 'Finish Time': at + finish, Failed: reason !== 'Success' }, 'Task Metrics': { 'Executor Run Time': 1 },
  })
  const properties = { 'spark.app.id': 'application_7_1', 'spark.executor.memory': '7g', 'spark.executor.memoryOverhead': '1024', 'spark.task.cpus': '2', 'spark.yarn.queue': 'etl' }
  const head = (id = 'application_7_1', start = 0, app: object = properties) =>
    line('LogStart', { 'Spark Version': '3.5.0' }) + line('EnvironmentUpdate', { 'JVM Information': {}, 'Spark Properties': app }) +
    line('ApplicationStart', { 'App Name': 'nightly', 'App ID': id, Timestamp: at + start, User: 'ann' }) +
    line('ExecutorAdded', { Timestamp: at + start + 2000, 'Executor ID': '1', 'Executor Info': { Host: 'n1', 'Total Cores': 4, 'Log Urls': {} } }) +
    line('ExecutorAdded', { Timestamp: at + start + 3000, 'Executor ID': '2', 'Executor Info': { Host: 'n2', 'Total Cores': 4, 'Log Urls': {} } })
  const log = head() +
    line('JobStart', { 'Job ID': 0, 'Submission Time': at + 5000, 'Stage Infos': [stageInfo(1, [0]), stageInfo(0)], 'Stage IDs': [0, 1], Properties: { 'spark.scheduler.pool': 'fast' } }) +
    line('TaskStart', { 'Stage ID': 0 }) + task(0, 1, 5500, 8500) + task(0, 0, 5600, 6000, 'ExceptionFailure') + task(0, 0, 6000, 7000) + task(1, 0, 9000, 9250) +
    line('JobEnd', { 'Job ID': 0, 'Completion Time': at + 9500, 'Job Result': { Result: 'JobSucceeded' } }) +
    line('JobStart', { 'Job ID': 1, 'Submission Time': at + 20_000, 'Stage Infos': [stageInfo(3, [2, 0]), stageInfo(2, []), stageInfo(0)], 'Stage IDs': [3, 2, 0], Properties: null }) +
    task(3, 0, 21_000, 24_000) + line('JobEnd', { 'Job ID': 1, 'Completion Time': at + 24_000, 'Job Result': { Result: 'JobFailed' } }) +
    line('JobStart', { 'Job ID': 2, 'Submission Time': at + 30_000, 'Stage Infos': [stageInfo(4)], 'Stage IDs': [4], Properties: {} }) + task(4, 0, 30_100, 30_200) +
    line('ExecutorRemoved', { Timestamp: at + 31_000, 'Executor ID': '2', 'Removed Reason': 'idle' })
  const ended = log + line('ApplicationEnd', { Timestamp: at + 40_000 })
  // 7 GiB and an overhead of 1 GiB on four cores, of which a task takes two
  const demand = { vcores: 2, 'memory-mb': 4096 }
  const names = { user: 'ann', queue: 'etl', application: 'nightly' }

  it('are jobs with the stages that ran, after their parents, of attempts that succeeded', () => {
    const trace = read(ended)
    expect([...jobsOf(trace)]).toEqual([
      {
        ...names, id: 'application_7_1/0', submit: 0, group: 'fast', recorded: { wait: 0.5, runtime: 4.5, status: 'succeeded' },
        stages: [{ name: 'stage0', tasks: 2, demand, duration: [1, 3] }, { name: 'stage1', tasks: 1, demand, duration: 0.25, after: [{ stage: 0, fraction: 1 }] }],
      },
      { ...names, id: 'application_7_1/1', submit: 15, recorded: { wait: 1, runtime: 4, status: 'failed' }, stages: [{ name: 'stage3', tasks: 1, demand, duration: 3 }] },
    ])
    expect([trace.format, trace.report.rules!.map(({ rule, jobs: count }) => [rule, count])]).toEqual(['spark', [['attempts', 1], ['unfinished', 1]]])
    expect(jobs(ended, { hosts: true })[0]!.stages.map(({ data }) => data)).toEqual([{ hosts: [['n1'], ['n1']] }, undefined])
  })

  it('are applications of executors, as YARN sees them', () => {
    const [job, ...others] = jobs(ended, { unit: 'executors' })
    expect([job, others]).toEqual([{ ...names, id: 'application_7_1', submit: 0, recorded: { wait: 2, runtime: 40 }, stages: [{ name: 'executors', tasks: 2, demand: { vcores: 4, 'memory-mb': 8192 }, duration: [38, 28] }] }, []])
    expect(jobs(log + line('ApplicationEnd', { Timestamp: 5 }), { unit: 'executors' })[0]!.recorded).toEqual({ wait: 2 }) // ends before it begins: not known how long it took
    expect(jobs(log, { unit: 'executors' })[0]!.stages[0]).toMatchObject({ tasks: 1, duration: [28] }) // an application that goes on: of what was removed
    // without settings: 1 GiB, and 384 MiB of overhead, which a tenth does not reach
    expect(jobs(head('a', 0, {}) + line('ApplicationEnd', { Timestamp: at + 4000 }), { unit: 'executors' })[0]!.stages[0]!.demand).toEqual({ vcores: 4, 'memory-mb': 1408 })
  })

  it('may be many, one after another or in a directory, and roll over several files', async () => {
    const second = head('application_7_2', 60_000) + line('JobStart', { 'Job ID': 0, 'Submission Time': at + 65_000, 'Stage Infos': [stageInfo(0)], Properties: {} }) + task(0, 0, 66_000, 67_000) + line('JobEnd', { 'Job ID': 0, 'Completion Time': at + 67_000, 'Job Result': { Result: 'JobSucceeded' } })
    const ids = ['application_7_1/0', 'application_7_1/1', 'application_7_2/0']
    expect(jobs(ended + second).map(({ id }) => id)).toEqual(ids)
    const lines = ended.split('\n')
    const path = files('spark', {
      'eventlog_v2_application_7_1/appstatus_application_7_1': '', 'eventlog_v2_application_7_1/events_9_application_7_1': `${lines.slice(0, 9).join('\n')}\n`, 'eventlog_v2_application_7_1/events_10_application_7_1': lines.slice(9).join('\n'), 'z.zstd': zstd(second),
    })
    expect((await streamed(await openTraceFile(path))).map(({ id }) => id)).toEqual(ids)
    const packed = files('packed', { 'a.zstd': zstd(ended), 'b.lz4': 'LZ4Block', 'cut/a.zstd': zstd(ended).subarray(0, 700) })
    expect([...jobsOf(await openTraceFile(join(packed, 'a.zstd')))].map(({ id }) => id)).toEqual(ids.slice(0, 2))
    expect(await messageAfter(openTraceFile(join(packed, 'cut/a.zstd')), `${folder}/`)).toBe('"packed/cut/a.zstd": the zstd data is damaged or cut short. Copy the file again.')
    expect(await messageAfter(openTraceFile(packed).then(streamed), `${folder}/`)).toContain('"packed/b.lz4" line 1: found "LZ4Block", expected an event in JSON.')
  })

  it('tell where stages have resource profiles of their own, and where the log does not say which wait for which', () => {
    const infos = [{ ...stageInfo(0), 'Resource Profile Id': 2 }, { ...stageInfo(1), 'Resource Profile Id': 0, 'Parent IDs': undefined }]
    const both = head() + line('JobStart', { 'Job ID': 0, 'Submission Time': at + 5000, 'Stage Infos': infos, 'Stage IDs': [0, 1] }) + task(0, 0, 5500, 6500) + task(1, 0, 7000, 8000) +
      line('JobEnd', { 'Job ID': 0, 'Completion Time': at + 8000, 'Job Result': { Result: 'JobSucceeded' } })
    expect(read(both).report.notes).toEqual([
      '1 job of several stages whose dependencies the log does not tell (Spark 1.3): all at once (parents)',
      '1 job with resource profiles of stages: all stages ask for what spark.task.cpus and spark.executor.* say (profiles)',
    ])
    expect(jobs(both)[0]!.stages.map(({ after }) => after)).toEqual([undefined, undefined])
  })

  it('tell what cannot be used', () => {
    expect(messageOf(() => read(log + task(4, 1, 5, 3)))).toMatch(/^"h" line 19 Task Info\.Finish Time: it ends 2 ms before it starts\./)
    expect(messageOf(() => read(`${log}{"Event":"SparkListenerTaskEnd","Stage`))).toMatch(/^"h" line 19: is not JSON\. Was the file cut short\?/)
    expect(messageOf(() => read(log + line('JobStart', { 'Job ID': 5 })))).toMatch(/^"h" line 19 Submission Time: is missing\. Spark writes it from version 1\.3 on\. Read logs of Spark 1\.3 or later, or drop such lines/)
    expect(messageOf(() => read(head()))).toBe('"h": the trace holds no jobs. Is it the right file, and whole?')
  })
})
