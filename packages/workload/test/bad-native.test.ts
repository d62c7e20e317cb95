import { SchedError } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace, type ParseOptions } from '../src/index.js'

const header = '{"format":"sched-workload","version":1}'
const stage = '{"name":"map","tasks":2,"demand":{"map":1},"duration":15}'
const good = (id: string, submit = 0) => `{"id":"${id}","submit":${submit},"stages":[${stage}]}`
const read = (text: string | Uint8Array, options: ParseOptions = {}) =>
  parseTrace(typeof text === 'string' ? new TextEncoder().encode(text) : text, { file: 'w.jsonl', format: 'sched-workload', ...options })
const lines = (...all: string[]) => `${all.join('\n')}\n`
const withStages = (...stages: string[]) => `{"id":"x","submit":1,"stages":[${stages.join(',')}]}`
const withStage = (change: object) => withStages(JSON.stringify({ ...(JSON.parse(stage) as object), ...change }))
const orDrop = 'or drop such lines with onBadLine "skip".'

/** A bad third line after a header and a good job, and the whole message. */
const badLines: [string, string, string][] = [
  ['cut short', good('x').slice(0, 40), `is not JSON; it ends in "${good('x').slice(0, 40).replaceAll('"', '\\"')}". The line may have been cut short.`],
  ['no JSON', 'job1,3,4', 'is not JSON; it ends in "job1,3,4".'],
  ['not an object', '[1]', 'found [1], expected a mapping.'],
  ['a negative time', good('x', -1), 'submit: found -1, expected at least 0.'],
  ['a number beyond doubles', good('x').replace('"submit":0', '"submit":1e999'), 'submit: found Infinity, expected a number.'],
  ['a number above 2^53', good('x').replace('"submit":0', '"submit":1e300'), 'submit: found 1e+300, expected at most 9007199254740991.'],
  ['text for a number', good('x').replace('"submit":0', '"submit":"0"'), 'submit: found "0", expected a number.'],
  ['NaN', good('x').replace('"submit":0', '"submit":NaN'), 'is not JSON; it ends in'],
  ['a missing key', '{"id":"x","submit":1}', 'stages: is missing, expected a list.'],
  ['no stages', withStages(), 'stages: found [], expected at least 1 element.'],
  ['an unknown key', good('x').replace('"id"', '"usr":"u","id"'), 'usr: unknown key "usr". Did you mean "user"? Known: id, submit, user, queue,'],
  ['an unknown key of a stage', withStage({ tsks: 3 }), 'stages[0].tsks: unknown key "tsks". Did you mean "tasks"? Known: name, tasks, demand,'],
  ['a mistyped required key', good('x').replace('"submit"', '"sumbit"'), 'sumbit: unknown key "sumbit". Did you mean "submit"?'],
  ['an unknown key of a distribution', withStage({ duration: { kind: 'exponential', mean: 1, shft: 2 } }), 'stages[0].duration.shft: unknown key "shft". Did you mean "shift"?'],
  ['an unknown distribution', withStage({ duration: { kind: 'normal', mean: 1 } }), 'stages[0].duration.kind: found "normal", expected "exponential" or "uniform".'],
  ['a range upside down', withStage({ duration: { kind: 'uniform', min: 3, max: 2 } }), 'stages[0].duration: found {"kind":"uniform","min":3,"max":2}, expected min to be at most max.'],
  ['half a task', withStage({ tasks: 1.5 }), 'stages[0].tasks: found 1.5, expected a whole number.'],
  ['no task', withStage({ tasks: 0 }), 'stages[0].tasks: found 0, expected at least 1.'],
  ['a task that asks for nothing', withStage({ demand: {} }), 'stages[0].demand: found {}, expected an amount above 0 of at least one resource.'],
  ['a negative amount', withStage({ demand: { map: -1 } }), 'stages[0].demand.map: found -1, expected at least 0.'],
  ['a resource with a name of the language', withStages(stage.replace('{"map":1}', '{"map":1,"__proto__":1}')), 'stages[0].demand.__proto__: nothing can be called "__proto__". Take another name,'],
  ['a label with such a name', withStages(stage.replace('"tasks"', '"constraints":{"require":{"__proto__":"x"}},"tasks"')), 'stages[0].constraints.require.__proto__: nothing can be called "__proto__".'],
  ['licences with such a name', good('x').replace('"submit"', '"licenses":{"__proto__":1},"submit"'), 'licenses.__proto__: nothing can be called "__proto__".'],
  ['too few durations', withStage({ duration: [1, 2, 3] }), 'stages[0].duration: found 3 elements for 2 tasks. Give one per task,'],
  ['a minimum of tasks that are no gang', withStage({ minTasks: 2 }), 'stages[0].minTasks: the stage is no gang. Add "gang": true,'],
  ['a larger minimum than tasks', withStage({ gang: true, minTasks: 3 }), 'stages[0].minTasks: found 3, more than its 2 tasks.'],
  ['too few hosts', withStage({ data: { hosts: [['n1']] } }), 'stages[0].data.hosts: found 1 elements for 2 tasks. Give one per task,'],
  ['a fraction above 1', withStages(stage, stage.replace('}}', '}}').replace('"tasks"', '"after":[{"stage":0,"fraction":5}],"tasks"')), 'stages[1].after[0].fraction: found 5, expected at most 1.'],
  ['an unknown stage', withStages(stage, stage.replace('"tasks"', '"after":[{"stage":7,"fraction":1}],"tasks"')), 'stages[1].after[0].stage: no stage 7, the job has 2 (counted from 0).'],
  ['a stage that waits for itself', withStage({ after: [{ stage: 0, fraction: 1 }] }), 'stages[0].after[0].stage: stage 0 waits for stage 0, which does not come before it.'],
  ['a cycle of stages', withStages(...[1, 0].map((other) => stage.replace('"tasks"', `"after":[{"stage":${other},"fraction":1}],"tasks"`))),
    'stages[0].after[0].stage: stage 0 waits for stage 1, which does not come before it. List stages so that each waits only for earlier ones; a cycle can never start,'],
  ['a master alone', withStages(stage.replace('"tasks":2', '"master":true,"tasks":1')), 'stages[0].master: the job has no other stage. A master is one task, the first of several stages,'],
  ['two masters', withStages(stage.replace('"tasks":2', '"master":true,"tasks":2'), stage), 'stages[0].master: it has 2 tasks.'],
  ['a master that is late', withStages(stage, stage.replace('"tasks":2', '"master":true,"tasks":1')), 'stages[1].master: it is not the first stage.'],
  ['a stage that waits for the master', withStages(stage.replace('"tasks":2', '"master":true,"tasks":1'), stage.replace('"tasks"', '"after":[{"stage":0,"fraction":1}],"tasks"')),
    'stages[1]: it waits for the end of the master, which is the last to end.'],
  ['a job that waits for itself', good('x').replace('"submit"', '"after":"x","submit"'), 'after: job "x" waits for itself.'],
  ['a job that waits for one that is not there', good('x', 6).replace('"submit"', '"after":"zz","submit"'), 'after: job "x" waits for "zz", which no line above defines. Put the job it waits for first,'],
  ['an id used before', good('a', 9), 'id: job id "a" was used before. Give every job an id of its own,'],
  ['a time going backwards', good('x', 3), 'submit: submitted at 3 s, before the job above it (5 s). Sort the jobs by submit time,'],
  ['nonsense sizes', withStage({ tasks: 20_000_000 }).replace('"submit":1', '"submit":9'), 'job "x" has 20000000 tasks, more than maxTasks (10000000). Raise maxTasks if that is meant,'],
]

