import { describe, expect, it } from 'vitest'
import { jobsOf, parseTrace } from '../src/index.js'
import { bytesOf, messageOf } from './reading.js'

const head = 'JobID;Submit;Start;End;NNodes;NCPUS;State;ReqTRES;Constraints;Reservation'
/** A job of 4 processors, with features, GPUs and a reservation. */
const row = (id: number, features = '', tres = 'cpu=4', reservation = '') => `${id};1000;1000;1100;1;4;COMPLETED;${tres};${features};${reservation}`
const read = (options: object, ...rows: readonly string[]) => parseTrace(bytesOf([head, ...rows].join('\n')), { file: 's.txt', options })
const constraintsOf = (options: object, row: string) => [...jobsOf(read(options, row))][0]!.stages[0]!.constraints
const required = { constraints: 'require', gpuDemand: true }

describe('what sacct tells of where jobs may run', () => {
  it.each([
    ['fast', { fast: 'true' }],
    ['fast&ib', { fast: 'true', ib: 'true' }],
    ['fast,ib', { fast: 'true', ib: 'true' }],
    ['a|b', { 'a|b': 'true' }],
    ['fast & (a|b)', { fast: 'true', 'a|b': 'true' }],
    ['(a|b|c)', { 'a|b|c': 'true' }],
    ['fast&a|b', undefined],
    ['(fast&a)|b', undefined],
    ['a|', undefined],
    ['[rack1|rack2', undefined],
    ['fast*2', undefined],
    ['', undefined],
  ])('%j are labels, where all nodes of the job have them', (features, require) => {
    expect(constraintsOf(required, row(1, features))).toEqual(require === undefined ? undefined : { require })
  })

  it('the type of GPUs is their model, where there is one and GPUs are asked for', () => {
    expect(constraintsOf(required, row(1, 'fast', 'cpu=4,gres/gpu=2,gres/gpu:a100=2'))).toEqual({ require: { fast: 'true', model: 'a100' } })
    expect(constraintsOf(required, row(1, '', 'cpu=4,gres/gpu:a100=2,gres/gpu:v100=1'))).toBeUndefined()
    expect(constraintsOf({ constraints: 'require' }, row(1, '', 'cpu=4,gres/gpu:a100=2'))).toBeUndefined()
  })

  it('is told where it is not required', () => {
    const rows = [row(1, 'fast', 'cpu=4,gres/gpu:a100=2'), row(2, 'a*2', 'cpu=4', 'maintenance'), row(3)]
    expect([...jobsOf(read({}, ...rows))].map(({ stages }) => stages[0]!.constraints)).toEqual([undefined, undefined, undefined])
    expect(read({}, ...rows).report.notes).toEqual(expect.arrayContaining([
      '2 jobs with features or names of nodes that they asked for: on any node (constraints: require, where nodes are given) (constraints)', '1 job in a reservation of nodes: run like all others, except under replan with such a reservation (reservations)']))
    expect(read({}, ...rows).report.notes).toContain('1 job that held GPUs: they do not ask for them here (gpuDemand: true makes them ask) (noGpus)')
    expect(read({ gpuDemand: true }, row(1, '', 'cpu=4,gres/gpu:a100=2')).report.notes).toContain('1 job with features or names of nodes or a type of GPUs that they asked for: on any node (constraints: require, where nodes are given) (constraints)')
    expect(read({ constraints: 'require' }, ...rows).report.rules?.map(({ rule, jobs }) => [rule, jobs])).toEqual(expect.arrayContaining([['alternatives', 1], ['reservations', 1]]))
  })

  it('may be the same one on all nodes, in brackets', () => {
    expect(constraintsOf(required, row(1, '[rack1|rack2]'))).toEqual({ require: { 'rack1|rack2': 'true' }, alike: ['rack1', 'rack2'] })
    expect(constraintsOf(required, row(1, 'fast&[rack1|rack2]'))).toEqual({ require: { fast: 'true', 'rack1|rack2': 'true' }, alike: ['rack1', 'rack2'] })
    expect(constraintsOf(required, row(1, '[rack1|rack2],fast'))).toEqual({ require: { fast: 'true', 'rack1|rack2': 'true' }, alike: ['rack1', 'rack2'] })
    for (const other of ['[a*2&b*1]', '[a|]', '[(a&b)|c]', '[a|b]*2']) expect(constraintsOf(required, row(1, other))).toBeUndefined()
    expect(read({ constraints: 'require' }, row(1, '[a|b]')).report.rules?.map(({ rule, jobs }) => [rule, jobs])).toContainEqual(['alike', 1])
  })

  it('are read with | between the fields, too, unless another text of users stands beside them', () => {
    const withBars = (...rows: readonly string[]) => parseTrace(bytesOf(rows.join('\n').replaceAll(';', '|')), { file: 's.txt', options: required })
    for (const reservation of ['r', ''])
      expect([...jobsOf(withBars(head, row(1, 'a|b', 'cpu=4', reservation)))][0]!.stages[0]!.constraints).toEqual({ require: { 'a|b': 'true' } })
    expect(messageOf(() => withBars(head.replace('Reservation', 'Comment'), row(1, 'a|b', 'cpu=4', 'c')))).toContain('and with Constraints such as a|b ask with --delimiter=";"')
  })

  it('is the same in JSON', () => {
    const job = {
      job_id: 7, constraints: 'fast&ib', reservation: { id: 3, name: 'course' }, state: { current: ['COMPLETED'] }, required: { CPUs: 4 }, time: { submission: 1000, start: 1000, end: 1100, elapsed: 100 },
      tres: { requested: [{ type: 'cpu', count: 4 }, { type: 'gres', name: 'gpu', count: 2 }, { type: 'gres', name: 'gpu:a100', count: 2 }] },
    }
    const trace = parseTrace(bytesOf(JSON.stringify({ jobs: [job] })), { options: required })
    expect([...jobsOf(trace)][0]!.stages[0]).toMatchObject({ demand: { gpus: 2, procs: 4 }, constraints: { require: { fast: 'true', ib: 'true', model: 'a100' } } })
    expect(trace.report.rules).toContainEqual(expect.objectContaining({ rule: 'reservations', jobs: 1 }))
  })
})
