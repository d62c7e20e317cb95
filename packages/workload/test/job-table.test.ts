import { describe, expect, it } from 'vitest'
import { detectFormatOf, jobsOf, parseTrace, type ParseOptions } from '../src/index.js'
import { openTrace } from '../src/node/index.js'
import { guessMapping } from '../src/job-table/guess.js'
import { bytesOf, messageOf, skip } from './reading.js'
import { realTrace } from './traces.js'

const cores = { demands: { cpu: 'cores' } }
const read = (text: string, options: object = cores, more: ParseOptions = {}) => parseTrace(bytesOf(text), { file: 'jobs.csv', format: 'job-table', options, ...more })
const jobs = (text: string, options?: object) => [...jobsOf(read(text, options))]
const table = 'submit,duration,cores\n5,10,2\n'

describe('a table of jobs', () => {
  it('needs no mapping for columns that are called by their meaning', () => {
    const all = 'id,submit,duration,tasks,user,queue,group,account,partition,priority,weight,estimate,deadline,gang,class,label,status,cores\na,100,60,4,ann,root.q,g,acc,p,3,2,120,500,yes,batch,big,DONE,2\n'
    expect(jobs(all)).toEqual([
      {
        id: 'a', submit: 0, user: 'ann', queue: 'root.q', group: 'g', account: 'acc', partition: 'p', class: 'batch', label: 'big', priority: 3, weight: 2, estimate: 120, deadline: 500,
        recorded: { status: 'done' }, stages: [{ name: 'tasks', tasks: 4, demand: { cpu: 2 }, duration: 60, gang: true }],
      },
    ])
    expect(detectFormatOf(bytesOf(table)).name).toBe('job-table')
    expect(detectFormatOf(bytesOf('{"submit": 1, "start": 2, "end": 4}\n')).name).toBe('job-table')
  })

  it.each(['\t', ';', '|'])('may have its fields separated by %j, which the first line tells', (separator) => {
    const text = ['id,submit,duration,cores', 'a,5,10,2'].join('\n').replaceAll(',', separator)
    expect([detectFormatOf(bytesOf(text)).name, jobs(text)]).toMatchObject(['job-table', [{ id: 'a', stages: [{ duration: 10, demand: { cpu: 2 } }] }]])
  })

  it.each([',', ';', '\t'])('may have fields in quotes between %j', (separator) => {
    const table = (...rows: string[][]) => rows.map((row) => row.join(separator)).join('\n')
    const names = ['"id"', '"submit"', '"duration"', 'cores']
    expect(jobs(table(names, [`"a${separator} ""b"""`, '"2024-03-01 10:00:00"', '10', '2']))).toMatchObject([{ id: `a${separator} "b"`, stages: [{ duration: 10, demand: { cpu: 2 } }] }])
    expect(jobs(table(names, ['5" disk', '1', '10', '2']))).toMatchObject([{ id: '5" disk', submit: 0 }])
  })

  it('may have no header, where the names of its columns are given', () => {
    const options = { ...cores, names: ['who', 'submit', 'secs', 'cores'], columns: { duration: 'secs', user: 'who' } }
    expect(jobs('ann,5,10,2\nbob,7,1,4\n', options)).toMatchObject([{ id: 'job-1', submit: 0, user: 'ann', stages: [{ duration: 10, demand: { cpu: 2 } }] }, { id: 'job-2', submit: 2, user: 'bob' }])
    expect(messageOf(() => jobs('ann,5,10\n', options))).toContain('"jobs.csv" line 1: found 3 columns, the header has 4.')
    expect(messageOf(() => jobs('ann,5,10,2\n', { ...options, columns: { user: 'whom' } }))).toBe('"jobs.csv" line 1: the table has no column "whom", which columns.user names. Did you mean "who"? Known: who, submit, secs, cores.')
  })

  it('does not know a time that is None, NaN or NULL', () => {
    expect(jobs('submit,start,end,duration,cores\n5,None,NULL,10,2\n6,8,9,nan,2\n').map(({ recorded, stages }) => [recorded, stages[0]!.duration])).toEqual([[undefined, 10], [{ wait: 2 }, 1]])
  })

  it('is read through a mapping: names, units, scales, totals, labels and defaults', () => {
    const text = 'when;secs;n;c;m;model;team\n2024-01-31T10:00:00;01:30;3;1.5;7;T4|P100;\n2024-01-31 10:00:10;90;;2;;;x\n'
    const options = {
      separator: ';',
      columns: { submit: 'when', duration: 'secs', tasks: 'n', queue: 'team' },
      demands: { cpu: { column: 'c', scale: 1000 }, mem: { column: 'm', total: true } },
      require: { model: { column: 'model' } },
      defaults: { demand: { mem: 5 }, tasks: 2, queue: 'none', gang: true },
    }
    expect(jobs(text, options)).toEqual([
      { id: 'job-1', submit: 0, queue: 'none', stages: [{ name: 'tasks', tasks: 3, demand: { cpu: 1500, mem: 3 }, duration: 90, gang: true, constraints: { require: { model: ['T4', 'P100'] } } }] },
      { id: 'job-2', submit: 10, queue: 'x', stages: [{ name: 'tasks', tasks: 2, demand: { mem: 5, cpu: 2000 }, duration: 90, gang: true }] },
    ])
  })

  it('takes run times and waits from starts and ends, in the unit of the table', () => {
    expect(jobs('submit,start,end,cores\n1000,3000,10000,1', { ...cores, time: { submit: 'ms' } })[0]).toMatchObject({ submit: 0, recorded: { wait: 2 }, stages: [{ duration: 7 }] })
    expect(jobs('submit,duration,cores\n1,2,1', { ...cores, time: { submit: 'h', duration: 'min', origin: 'trace' } })[0]).toMatchObject({ submit: 3600, stages: [{ duration: 120 }] })
  })

  it('asks for at least 1 of what is asked at all', () => {
    const amounts = jobs('submit,duration,tasks,gpus,mem\n0,1,1,0.25,0\n0,1,1,2.4,0.6\n0,1,4,1,9', { demands: { gpu: 'gpus', mem: { column: 'mem', total: true } } }).map(({ stages }) => stages[0]?.demand)
    expect(amounts).toEqual([{ gpu: 1, mem: 0 }, { gpu: 2, mem: 1 }, { gpu: 1, mem: 3 }]) // 9 of four tasks: 2.25 each
  })

  it('is sorted by submission, and times before 0 are moved to it', () => {
    const trace = read('submit,duration,cores\n5,1,1\n-3,1,2\n', { ...cores, time: { origin: 'trace' } })
    expect([...jobsOf(trace)].map(({ id, submit }) => [id, submit])).toEqual([['job-2', 0], ['job-1', 8]])
  })

  it('may be JSON Lines, with fields inside others', () => {
    const text = '{"submit": 1, "duration": 2, "res": {"cpu": 3}, "gang": true, "tasks": 2}\n{"submit": 1, "duration": "2", "res": {"cpu": 4}}\n'
    expect(jobs(text, { demands: { cpu: 'res.cpu' } }).map(({ stages }) => stages[0])).toEqual([
      { name: 'tasks', tasks: 2, demand: { cpu: 3 }, duration: 2, gang: true },
      { name: 'tasks', tasks: 1, demand: { cpu: 4 }, duration: 2 },
    ])
  })

  it('says of jobs that they have their nodes for themselves', () => {
    const text = 'submit,duration,exclusive,cores\n0,5,yes,1\n0,5,no,1\n0,5,,1\n0,5,user,1\n'
    expect(jobs(text).map(({ exclusive }) => exclusive)).toEqual([true, undefined, undefined, 'user'])
  })

  it('says of a gang how many tasks must start together', () => {
    const text = (least: string) => `submit,duration,tasks,gang,min_tasks,cores\n0,5,4,yes,${least},1\n0,5,4,,2,1\n0,5,4,no,2,1\n0,5,4,yes,,1\n`
    expect(jobs(text('3')).map(({ stages }) => [stages[0]?.gang, stages[0]?.minTasks])).toEqual([[true, 3], [true, 2], [undefined, undefined], [true, undefined]])
    expect(messageOf(() => jobs(text('5')))).toContain('"jobs.csv" line 2 min_tasks: found 5, more than the 4 tasks of the job.')
  })

  const cut = 'Was the file cut short? Copy it again, or drop such lines with onBadLine "skip".'
  it('reads what taints of nodes a job tolerates', () => {
    const mapping = { columns: { tolerations: 'tolerates' }, demands: { cpu: 'cpu' } }
    const rows = 'submit,duration,cpu,tolerates\n0,1,1,nvidia.com/gpu | spot=yes:NoExecute|a=\n1,1,1,*\n2,1,1,*:NoSchedule\n3,1,1,\n'
    expect(jobs(rows, mapping).map(({ stages: [stage] }) => stage?.constraints)).toEqual([
      { tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }, { key: 'spot', value: 'yes', effect: 'NoExecute' }, { key: 'a' }] },
      { tolerations: [{ operator: 'Exists' }] }, { tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }] }, undefined,
    ])
    expect(messageOf(() => jobs('submit,duration,cpu,tolerates\n0,1,1,a:Never\n', mapping))).toContain('"jobs.csv" line 2 tolerates: found "a:Never", expected a taint such as gpu=present:NoSchedule, gpu or *.')
  })

  it('reads quantities as Kubernetes writes them, and several values of a label', () => {
    const mapping = { demands: { cpu: { column: 'cpu', scale: 1000 }, mem: { column: 'mem', scale: 2 ** -20 } }, require: { model: 'model' } }
    const rows = 'submit,duration,cpu,mem,model\n0,1,500m,64Gi,T4|A100\n1,1,2,1500M,\n'
    expect(jobs(rows, mapping).map(({ stages: [stage] }) => [stage?.demand, stage?.constraints])).toEqual([
      [{ cpu: 500, mem: 65536 }, { require: { model: ['T4', 'A100'] } }],
      [{ cpu: 2000, mem: 1431 }, undefined], // 1.5e9 / 2^20 = 1430.5
    ])
    expect(jobs('submit,duration,cpu,mem,model\n0,1,1,2 GB,\n0,1,1,2GiB,\n', mapping).map(({ stages: [stage] }) => stage?.demand['mem'])).toEqual([1907, 2048]) // 2e9 / 2^20 = 1907.3
    expect(messageOf(() => jobs('submit,duration,cpu,mem,model\n0,1,5Q,1,\n', mapping))).toContain('cpu: found "5Q", expected a number of at least 0.')
  })

  it.each([
    ['6,10', `"jobs.csv" line 3: found 2 columns, the header has 3. ${cut}`],
    ['soon,10,1', `"jobs.csv" line 3 submit: found "soon", expected a number or a date such as 2024-01-31T10:00:00. ${skip}`],
    ['6,-10,1', `"jobs.csv" line 3 duration: found "-10", expected a number of at least 0. ${skip}`],
    ['6,10,-1', `"jobs.csv" line 3 cores: found "-1", expected a number of at least 0. ${skip}`],
    ['6,10,1e300', `"jobs.csv" line 3 cores: found "1e300", more than 2^53 - 1, above which numbers are not exact. ${skip}`],
    ['6,10,3000000000', '"jobs.csv" line 3 cores: found 3000000000, more than 2147483647. Use a larger unit (scale), or drop such lines with onBadLine "skip".'],
  ])('answers the row %j', (row, message) => {
    expect(messageOf(() => read(`${table}${row}`))).toBe(message)
    expect(read(`${table}${row}`, cores, { onBadLine: 'skip' })).toMatchObject({ jobs: 1, report: { skipped: 1 } })
  })

  it.each([
    [',10,1', '1 job without submit time: left out (submit)'],
    ['NaN,10,1', '1 job without submit time: left out (submit)'],
    ['6,,1', '1 job of unknown run time: left out (unknownRuntime)'],
    ['6,null,1', '1 job of unknown run time: left out (unknownRuntime)'],
    ['6,10,0', '1 job without a demand: left out (noDemand)'],
    ['6,10,None', '1 job without a demand: left out (noDemand)'],
  ])('leaves out the row %j, which says too little, and counts it', (row, note) => {
    expect(read(`${table}${row}`)).toMatchObject({ jobs: 1, report: { skipped: 0, notes: [note] } })
    expect(messageOf(() => read(`submit,duration,cores\n${row}`))).toBe(`"jobs.csv": the trace holds no jobs or none is left: ${note}. Choose other rules, or another file.`)
  })

  it('has recorded run times and applications, and estimates of 0 where that is not for none', () => {
    const table = 'submit,duration,recorded_runtime,application,estimate,cores\n0,10,12,sort,10,1\n1,0,,,0,1\n2,5,5,NaN,,1\n'
    expect(jobs(table, { ...cores, zeroEstimate: 'keep' }).map(({ recorded, application, estimate }) => [recorded?.runtime, application, estimate])).toEqual([[12, 'sort', 10], [undefined, undefined, 0], [undefined, 'NaN', undefined]])
    expect(jobs(table, cores).map(({ estimate }) => estimate)).toEqual([10, undefined, undefined])
    const other = { ...cores, columns: { recorded_runtime: 'ran', application: 'program' }, time: { duration: 'min' as const } }
    expect(jobs('submit,duration,ran,program,cores\n0,1,2,sort,1\n', other)[0]).toMatchObject({ application: 'sort', recorded: { runtime: 120 } })
  })

  it('has what jobs were recorded to use', () => {
    expect(jobs('submit,duration,recorded_cpu_time,recorded_mem,cores\n0,10,8.5,,1\n1,10,,512,1\n2,10,,,1\n', cores).map(({ recorded }) => recorded)).toEqual([{ cpuTime: 8.5 }, { mem: 512 }, undefined])
    expect(messageOf(() => read('submit,duration,recorded_mem,cores\n0,10,-1,1\n', cores))).toContain('line 2 recorded_mem: found "-1", expected a number of at least 0.')
  })

  it('has run times of what it says of starts and ends alone', () => {
    const options = { ...cores, time: { submit: 's' } }
    const found = read('id,submit,start,end,cores\na,100,110,150,1\nb,101,None,160,1\nc,102,0,160,1\nd,103,120,110,1\ne,104,90,130,1\n', options)
    expect([...jobsOf(found)].map(({ id, recorded, stages }) => [id, recorded?.wait, stages[0]!.duration])).toEqual([['a', 10, 40], ['e', undefined, 40]]) // e: clocks differ
    expect(found.report.notes).toEqual([
      '2 jobs of unknown run time: left out (unknownRuntime)',
      '1 job with an end before the start: left out (endBeforeStart)',
      '1 job with a start before the submission: without a recorded wait (startBeforeSubmit)',
    ])
    expect(read('submit,start,end,cores\n5,3,9,1\n5,9,8,1\n', { ...cores, defaults: { duration: 7 } }).report.notes).toEqual(['1 job with a start before the submission: without a recorded wait (startBeforeSubmit)'])
    expect(jobs('submit,start,end,cores\n1,,,1\n', { ...cores, defaults: { duration: 7 } })[0]?.stages[0]?.duration).toBe(7)
  })

  it('has 0 s for jobs that never started, where it tells starts: these are no jobs', () => {
    const found = read('id,submit,start,duration,cores\na,100,None,0,1\nb,101,105,0,1\nc,102,,7,1\n')
    expect([...jobsOf(found)].map(({ id, recorded, stages }) => [id, recorded?.wait, stages[0]!.duration])).toEqual([['b', 4, 0], ['c', undefined, 7]])
    expect(found.report.notes).toEqual(['1 job that never started, of 0 s: left out (neverStarted)'])
    expect(jobs('id,submit,start,duration,cores\na,100,None,0,1\n', { ...cores, neverStarted: 'keep' }).map(({ stages }) => stages[0]!.duration)).toEqual([0])
    expect(jobs('id,submit,duration,cores\na,100,0,1\n').map(({ stages }) => stages[0]!.duration)).toEqual([0]) // nothing is said of starts
    // a start of 0 is unknown where times are since 1970, as tables of Slurm have it, and a start where they are since the beginning
    expect(jobs('id,submit,start,duration,cores\na,100,0,0,1\nb,100,101,5,1\n').map(({ id }) => id)).toEqual(['b'])
    expect(jobs('id,submit,start,duration,cores\na,0,0,0,1\nb,0,None,0,1\n').map(({ id, recorded }) => [id, recorded?.wait])).toEqual([['a', 0]])
  })

  it('may count what no task gets a part of', () => {
    const demands = (gpu: object) => jobs('submit,duration,tasks,gpus\n0,1,3,17\n0,1,2,16\n0,1,1,0.5\n0,1,1,0\n', { demands: { gpu: { column: 'gpus', scale: 1000, ...gpu }, cpu: 'duration' } }).map(({ stages }) => stages[0]!.demand['gpu'])
    expect(demands({ total: true, whole: true })).toEqual([6000, 8000, 1000, 0])
    expect(demands({ total: true })).toEqual([5667, 8000, 500, 0])
    expect(demands({ whole: true })).toEqual([17_000, 16_000, 1000, 0])
  })

  it('tells of times that look like milliseconds since 1970, unless it says that they are seconds', () => {
    const notes = (submit: number, time?: { submit: string }) => read(`submit,duration,cores\n${submit},1,1\n`, { ...cores, ...(time && { time }) }).report.notes
    expect(notes(1774656005000)).toEqual(['submit has numbers such as 1774656005000, taken as seconds: if they are since 1970, say `time: { submit: ms }`'])
    expect(notes(1774656005000000)?.join()).toContain('`time: { submit: us }`')
    for (const none of [notes(1774656005), notes(1774656005000, { submit: 's' }), notes(1774656005000, { submit: 'ms' })]) expect(none).toEqual([])
  })

  it('has dates with the year last in the order that it says', () => {
    const at = (when: string, dates: string, submit = '2024-01-31 00:00') => jobs(`submit,duration,cores\n${submit},1,1\n"${when}",1,1\n`, { ...cores, time: { dates } })[1]?.submit
    expect(at('31/1/2024 10:00', 'dmy')).toBe(36_000)
    expect(at('31.01.2024', 'dmy')).toBe(0)
    expect(['01/31/2024 12:00:05 AM', '01/31/2024, 12:30 PM', '1-31-2024 1:00 pm'].map((when) => at(when, 'mdy'))).toEqual([5, 45_000, 46_800])
    expect(at('31/01/2024 11:00 +01:00', 'dmy')).toBe(36_000)
    for (const [when, dates] of [['31/01/2024', 'mdy'], ['01/31/2024', 'dmy'], ['01/31/2024 13:00 PM', 'mdy'], ['31/01.2024', 'dmy']] as const) expect(messageOf(() => at(when, dates))).toContain(`found "${when}", expected a number or a date`)
    expect(messageOf(() => jobs('submit,duration,cores\n31/01/2024,1,1\n'))).toContain('such as 2024-01-31T10:00:00. With the year last say in which order it is (`time: { dates: dmy }`, or mdy). Correct the line')
  })

  it('may have lines above its header, or none, which is told', () => {
    const options = { columns: { submit: 'Sent', duration: 'Ran' }, demands: { cpu: 'Cores' } }
    expect(messageOf(() => read('# of May\nSent,Ran,Cores\n1,1,1\n', options))).toBe(
      '"jobs.csv" line 1: the table has none of the columns Sent, Ran, which `columns` names. Known: # of May. The first line is taken for their names: leave out what stands above it, or give them where the table has none (`names: [...]`).',
    )
    expect(messageOf(() => read('Sent,Run,Cores\n1,1,1\n', options))).toContain('the table has no column "Ran", which columns.duration names. Did you mean "Run"?')
  })

  it('is read in part, where values of its columns are asked for, and may number ids that come again', () => {
    const events = 'id,event,submit,duration,cores\na,START,1,1,1\na,END,1,5,1\nb,END,2,5,1\nb,REQUEUE,3,6,1\nb,3,4,6,1\n'
    const found = read(events, { ...cores, where: { event: ['END', 'REQUEUE'] }, repeatedIds: 'number' })
    expect([...jobsOf(found)].map(({ id, submit }) => [id, submit])).toEqual([['a', 0], ['b', 1], ['b#2', 2]])
    expect(found.report.notes).toEqual(['2 jobs of other rows than those asked for: left out (where)', '1 job with the id of one above: called <id>#2, <id>#3, ... (repeated)'])
    const ids = (text: string) => jobs(text, { ...cores, repeatedIds: 'number' }).map(({ id }) => id)
    expect(ids('id,submit,duration,cores\na,1,1,1\na,2,1,1\nb,3,1,1\nb,4,1,1\na,5,1,1\n')).toEqual(['a', 'a#2', 'b', 'b#2', 'a#3'])
    expect(ids('id,submit,duration,cores\na,1,1,1\na#2,2,1,1\na,3,1,1\n')).toEqual(['a', 'a#2', 'a#3'])
    expect(jobs(events, { ...cores, where: { event: 3 } }).map(({ id }) => id)).toEqual(['b'])
    expect(messageOf(() => jobs(events, { ...cores, where: { events: 3 } }))).toContain('the table has no column "events", which where names. Did you mean "event"?')
  })

  it.each([
    ['2024-03-01 10:00:00+00', 0], ['2024-03-01 10:00:05 UTC', 5], ['2024/3/1 10:00', 0], ['2024-03-01T12:00:07.5+0200', 7.5], ['2024-03-02', 50_400],
    ['Fri Mar  1 10:01:00 UTC 2024', 60], ['Fri Mar 1 10:00:09 2024', 9], ['1709287200', 0],
  ])('reads the time %s', (text, submit) => {
    expect(jobs(`submit,duration,cores\n2024-03-01T10:00:00Z,1,1\n${text},1,1\n`).map((job) => job.submit)).toEqual([0, submit])
  })

  it.each([
    ['1-02:03:04', 93_784], ['26:03:04', 93_784], ['03:04', 184], ['1 day, 2:03:04', 93_784], ['1 days 02:03:04.5', 93_784.5], ['12.0', 12], ['1e3', 1000],
  ])('reads the span %s', (text, seconds) => {
    expect(jobs(`submit,duration,cores\n0,"${text}",1\n`)[0]?.stages[0]?.duration).toBe(seconds)
  })

  it('knows limits that are none, and their unit', () => {
    const rows = ['UNLIMITED', 'INFINITE', '4294967295', '-1', '0', 'Partition_Limit', '', '90', '1-00:00:00'].map((limit) => `0,1,1,${limit}\n`).join('')
    expect(jobs(`submit,duration,cores,estimate\n${rows}`, { ...cores, time: { estimate: 'min' } }).map(({ estimate }) => estimate)).toEqual([...Array<undefined>(7).fill(undefined), 5400, 86_400])
  })

  it('takes amounts from lists as Slurm writes them', () => {
    const demands = { cpu: { column: 'tres', key: 'cpu', scale: 1000 }, gpu: { column: 'tres', key: 'gres/gpu', scale: 1000 } }
    expect(jobs('submit;duration;tres\n0;1;cpu=4,mem=8G,gres/gpu=2\n0;1;cpu=1\n', { demands }).map(({ stages }) => stages[0]?.demand)).toEqual([{ cpu: 4000, gpu: 2000 }, { cpu: 1000 }])
  })

  it('brings the machine of rigid jobs, as large as what ran at once', () => {
    const rows = 'submit,start,duration,nodes,gpus\n0,5,100,4,1\n10,20,100,8,0\n20,300,50,2,0\n'
    expect(read(rows, { demands: { nodes: 'nodes', gpus: 'gpus' } }).machine).toEqual({
      nodes: 12, resources: { nodes: 12, gpus: 1 },
      origin: '12 nodes: inferred, the log does not say how many: up to 12 are recorded in use at once; give a cluster if that is wrong; 1 gpus: inferred, the log does not say how many: the widest job asks for 1; give a cluster if that is wrong',
    })
    expect(read(rows, { demands: { cpu: 'nodes' } }).machine).toBeUndefined()
  })

  it.each([
    ['{"submit": 1, "duration": ', `"jobs.csv" line 1: is not JSON. ${cut}`],
    ['{"submit": [1], "duration": 1}', `"jobs.csv" line 1 submit: found [1], expected a number or text. ${skip}`],
  ])('answers the line %j', (line, message) => {
    expect(messageOf(() => read(line))).toBe(message)
  })

  it.each<[object, string]>([
    [{ ...cores, columns: { queue: 'team' } }, '"jobs.csv" line 1: the table has no column "team", which columns.queue names. Known: submit, duration, cores.'],
    [{ demands: { cpu: 'core' } }, '"jobs.csv" line 1: the table has no column "core", which demands.cpu names. Did you mean "cores"? Known: submit, duration, cores.'],
    [{}, 'job-table.demands: nothing says what a job asks for. It may be `demands: { cpu: cores }`, or `defaults: { demand: { cpu: 1 } }`.'],
    [{ ...cores, colums: {} }, 'job-table.colums: unknown key "colums". Did you mean "columns"? Known: columns, demands, defaults, where, repeatedIds, time, names, zeroEstimate, neverStarted, separator, require.'],
  ])('answers the mapping %j', (options, message) => {
    expect(messageOf(() => read(table, options))).toBe(message)
  })

  it('answers a table without times, two columns of one name, and a repeated id', () => {
    expect(messageOf(() => read('a,b\n1,2', { defaults: { demand: { cpu: 1 } } }))).toBe('"jobs.csv" line 1: the table has no column "submit". Known: a, b.')
    expect(messageOf(() => read('submit,submit\n'))).toBe('"jobs.csv" line 1: two columns are called "submit". Name them differently.')
    expect(messageOf(() => read('id,submit,duration,cores\na,1,1,1\na,2,1,1'))).toMatch(/line 3 id: job id "a" was used before, on line 2/)
  })

  it('may be a table of machines that are rented: what is suggested for it has them run from their creation to their end', () => {
    const machines = 'vmid,subscriptionid,vmcreated,vmdeleted,vmcorecount\na,s,40,100,2\n'
    expect(guessMapping(machines)).toBe('{ columns: { submit: vmcreated, end: vmdeleted, id: vmid, user: subscriptionid, start: vmcreated }, demands: { cpu: vmcorecount } }')
    const columns = { submit: 'vmcreated', end: 'vmdeleted', id: 'vmid', user: 'subscriptionid', start: 'vmcreated' }
    expect(jobs(machines, { columns, demands: { cpu: 'vmcorecount' } })).toMatchObject([{ id: 'a', user: 's', stages: [{ demand: { cpu: 2 }, duration: 60 }] }])
    expect(guessMapping('pod_name,creation_time,scheduled_time,deletion_time\n')).toContain('submit: creation_time, start: scheduled_time, end: deletion_time, id: pod_name')
    expect(guessMapping('name,created\n')).toBeUndefined()
    expect(guessMapping('applicationId,queue,startedTime,launchTime,finishedTime\na,q,1741561200000,1741561230000,1741561300000\nb,q,1741561210000,1741561230000,1741561300000\n'))
      .toBe('{ columns: { submit: startedTime, start: launchTime, end: finishedTime, id: applicationId, queue: queue }, defaults: { demand: { cpu: 1 } }, time: { submit: ms } }')
  })

  it('may tell the nodes of its jobs: what is suggested has a task on each, or is a rigid job', () => {
    expect(guessMapping('job_id,num_cores,num_hosts,submit_time,finish_time,start_time\n')).toBe('{ columns: { submit: submit_time, start: start_time, end: finish_time, id: job_id, tasks: num_hosts }, demands: { cpu: { column: num_cores, total: true } }, defaults: { gang: true } }')
    expect(guessMapping('QUEUED_TIMESTAMP,RUNTIME_SECONDS,NODES_REQUESTED\n')).toBe('{ columns: { submit: QUEUED_TIMESTAMP, duration: RUNTIME_SECONDS }, demands: { nodes: NODES_REQUESTED } }')
  })

  it('in JSON Lines is known by its keys, of objects inside them, too, and by all of them asks for what nobody says', () => {
    const row = (at: number) => JSON.stringify({ job_id: `j${at}`, submitted: 1_741_561_200_000 + at, elapsed: 3, resources: { cpu: 2.5 }, hosts: ['a'] })
    expect(guessMapping(`${row(1)}\n${row(2)}\n{"job_id":"cut`))
      .toBe('{ columns: { submit: submitted, duration: elapsed, id: job_id }, demands: { cpu: { column: resources.cpu, scale: 1000 } }, time: { submit: ms } }')
    expect(guessMapping('[{"submit":1,"duration":2,"cpu":3},\n{"submit":2,"duration":2,"cpu":3}]\n')).toBeUndefined()
    expect(messageOf(() => read('{"id":"a","submit":0,"duration":1,"cpu":2}\n', {}))).toContain('nothing says what a job asks for. It may be `demands: { cpu: cpu }`')
  })

  it('may be the jobs of a run, which tell what they held and not what they asked for', () => {
    const run = 'seed,id,label,user,queue,submit,start,end,wait,response,tasks,procs_seconds\n1,a,,u,q,0,5,9,5,9,1,16\n'
    expect(messageOf(() => read(run, {}))).toContain('nothing says what a job asks for. These are the jobs of a run as `--out` wrote them: the .swf beside has')
    // what others write of amounts x time is no demand either
    expect(guessMapping('submit_time,runtime,cpu_seconds,gpuSeconds\n0,1,2,3\n')).toBe('{ columns: { submit: submit_time, duration: runtime }, defaults: { demand: { cpu: 1 } } }')
    expect(guessMapping('submit_time,runtime,gpu_time,cpu_minutes,num_gpus_asked\n0,1,2,3,1\n')).toBe('{ columns: { submit: submit_time, duration: runtime }, demands: { gpu: num_gpus_asked } }')
    expect(messageOf(() => read('submit,duration,cpu_seconds,gpu-hours\n0,1,2,3\n', {}))).toContain('nothing says what a job asks for. For example `demands: { cpu: cores }`')
  })

  const real = realTrace('alibaba-2017/cloudsimpy_jobs.csv.gz')
  it.skipIf(!real.there)(`reads ${real.title} through a mapping`, { tags: 'long' }, () => {
    const options = { columns: { submit: 'submit_time', tasks: 'instances_num', queue: 'job_id' }, demands: { cpu: { column: 'cpu', scale: 100 }, mem: { column: 'memory', scale: 1e6 } } }
    expect(openTrace(real.path, { format: 'job-table', options })).toMatchObject({ jobs: 31_756, report: { skipped: 0 } })
  })
})