describe.each(badLines)('a native line with %s', (_, line, message) => {
  const text = lines(header, good('a', 5), line.replace('"submit":1,', '"submit":6,'), good('last', 7))

  it('stops the reading with file, line, field, what was found and what to do', () => {
    expect(() => read(text)).toThrow(SchedError)
    expect(() => read(text)).toThrow(`"w.jsonl" line 3${/^(is|found|job|submitted) /.test(message) ? ':' : ''} ${message}`)
    expect(() => read(text)).toThrow(orDrop)
  })

  it('is dropped, counted and reported when asked', () => {
    const trace = read(text, { onBadLine: 'skip' })
    expect([...jobsOf(trace)].map((job) => job.id)).toEqual(['a', 'last'])
    expect(trace.report).toMatchObject({ lines: 4, jobs: 2, skipped: 1 })
    expect(trace.report.problems[0]).toContain('"w.jsonl" line 3')
  })
})

describe('a native file', () => {
  it.each<[string, string | Uint8Array, string]>([
    ['without a header', lines(good('a')), '"w.jsonl" line 1 id: unknown key "id". Known: format, version, name, jobs, start, timeZone, machine, header. The first line has to be a header such as {"format":"sched-workload","version":1}.'],
    ['of another version', lines('{"format":"sched-workload","version":2}', good('a')), '"w.jsonl" line 1 version: found 2, expected 1.'],
    ['with a mistyped header', lines('{"format":"sched-workload","version":1,"nam":"x"}'), '"w.jsonl" line 1 nam: unknown key "nam". Did you mean "name"?'],
    ['with a header that is cut short', '{"format":"sched-wo', '"w.jsonl" line 1: is not JSON; it ends in "{\\"format\\":\\"sched-wo". The line may have been cut short. The first line has to be a header'],
    ['without jobs', lines(header), '"w.jsonl": the trace holds no jobs.'],
    ['that is cut short between lines', lines(header.replace('}', ',"jobs":3}'), good('a'), good('b')), '"w.jsonl" line 3 jobs: the header announces 3 jobs, 2 lines follow. Was the file cut short? Copy it again'],
    ['that is cut short within a line', lines(header, good('a'), good('b')).slice(0, -9), '"w.jsonl" line 3: is not JSON; it ends in'],
    ['in binary', new Uint8Array([0, 1, 2, 3]), '"w.jsonl": looks like a binary file, not like text. Is it the right file?'],
    ['in UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0]), '"w.jsonl": looks like UTF-16 text, not like text. Save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE > NEW.'],
    ['in Latin-1', new Uint8Array([...new TextEncoder().encode(`${header}\n{"id":"caf`), 0xe9, ...new TextEncoder().encode('"}\n')]), '"w.jsonl" line 2: is not UTF-8. Save the file as UTF-8'],
    ['with bad lines only', lines(header, '{}', '{}'), '"w.jsonl" line 2 id: is missing, expected text.'],
  ])('%s is refused', (_, text, message) => {
    expect(() => read(text)).toThrow(SchedError)
    expect(() => read(text)).toThrow(message)
  })

  it('of bad lines only is refused even when they may be dropped', () => {
    expect(() => read(lines(header, '{}', '{}'), { onBadLine: 'skip' })).toThrow('all 2 lines with jobs are bad, the first: "w.jsonl" line 2 id: is missing')
  })

  it('reports the first five of many problems and counts all', () => {
    const { report } = read(lines(header, good('a'), ...Array.from({ length: 9 }, () => '{}')), { onBadLine: 'skip' })
    expect([report.skipped, report.problems.length]).toEqual([9, 5])
  })

  it('keeps the limit of tasks that it is given', () => {
    expect(() => read(lines(header, good('a')), { maxTasks: 1 })).toThrow('job "a" has 2 tasks, more than maxTasks (1).')
  })
})
