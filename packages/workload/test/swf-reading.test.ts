import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detectFormatOf, jobsOf, parseTrace, type SwfOptions } from '../src/index.js'
import { swfFormat } from '../src/swf/format.js'
import { parseRow } from '../src/swf/parse-row.js'
import { LineDecoder } from '../src/trace/line-decoder.js'
import { bytesOf, messageOf } from './reading.js'
import { fieldOrder, first, header, jobs, read, row, ruleNotes, runtimeOf, streamed, type Row } from './swf-log.js'

describe('the header', () => {
  const text = [
    '; Version: 2.2', '; MaxNodes: 338 (batch partition; 512 total)', '; MaxProcs: 338', ';Acknowledge: Dan Dwyer', '; Note: THIS IS CLEANED', ';       by this filter:',
    ';         user=135 and (job>=47421) (2080 jobs removed)', ';', '; Queue:  1 DSI', '; Queue:  2 astro', '; Note:', row(), '; Note: late',
  ].join('\n')

  it('is kept in order, a value of several lines with its line ends', () => {
    expect(read(text).header).toEqual([
      ['Version', '2.2'], ['MaxNodes', '338 (batch partition; 512 total)'], ['MaxProcs', '338'], ['Acknowledge', 'Dan Dwyer'],
      ['Note', 'THIS IS CLEANED\nby this filter:\nuser=135 and (job>=47421) (2080 jobs removed)'], ['Queue', '1 DSI'], ['Queue', '2 astro'], ['Note', ''],
    ])
  })

  it('gives the machine, also where a value is not a bare number', () => {
    expect(read(text).machine).toEqual({ procs: 338, nodes: 338, resources: { procs: 338 }, origin: '338 procs: MaxProcs of the header' })
  })

  it('gives way to the options', () => {
    expect(read(text, { procs: 430, nodes: 215 }).machine).toEqual({ procs: 430, nodes: 215, resources: { procs: 430 }, origin: '430 procs: option procs' })
  })

  it.each(['; MaxProcs 128', '; MaxProcs = 128', ';maxprocs=128'])('gives a number that stands behind a name without a colon: %s', (line) => {
    const trace = read(`; Version: 2.2\n${line}\n${row()}`)
    expect([trace.machine!.resources, trace.report.notes ?? []]).toEqual([{ procs: 128 }, []])
    expect(read(`; Note: a machine with\n; MaxProcs 128 or more\n${row()}`).header).toEqual([['Note', 'a machine with\nMaxProcs 128 or more']])
  })

  it('without MaxProcs is helped by MaxNodes, and says so', () => {
    const trace = read(`; MaxNodes: 6\n${row()}`)
    expect(trace.machine!.resources).toEqual({ procs: 6 })
    expect(trace.report.notes).toEqual(['MaxProcs is absent from the header: MaxNodes, 6, is taken for it'])
  })

  it('without both, the size is inferred from the widest job or what ran at once, and it says so', () => {
    const wide = read([row({ wait: -1 }), row({ job: 2, wait: -1, requested: 64 })].join('\n'))
    expect(wide.machine!.resources).toEqual({ procs: 64 })
    expect(wide.report.notes).toEqual(['procs of the machine: 64, inferred, the log does not say how many: the widest job asks for 64; give procs if that is wrong'])
    // [5, 105) and [60, 160) overlap: 4 + 4; the third starts when the first ends
    const busy = read([row(), row({ job: 2, submit: 50, wait: 10 }), row({ job: 3, submit: 60, wait: 45 })].join('\n'))
    expect(busy.machine!.resources).toEqual({ procs: 8 })
    expect(busy.report.notes![0]).toContain('up to 8 are recorded in use at once')
  })

  it('whose MaxNodes is less than a job has processors is no guess for MaxProcs', () => {
    const trace = read(`; MaxNodes: 2\n${row()}`)
    expect([trace.machine!.resources, trace.report.notes!.length]).toEqual([{ procs: 4 }, 2])
  })

  it('that is no number is taken as absent, and it says so', () => {
    const trace = read(`; MaxProcs: unknown\n${row()}`)
    expect(trace.report.notes![0]).toBe('MaxProcs of the header is "unknown", which is no number of at least 1: it is taken as absent')
    expect(trace.machine!.resources).toEqual({ procs: 4 })
  })

  it('may have no blank after the colon, and no number where thousands are set apart, or sums, products or powers of ten written', () => {
    expect(read(`; Version: 2.2\n;MaxProcs:8\n${row()}\n`).machine).toMatchObject({ procs: 8, origin: '8 procs: MaxProcs of the header' })
    for (const value of ['1,024', '128+64', '128 + 64', '2x64', '64 * 2', '1e3'])
      expect(ruleNotes(`; MaxProcs: ${value}\n${row()}\n`)).toContain(`MaxProcs of the header is "${value}", which is no number of at least 1: it is taken as absent`)
  })

  it('may have a blank before the colon, or small letters for what it says of the machine', () => {
    for (const line of [';  MaxProcs : 64', '; maxprocs: 64', '# maxnodes : 64']) expect(read(`${line}\n${row()}\n`).machine!.resources, line).toEqual({ procs: 64 })
  })

  it('that contradicts itself is remarked on', () => {
    expect(ruleNotes(`; MaxProcs: 64\n; MaxProcs: 128\n${row()}`)).toEqual(['MaxProcs of the header is "64", and "128" further down: the first is taken'])
    expect(ruleNotes(`; MaxProcs: 64\n; MaxProcs: 64\n${row()}`)).toEqual([])
    expect(ruleNotes(`; MaxNodes: 128\n; MaxProcs: 64\n${row()}`)).toEqual(['the header has more nodes than processors (MaxNodes 128, MaxProcs 64): give procs or nodes if that is wrong'])
  })

  it('that announces another number of records is remarked on', () => {
    expect(ruleNotes(`; MaxRecords: 3\n${header}${row()}`)).toEqual(['the header announces 3 records (MaxRecords), the log has 1'])
  })

  it('says so of what stands below the first job', () => {
    expect(ruleNotes(`${header}${row()}\n; Note: no MaxProcs\n; MaxProcs: 64\n${row({ job: 2 })}`)).toEqual(['MaxProcs below the first job: a header is read above it only'])
  })

  it('is judged at the end of a stream, not before', () => {
    const decoder = new LineDecoder((place) => swfFormat.create(swfFormat.options.parse({}), place), {})
    decoder.push(bytesOf(`; MaxRecords: 3\n; MaxProcs: 8\n${row()}\n`))
    decoder.next()
    expect(decoder.more.notes).toEqual([])
    decoder.end()
    decoder.next()
    expect(decoder.more.notes).toEqual(['the header announces 3 records (MaxRecords), the log has 1'])
  })

  it('is known before the first job of a stream', () => {
    const facts = swfFormat.facts!(swfFormat.options.parse({}), bytesOf(text))
    expect([facts.machine!.procs, facts.header!.length]).toEqual([338, 8])
    expect(swfFormat.facts!(swfFormat.options.parse({}), bytesOf(row())).machine).toBeUndefined()
  })
})

