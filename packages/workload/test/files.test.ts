import { SchedError, type JobSource, type Workload } from '@sched/core'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { facebook, facebookMixed, jobsOf, sensitivity, streamJobs, take, writeWorkload } from '../src/index.js'
import { chunksOf } from '../src/node/chunks.js'
import { detectFormat, openTrace, openTraceFile, readBytes, saveWorkload, swim } from '../src/node/index.js'

let folder = ''
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'sched-workload-'))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const inFolder = (name: string) => join(folder, name)
function file(name: string, content: string | Uint8Array): string {
  writeFileSync(inFolder(name), content)
  return inFolder(name)
}
const nativeText = [...writeWorkload(facebookMixed())].join('')
const rows = Array.from({ length: 3_000 }, (_, i) => `job${i}\t${i}\t${i === 0 ? 0 : 1}\t${(i * 7919) % 1_000_003}\t0\t${i}\n`).join('')
const ids = async (workload: Workload) => {
  const found: string[] = []
  for await (const { id } of streamJobs(workload)) found.push(id)
  return found
}
const isStream = (source: JobSource) => source.more !== undefined

/** The same with the path in messages replaced, so that they can be compared. */
const messageOf = async (doing: () => unknown) => {
  try {
    await doing()
  } catch (error) {
    expect(error).toBeInstanceOf(SchedError)
    return (error as SchedError).message.replaceAll(`${folder}/`, '')
  }
  return 'no error'
}

describe('openTrace', () => {
  it('tells the format by content, whatever the name, packed or not', () => {
    expect(detectFormat(file('a.txt', nativeText))).toBe('sched-workload')
    expect(detectFormat(file('b.tsv', rows))).toBe('swim')
    expect(detectFormat(file('c.tsv', gzipSync(rows)))).toBe('swim')
    expect(detectFormat(file('d.bin', gzipSync(nativeText)))).toBe('sched-workload')
    expect(detectFormat(file('bom.tsv', `\uFEFF${rows}`))).toBe('swim')
  })

  it('gives the jobs that were written, held or streamed, packed or not', { tags: 'long' }, async () => {
    const expected = [...jobsOf(facebookMixed())]
    const paths = [file('plain.jsonl', nativeText), file('packed.jsonl', gzipSync(nativeText))]
    for (const path of paths)
      for (const stream of [false, true]) {
        const found = []
        for await (const job of streamJobs(openTrace(path, { stream }))) found.push(job)
        expect(found).toEqual(expected)
      }
  })

  it('reads a stream in chunks of any size, packed or not', async () => {
    for (const path of [file('many.tsv', rows), file('many.tsv.gz', gzipSync(rows))])
      for (const size of [500, 4096, 1 << 20]) {
        const next = chunksOf(path, size)
        const chunks: Uint8Array[] = []
        for (let chunk = await next(); chunk !== undefined; chunk = await next()) chunks.push(chunk)
        expect(Buffer.concat(chunks).toString()).toBe(rows)
        expect(await next()).toBeUndefined()
      }
  })

  it('reads a stream as often as it is opened', async () => {
    const trace = swim(file('often.tsv', rows), { stream: true })
    expect(await ids(trace)).toEqual(Array.from({ length: 3_000 }, (_, i) => `job${i}`))
    expect(await ids(trace)).toEqual(Array.from({ length: 3_000 }, (_, i) => `job${i}`))
    expect(trace.report).toEqual({ lines: 3_000, jobs: 3_000, skipped: 0, problems: [] })
  })

  it('reads gzip in several members, and passes over what follows the last one', async () => {
    const half = rows.indexOf('\n', rows.length / 2) + 1
    const members = [gzipSync(rows.slice(0, half)), gzipSync(rows.slice(half))]
    const padding = new Uint8Array(3_000_000)
    for (const [name, parts] of [['members', members], ['padded', [...members, padding]]] as const)
      for (const stream of [false, true]) expect((await ids(swim(file(`${name}.gz`, Buffer.concat(parts)), { stream }))).length).toBe(3_000)
  })

  it('reads two openings of one stream side by side', async () => {
    const trace = swim(file('two.tsv', rows), { stream: true })
    const [one, two] = [trace.open(), trace.open()]
    expect([await one.more!(), one.next()?.id, one.next()?.id]).toEqual([true, 'job0', 'job1'])
    expect([await two.more!(), two.next()?.id]).toEqual([true, 'job0'])
    expect(one.next()?.id).toBe('job2')
  })

  it('answers more with true only when a job is waiting, and with false at the end as often as it is asked', async () => {
    const source = swim(file('few.tsv', 'a\t0\t0\t1\t0\t0\n\n'), { stream: true }).open()
    expect([source.next(), await source.more!(), await source.more!(), source.next()?.id, source.next()]).toEqual([undefined, true, true, 'a', undefined])
    expect([await source.more!(), await source.more!(), source.next()]).toEqual([false, false, undefined])
  })

  it('holds small files, so that they are checked before the first job, and streams when asked', () => {
    const path = file('small.tsv', rows.slice(0, rows.indexOf('\n', 500) + 1))
    expect([openTrace(path), openTrace(path, { stream: true })].map((trace) => [isStream(trace.open()), trace.jobs === undefined, trace.name]))
      .toEqual([[false, false, 'small.tsv'], [true, true, 'small.tsv']])
    writeFileSync(path, `${rows.slice(0, 200)}\nbad\n`)
    expect(() => openTrace(path)).toThrow('columns')
    expect(() => openTrace(path, { stream: true })).not.toThrow()
  })

  it('passes options to the format', () => {
    const path = file('options.tsv', 'a\t0\t0\t100\t0\t0\n')
    const [job] = [...jobsOf(swim(path, { blockSize: 10 }))]
    expect(job!.stages[0]!.tasks).toBe(10)
    expect([...jobsOf(openTrace(path, { format: 'swim', options: { blockSize: 10 } }))]).toEqual([job])
  })
})