describe('the bytes of a log', () => {
  const plain = `${header}${row({ job: 1 })}\n${row({ job: 2, submit: 10, cpu: '552.21' })}\n${row({ job: 3, submit: 11 })}\n`

  it.each<[string, string]>([
    ['CR LF', plain.replaceAll('\n', '\r\n')],
    ['no line end at the end', plain.trimEnd()],
    ['a byte order mark', `\uFEFF${plain}`],
    ['tabs', plain.replaceAll(/(?<=\d) (?=[-\d])/g, '\t')],
    ['blanks around', plain.replaceAll(/^(?=\d)/gm, '   ').replaceAll(/(?<=\d)$/gm, '  ')],
    ['comments that begin with #', `# made by hand\n${plain.replace(';', '#')}`],
    ['blank lines and late comments', plain.replaceAll(/\n(?=\d)/g, '\n\n  ; a remark\n')],
    ['lines of blanks and tabs, and the end-of-file mark of DOS', `${plain.replaceAll(/\n(?=\d)/g, '\n  \n\t\t\n')}\x1a`],
    ['whole numbers with a fraction of 0', plain.replaceAll(/(?<= )4(?= )/g, '4.0')],
    ['exponents', plain.replaceAll(/(?<= )100(?= )/g, '1e2')],
  ])('may have %s', (_, text) => {
    expect(jobs(text)).toEqual(jobs(plain))
    for (const chunk of [1, 13, 1000]) expect(streamed(text, chunk)).toEqual(jobs(plain))
  })

  it('may have times with fractions, as some converted logs do', () => {
    expect(first({ submit: '10.25', runtime: '99.5', wait: '0.125', time: '1e3' })).toMatchObject(
      { submit: 10.25, estimate: 1000, recorded: { wait: 0.125 }, stages: [{ duration: 99.5 }] })
  })

  it('are read as Number() reads them, whatever the notation', () => {
    const text = fc.oneof(
      fc.integer({ min: -1, max: 99 }).map(String),
      fc.maxSafeNat().map(String),
      fc.tuple(fc.nat(), fc.integer({ min: 0, max: 99_999_999 })).map(([whole, part]) => `${whole}.${part}`),
      fc.double({ min: 0, max: 1e15, noNaN: true }).map(String),
    )
    const blank = fc.constantFrom(' ', '  ', '\t', '      ')
    fc.assert(fc.property(fc.array(fc.tuple(text, blank), { minLength: 18, maxLength: 18 }), fc.constantFrom('\n', '\r\n', ''), (fields, end) => {
      const texts = fields.map(([value], i) => ([1, 2, 3, 5, 6, 8, 9, 17].includes(i) ? value : String(Math.min(Math.trunc(Number(value)), 1e9))))
      const line = texts.map((value, i) => fields[i]![1] + value).join('')
      const found = new Float64Array(18)
      parseRow(bytesOf(line + end), 0, line.length, found)
      expect([...found]).toEqual(texts.map(Number))
    }), { numRuns: 500, seed: 20_263 })
  })

  it('give the same jobs cut anywhere', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: plain.length }), (chunk) => {
      expect(streamed(plain, chunk)).toEqual(jobs(plain))
    }), { numRuns: 50, seed: 20_264 })
  })

  it.each<[string, Row]>([['a fraction', { submit: '70.5' }], ['a number above 2^31', { submit: 3_000_000_000 }], ['a job number above 2^31', { job: 5_000_000_000, submit: 70 }]])(
    'keep %s exact after jobs without, sorted or not', (_, change) => {
      const rows = [1, 2, 3, 4, 5, 6].map((job) => row(job === 4 ? { job, ...change } : { job, submit: 20 * job, runtime: 10 + job }))
      const late = [...rows.slice(4), ...rows.slice(0, 4)]
      const found = jobs(header + rows.join('\n'))
      expect(found.map(({ id, submit }) => [id, submit])).toContainEqual([String(change.job ?? 4), Number(change.submit)])
      expect(found.map(runtimeOf).slice(0, 2)).toEqual([11, 12])
      expect(jobs(header + late.join('\n'))).toEqual([...found].sort((a, b) => a.submit - b.submit))
      expect(streamed(`${header}${rows.slice(0, 4).join('\n')}\n`, 100)).toEqual(jobs(header + rows.slice(0, 4).join('\n')))
    },
  )

  it('give a thousand jobs in less room than first thought', () => {
    // 36 bytes a line, where the table expects 64
    const text = Array.from({ length: 1000 }, (_, i) => `${i % 10 === 0 ? i : i} 0 0 1 1 0 0 1 1 0 1 1 1 1 1 1 0 0`).join('\n')
    expect(jobs(text).map(({ id }) => id)).toEqual(Array.from({ length: 1000 }, (_, i) => String(i)))
  })
})

describe('bad logs', () => {
  it.each<[string, string, SwfOptions, string]>([
    ['17 fields', `${header}${row()}\n${row({ job: 2 }).replace(/ -1$/, '')}\n`, {},
      '"a.swf" line 6: found 17 fields, expected 18 (job number, submit time, ..., think time). Correct the line, or drop such lines with onBadLine "skip".'],
    ['19 fields', `${header}${row()} 0\n`, {}, '"a.swf" line 5: found 19 fields, expected 18 (job number, submit time, ..., think time). Correct'],
    ['a word', row({ runtime: 'abc' }), {}, '"a.swf" line 1 run time: found "abc", expected a number. Correct the line, or drop'],
    ['NaN', row({ runtime: 'NaN' }), {}, '"a.swf" line 1 run time: found "NaN", expected a number.'],
    ['half a processor', row({ requested: '2.5' }), {}, '"a.swf" line 1 requested processors: found "2.5", expected a whole number.'],
    ['a number beyond 2^53', row({ submit: '9007199254740993' }), {}, '"a.swf" line 1 submit time: found "9007199254740993", more than 2^53 - 1, above which numbers are not exact.'],
    ['a point alone before other lines', `${row({ runtime: '.' })}\n${row({ job: 2 })}\n`, {}, '"a.swf" line 1 run time: found ".", expected a number.'],
    ['a number beyond 2^53 before other lines', `${row({ submit: '9007199254740993' })}\n${row({ job: 2 })}\n`, {}, '"a.swf" line 1 submit time: found "9007199254740993", more than 2^53 - 1'],
    ['a negative job number', row({ job: -4 }), {}, '"a.swf" line 1 job number: found "-4", expected a number of at least 0.'],
    ['a job number used twice', `${row()}\n${row()}`, {}, '"a.swf" line 2 job number: job number 1 was used before. Give every job a number of its own, or drop such lines'],
    ['a header that contradicts the jobs', `${header}${row({ requested: 16 })}`, {},
      '"a.swf" line 5: the job asks for 16 procs, the machine has 8 (MaxProcs of the header). Leave such jobs out with the option wide=skip, cut them with wide=clip, or give the machine\'s true size with procs or nodes, or drop such lines with onBadLine "skip".'],
    ['an option that contradicts the jobs', `${header}${row()}`, { procs: 3 }, 'the job asks for 4 procs, the machine has 3 (option procs).'],
    ['no jobs', header, {}, '"a.swf": the trace holds no jobs. Is it the right file, and whole?'],
    ['no job left', `${header}${row({ status: 5 })}`, { status: ['completed'] }, '"a.swf": none of 1 jobs is left: 1 job of a status other than completed: left out (status). Choose other rules.'],
    ['only bad lines', `${row()} 0`, { onBadLine: 'skip' }, 'all 1 lines with jobs are bad, the first: "a.swf" line 1: found 19 fields'],
    ['the Grid Workload Format', `# GWF\n${row()} 1 2 3 4 5 6 7 8 9 10 11`, {}, '"a.swf" line 2: looks like a table of 29 blank-separated columns, not like'],
    ['other names before the jobs', `${fieldOrder.map((name) => `x${name[0]}`).join(' ')}\n${row()}\n`, {}, 'line 1: looks like text without columns, not like the Standard Workload Format. A line of that has 18 numbers with blanks between them, or is a comment that begins with ";".'],
    ['29 fields', `${row()} 1 2 3 4 5 6 7 8 9 10 11`, {}, 'looks like a table of 29 blank-separated columns, not like'],
    ['tasks that cannot share memory out', header + row(), { tasks: 'each', memory: 'requested' }, 'tasks: jobs ask for mem besides procs, which tasks of one unit each cannot share out. Leave tasks at "one", or mem out.'],
    ['nodes that nobody knows', row(), { unit: 'nodes' }, 'swf.unit: the log does not say how many nodes the machine has. Give nodes, or let jobs ask for processors.'],
    ['SWIM', 'job0\t0\t0\t10\t20\t30\n', {}, '"a.swf" line 1: looks like a table of 6 tab-separated columns, not like the Standard Workload Format. A line of that has 18 numbers'],
    ['CSV', 'id,submit\n1,2\n', {}, 'looks like a table of 2 comma-separated columns, not like'],
    ['sacct', 'JobID|Submit|Start\n', {}, 'looks like a table of 3 columns with | between them, not like'],
    ['JSON', '{"jobs":[]}\n', {}, 'looks like JSON, not like'],
    ['gzip', '\u001f\u0000', {}, 'looks like a binary file, not like text. Is it the right file?'],
    ['nothing but bad lines, with the way out', `${row()} 0`, { onBadLine: 'skip' }, 'Is the trace of the format that it is read as? Without onBadLine "skip" the message says what to do about the first.'],
  ])('%s', (_, text, options, message) => {
    expect(messageOf(() => read(text, options))).toContain(message)
  })

  it('with more than 18 fields, as Alea writes them, are read when told so', () => {
    const text = header + [row(), row({ job: 2 })].map((line) => `${line} 1 {12,12} q_1d 1:ppn=64:x86_64\n`).join('')
    expect(messageOf(() => read(text))).toContain('line 5: found 22 fields, expected 18 (job number, submit time, ..., think time). Correct the line, pass over what a simulator wrote after the 18 with the option moreFields=ignore, or drop')
    expect(detectFormatOf(bytesOf(text.slice(header.length))).name).toBe('swf')
    expect(jobs(text, { moreFields: 'ignore' })).toEqual(jobs(`${header}${row()}\n${row({ job: 2 })}\n`))
    expect(streamed(text, 50, { moreFields: 'ignore' })).toEqual(jobs(text, { moreFields: 'ignore' }))
  })

  it('may have the names of the fields above them', () => {
    const names = 'id submit wait runtime cpus cpu_time mem req_cpus walltime req_mem status user group app queue partition prev think'
    for (const text of [`${names}\n${row()}\n`, `; MaxProcs: 8\n${names.replaceAll(' ', '\t')}\n${row().replaceAll(/ +/g, '\t')}\n`]) {
      expect(detectFormatOf(bytesOf(text)).name).toBe('swf')
      expect(jobs(text)).toEqual(jobs(`; MaxProcs: 8\n${row()}\n`))
      expect(streamed(`; MaxProcs: 8\n${text}`, 50)).toEqual(jobs(text))
    }
    expect(messageOf(() => read(`${row()}\n${names}\n`))).toContain('line 2 job number: found "id", expected a number.')
  })

  it('unsorted, as a stream: an error that says what to do', () => {
    expect(messageOf(() => streamed(`${row({ submit: 9 })}\n${row({ job: 2, submit: 3 })}`, 50))).toBe(
      '"a.swf" line 2 submit time: submitted at 3 s, before the job above it (9 s). Hold the log in memory (stream: false), where it is sorted, or sort its lines by their second field, or drop such lines with onBadLine "skip".')
  })

  it('lose only their bad lines when told so', () => {
    const trace = read(`${row()}\n${row({ job: 2 })} 7\n${row({ job: 3, runtime: 'x' })}\n${row()}\n${row({ job: 4 })}`, { onBadLine: 'skip' })
    expect([...jobsOf(trace)].map(({ id }) => id)).toEqual(['1', '4'])
    expect(trace.report).toMatchObject({ lines: 5, jobs: 2, skipped: 3 })
    expect(trace.report.problems).toHaveLength(3)
    expect(trace.report.problems[0]).toContain('line 2: found 19 fields')
  })

  it.each<[object, string]>([
    [{ overun: 'kill' }, 'swf.overun: unknown key "overun". Did you mean "overrun"?'],
    [{ overrun: 'stop' }, 'swf.overrun: found "stop", expected "kill" or "extend" or "keep".'],
    [{ missingEstimate: 0.5 }, 'swf.missingEstimate: found 0.5, expected'],
    [{ procs: 0 }, 'swf.procs: found 0, expected at least 1.'],
    [{ status: ['done'] }, 'swf.status[0]: found "done", expected "completed" or "failed" or "cancelled" or "unknown".'],
  ])('options %j are refused', (options, message) => {
    expect(messageOf(() => parseTrace(bytesOf(row()), { format: 'swf', options }))).toContain(message)
  })
})

describe('detection', () => {
  it.each<[string, string]>([
    ['a header', `${header}${row()}\n`], ['18 numbers', row()], ['17 numbers', row().replace(/ -1$/, '')], ['blank lines first', `\n\n; Version: 2\n${row()}`],
  ])('knows a log by %s', (_, text) => {
    expect(swfFormat.detect(text)).toBe(true)
  })

  it.each(['a b c', '1 2 3\n', '{"a":1}', 'job0\t0\t0\t10\t20\t30\n'])('does not take %j for one', (text) => {
    expect(swfFormat.detect(text)).toBe(false)
  })
})