/** What is wrong with a file, and the message; held and streamed. */
const head = '{"format":"sched-workload","version":1}'
const cases: [string, () => string, string][] = [
  ['missing', () => inFolder('nothing.tsv'), '"nothing.tsv": cannot read: there is no such file. Check the path.'],
  ['below a file', () => join(file('f', 'x'), 'inside.tsv'), '"f/inside.tsv": cannot read: a part of the path is not a directory. Check the path.'],
  ['a directory', () => (mkdirSync(inFolder('dir'), { recursive: true }), inFolder('dir')), '"dir": cannot read: is a directory. Give the path of a file in it.'],
  ['empty', () => file('empty.tsv', ''), '"empty.tsv": is empty. A trace has at least one job.'],
  ['empty, packed', () => file('empty.gz', gzipSync('')), '"empty.gz": is empty. A trace has at least one job.'],
  ['of blank lines', () => file('blank.tsv', '\n\n\n'), '"blank.tsv": looks like text without columns, which is no trace format known here.'],
  ['binary', () => file('binary.tsv', new Uint8Array([7, 0, 0, 9, 1])), '"binary.tsv": looks like a binary file, not like a trace. Is it the right file?'],
  ['a zip archive', () => file('x.zip', new Uint8Array([0x50, 0x4b, 3, 4, 20])), '"x.zip": looks like a zip archive, not like a trace. Unpack it first.'],
  ['a tar archive', () => {
    const archive = Buffer.alloc(1024)
    archive.write('batch_task.csv')
    archive.write('ustar', 257)
    return file('t.tar.gz', gzipSync(archive))
  }, '"t.tar.gz": looks like a tar archive, not like a trace. Unpack it first: tar -xf.'],
  ['packed twice', () => file('twice.gz', gzipSync(gzipSync(rows))), '"twice.gz": looks like gzip data, not like a trace. Unpack it first.'],
  ['in UTF-16', () => file('utf16.tsv', Buffer.from(`\uFEFF${rows.slice(0, 90)}`, 'utf16le')), '"utf16.tsv": looks like UTF-16 text, not like a trace. Save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE > NEW.'],
  ['in UTF-16 without a mark', () => file('utf16.tsv', Buffer.from(rows.slice(0, 90), 'utf16le')), '"utf16.tsv": looks like UTF-16 text, not like a trace. Save it as UTF-8: iconv -f UTF-16LE -t UTF-8 FILE > NEW.'],
  ['with carriage returns alone', () => file('mac.swf', `; MaxProcs: 8\r${'1 '.repeat(18)}\r`), '"mac.swf": looks like lines that end in carriage returns alone, not like a trace. Make line feeds of them: tr \'\\r\' \'\\n\' < FILE > NEW.'],
  ['a part of the Google events', () => file('part-0.csv', '0,2,3418309,0,4155527081,0,user,3,9,,,,\n'), '"part-0.csv": is an event table of Google\'s ClusterData 2011, one part of several. Name the parts in an experiment: '],
  ['CSV', () => file('a.csv', 'id,submit\na,1\n'), '"a.csv": looks like a table of 2 comma-separated columns, which is no trace format known here. Known: sched-workload, '],
  ['CSV with columns that can be guessed', () => file('g.csv', 'Job ID,Submit_Time,start_time,end_time,VC,queue,num_gpus\na,1,2,3,x,4,5\n'), '"g.csv": looks like a table of 7 comma-separated columns, which is no trace format known here. Any table of jobs is read with a mapping of its columns (`--mapping FILE`, options of the format job-table). It may be: { columns: { submit: Submit_Time, start: start_time, end: end_time, id: "Job ID", queue: VC }, demands: { gpu: num_gpus } }.'],
  ['a table in the columns of the Grid Workload Format', () => file('w.csv', 'JobID,SubmitTime,WaitTime,RunTime,NProc,ReqNProcs,UserID\n5,10,2,30,4,8,U1\n'), '"w.csv": looks like a table of 7 comma-separated columns, which is no trace format known here. Any table of jobs is read with a mapping of its columns (`--mapping FILE`, options of the format job-table). It may be: { columns: { submit: SubmitTime, duration: RunTime, id: JobID, user: UserID }, demands: { cpu: ReqNProcs } }.'],
  ['a table of workflows', () => file('w.gwf', 'WorkflowID, JobID , SubmitTime, RunTime , NProcs , ReqNProcs , Dependencies\n0 , 1 , 50 , 13 , 1 , 1 , \n'), '"w.gwf": looks like a table of 7 comma-separated columns, which is no trace format known here. Any table of jobs is read with a mapping of its columns (`--mapping FILE`, options of the format job-table). It may be: { columns: { submit: SubmitTime, duration: RunTime, id: JobID }, demands: { cpu: ReqNProcs } }. Its column Dependencies has no place in it: no job waits for another then, which `after` says in the native format (JSON Lines).'],
  ['a tab-separated table that can be guessed', () => file('g.tsv', 'arrival\trun_time\twait\n1\t2\t3\n'), '"g.tsv": looks like a table of 3 tab-separated columns, which is no trace format known here. Any table of jobs is read with a mapping of its columns (`--mapping FILE`, options of the format job-table). It may be: { columns: { submit: arrival, duration: run_time }, defaults: { demand: { cpu: 1 } } }.'],
  ['a table with fractions and several rows of a job', () => file('f.csv', 'job_id,task_id,submit_time,duration,cpu,memory,gpus\n1,1,5,10,0.5,0.0042,1.0\n1,2,5,10,2,0.5,2.0\n'), '"f.csv": looks like a table of 7 comma-separated columns, which is no trace format known here. Any table of jobs is read with a mapping of its columns (`--mapping FILE`, options of the format job-table). It may be: { columns: { submit: submit_time, duration: duration }, demands: { cpu: { column: cpu, scale: 1000 }, gpu: gpus, mem: { column: memory, scale: 1000000 } } }.'],
  ['records of Slurm as people read them', () => file('p.txt', '       JobID    JobName  AllocCPUS\n------------ ---------- ----------\n12 train 8\n'), '"p.txt" line 1: column Submit is missing. Ask for example: sacct --allusers --allocations --parsable2 --format=JobID,'],
  ['jobs of Grid Engine as people read them', () => file('q.txt', `${'='.repeat(62)}\nqname        all.q\nhostname     n1\n`), '"q.txt": looks like what qacct prints of Grid Engine (the file that it reads is a trace: $SGE_ROOT/$SGE_CELL/common/accounting), which is no trace format known here.'],
  ['jobs of LSF as people read them', () => file('b.txt', '\nAccounting information about jobs that are:\n  - submitted by all users.\n'), '"b.txt": looks like what bacct prints of LSF (the file that it reads is a trace: lsb.acct), which'],
  ['jobs of LSF that have not ended', () => file('j.txt', 'JOBID      USER    STAT  QUEUE      FROM_HOST\n12 ann RUN normal h\n'), '"j.txt": looks like what bjobs prints of LSF (jobs that ended are in lsb.acct), which'],
  ['the events of LSF', () => file('lsb.events', '#1234\n"JOB_NEW" "10.1" 1700000000 1 2\n'), '"lsb.events": looks like the event log of LSF (jobs that ended are in lsb.acct), which'],
  ['jobs of PBS as people read them', () => file('t.txt', 'Job Id: 12.pbs01\n    Job_Name = run\n'), '"t.txt": looks like what qstat or tracejob prints of PBS (accounting logs are traces: server_priv/accounting), which'],
  ['jobs of PBS in JSON', () => file('t.json', '{ "timestamp": 1, "pbs_version": "22.05", "Jobs": {} }\n'), '"t.json": looks like what qstat or tracejob prints of PBS (accounting logs are traces: server_priv/accounting), which'],
  ['records of Slurm without a header', () => file('n.txt', '12_[3-9%2]|ann|COMPLETED|2024-01-01T00:00:00\n'), '"n.txt": looks like records of sacct without their header line (leave out --noheader, or write above them what --format asked for, with | between the names), which is no trace format known here.'],
  ['records of Slurm in JSON without jobs', () => file('s.json', '{\n "jobs": [],\n "meta": { "slurm": { "release": "23.02" } }\n}\n'), '"s.json": the trace holds no jobs.'],
  ['a log whose fields are named before the jobs', () => file('h.swf', '; made by hand\njob submit wait run alloc\n1 0 0 100 4 -1 -1 4 200 -1 1 1 1 -1 1 -1 -1 -1\n'), '"h.swf" line 2: looks like text without columns, not like the Standard Workload Format. A line of that has 18 numbers with blanks between them, or is a comment that begins with ";".'],
  ['native jobs without their first line', () => file('n.jsonl', '{"id":"a","submit":0,"stages":[]}\n'), `"n.jsonl": is a list of jobs of the native format without its first line, ${head}. Put ${head} before the jobs, which stand on a line each: (echo '${head}'; jq -c . FILE) > NEW.jsonl`],
  ['a list of native jobs', () => file('n.json', '[\n  {"id":"a","submit":0,"stages":[]}\n]\n'), `"n.json": is a list of jobs of the native format without its first line, ${head}. Put ${head} before the jobs, which stand on a line each: (echo '${head}'; jq -c '.[]' FILE) > NEW.jsonl`],
  ['native jobs without their first line that look like a table with columns', () => file('n.jsonl', '{"id":"a","submit":0,"estimate":9,"stages":[{"name":"s","tasks":1,"demand":{"cpu":1},"duration":9}]}\n'), '"n.jsonl": is a list of jobs of the native format without its first line, '],
  ['a queue file', () => file('q.xml', '<?xml version="1.0"?>\n<!-- ours -->\n<allocations>\n</allocations>\n'), '"q.xml": looks like a queue file of YARN or Spark (for --queues), which is no trace format known here.'],
  ['a configuration of kube-scheduler', () => file('q.yaml', 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n'), '"q.yaml": looks like a configuration of kube-scheduler (for --queues), which is no trace format known here.'],
  ['queues of Volcano', () => file('q.yaml', 'apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n'), '"q.yaml": looks like queues of Volcano (for --queues), which is no trace format known here.'],
  ['queues of YuniKorn', () => file('q.yaml', 'partitions:\n- name: default\n  queues:\n  - name: root\n'), '"q.yaml": looks like queues of YuniKorn (for --queues), which is no trace format known here.'],
  ['a description of a cluster', () => file('c.yaml', 'nodes:\n- { count: 4, resources: { cpu: 64 }, devices: { gpu: 8 } }\n'), '"c.yaml": describes a cluster, and no jobs. It is for the cluster: `--cluster FILE`, or `cluster: FILE` in an experiment.'],
  ['manifests of queues', () => file('q.yaml', 'apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\n'), '"q.yaml": looks like manifests of Kueue (for --queues), which is no trace format known here.'],
  ['JSON of another kind', () => file('a.json', '{"jobs":[]}'), '"a.json": looks like JSON, which is no trace format known here.'],
  ['a table of other columns', () => file('t.tsv', 'a\tb\n1\t2\n'), '"t.tsv": looks like a table of 2 tab-separated columns, which is no trace format known here.'],
  ['cut short while packed', () => {
    const path = file('cut.tsv.gz', gzipSync(rows))
    truncateSync(path, 8_000)
    return path
  }, '"cut.tsv.gz": cannot read: the gzip data is cut short. Copy the file again.'],
  ['damaged while packed', () => {
    const bytes = gzipSync(rows)
    bytes[bytes.length - 6]! ^= 1 // the checksum
    return file('bad.tsv.gz', bytes)
  }, '"bad.tsv.gz": cannot read: the gzip data is damaged. Copy the file again.'],
  ['cut short within a line', () => file('cut.tsv', rows.slice(0, rows.lastIndexOf('\t', 40_000))), '"cut.tsv" line '],
]

describe.each(cases)('a file that is %s', (_, make, message) => {
  it.each([['held', false], ['streamed', true]])('is refused with its place and a way out: %s', async (_, stream) => {
    const path = make()
    const found = await messageOf(() => ids(openTrace(path, { stream })))
    expect(found.slice(0, message.length)).toBe(message)
  })
})

describe('a file', () => {
  it.skipIf(process.getuid?.() === 0)('without read permission is refused (passed over as root, who may read anything)', async () => {
    const path = file('secret.tsv', rows)
    chmodSync(path, 0o000)
    expect(await messageOf(() => openTrace(path))).toBe('"secret.tsv": cannot read: no permission. Change the permissions of the file or choose another one.')
  })

  it('of an unknown format name is answered with the nearest', async () => {
    for (const [link, to] of [['here', 'there'], ['there', 'here']] as const) symlinkSync(inFolder(to), inFolder(link))
    expect(await messageOf(() => openTraceFile(inFolder('here')))).toBe('"here": cannot read: links lead to each other. Check where the link leads.')
    expect(await messageOf(() => openTraceFile(inFolder('x'.repeat(300))))).toContain('cannot read: the name is too long. Choose a shorter one.')
    expect(await messageOf(() => openTrace(file('n.tsv', rows), { format: 'swiim' }))).toContain('no trace format is called "swiim". Did you mean "swim"? Known: sched-workload, ')
    expect(await messageOf(() => openTrace(file('n.tsv', rows), { format: 'Torque' }))).toContain('no trace format is called "Torque". Of Torque: pbs. Known: sched-workload, ')
  })

  it.each([
    ['pods.csv', 'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\np?,1,1,0,0,,,,0,9,1\n'],
    ['sacct.txt', 'JobID|User|Submit|Start|End|State|AllocCPUS\n1|j?rg|2024-01-01T00:00:00|2024-01-01T00:00:01|2024-01-01T00:00:09|COMPLETED|1\n'],
    ['list.csv', 'id,submit,tasks,duration,cpu\n?,0,1,1,1\n'],
  ])('in another encoding is refused with the line: %s', (name, text) => {
    const bytes = Buffer.from(text)
    for (let at = bytes.indexOf('?'); at >= 0; at = bytes.indexOf('?')) bytes[at] = 0xf6 // an o with dots in Latin-1
    const path = file(name, bytes)
    expect(() => openTrace(path)).toThrow(`${name}" line 2: is not UTF-8. Save the file as UTF-8, or drop such lines with onBadLine "skip".`)
  })

  it('with bad lines is read without them when asked, held or streamed, with the same report', async () => {
    const path = file('some-bad.tsv', `a\t0\t0\t1\t0\t0\nb\t1\nc\t2\t1\t1\t0\t0\nd\t1\t0\t0\t0\t0\n`)
    for (const stream of [false, true]) {
      const trace = swim(path, { onBadLine: 'skip', stream })
      expect(await ids(trace)).toEqual(['a', 'c'])
      expect(trace.report).toMatchObject({ lines: 4, jobs: 2, skipped: 2 })
      expect(trace.report.problems[1]).toContain('line 4 submit: submitted at 1 s, before the job above it (2 s).')
    }
  })

  it('is unpacked by its content', () => {
    expect(new TextDecoder().decode(readBytes(file('packed', gzipSync('abc'))))).toBe('abc')
  })
})

describe('saveWorkload', () => {
  it('writes what openTrace reads, packed by its name', async () => {
    await saveWorkload(facebookMixed(), inFolder('out.jsonl'))
    await saveWorkload(facebookMixed(), inFolder('out.jsonl.gz'))
    expect(readFileSync(inFolder('out.jsonl'), 'utf8')).toBe(nativeText)
    expect(readFileSync(inFolder('out.jsonl.gz'))[0]).toBe(0x1f)
    for (const name of ['out.jsonl', 'out.jsonl.gz']) expect([...jobsOf(openTrace(inFolder(name)))]).toEqual([...jobsOf(facebookMixed())])
  })

  it('refuses an existing file and leaves it as it is, unless forced', async () => {
    const path = file('there.jsonl', 'mine')
    expect(await messageOf(() => saveWorkload(facebook(), path))).toBe('"there.jsonl": exists already. Choose another name, or replace it with force.')
    expect(readFileSync(path, 'utf8')).toBe('mine')
    await saveWorkload(facebook(), path, { force: true })
    expect(openTrace(path).jobs).toBe(100)
  })

  it('leaves nothing half-written when the workload fails on the way', async () => {
    const failing: Workload = { name: 'failing', open: () => ({ next: () => { throw new SchedError('BAD_INPUT', 'broken.') } }) }
    const path = file('kept.jsonl', 'mine')
    expect(await messageOf(() => saveWorkload(failing, path, { force: true }))).toBe('broken.')
    expect(await messageOf(() => saveWorkload(sensitivity(), inFolder('loop.jsonl')))).toContain('is a closed loop')
    expect(readFileSync(path, 'utf8')).toBe('mine')
    expect(existsSync(inFolder('loop.jsonl'))).toBe(false)
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it.each<[string, () => string, string]>([
    ['a directory', () => (mkdirSync(inFolder('d2'), { recursive: true }), inFolder('d2')), '"d2": cannot write: is a directory. Give the path of a file in it.'],
    ['a device', () => '/dev/null', '"/dev/null": is not a regular file. Give the path of a file.'],
    ['a place in a directory that is not there', () => inFolder('no/where.jsonl'), '"no/where.jsonl": cannot write: there is no such directory. Make it, or check the path.'],
  ])('refuses %s, also when forced', async (_, path, message) => {
    expect(await messageOf(() => saveWorkload(facebook(), path(), { force: true }))).toBe(message)
  })

  it('replaces the file behind a link, not the link', async () => {
    const target = file('target.jsonl', 'old')
    symlinkSync(target, inFolder('link.jsonl'))
    await saveWorkload(facebook(), inFolder('link.jsonl'), { force: true })
    expect(readFileSync(target, 'utf8').length).toBeGreaterThan(1000)
  })

  it('converts a trace in place', async () => {
    const path = file('same.tsv', rows)
    await saveWorkload(take(swim(path, { stream: true }), 50), path, { force: true })
    expect([detectFormat(path), openTrace(path).jobs]).toEqual(['sched-workload', 50])
  })
})
