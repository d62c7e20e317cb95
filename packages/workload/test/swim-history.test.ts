import { SchedError } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { detectFormatOf, jobsOf, parseTrace } from '../src/index.js'
import { bytesOf } from './reading.js'

const read = (text: string, options: object = {}) => parseTrace(bytesOf(text), { file: 'h.tsv', options })
/** A job of 4 maps of 15 s and 2 reduces of 30 s. */
const fields = ['job_1', 'select', '400', '80', '20', '1300000100.5', '95', '60', '60', '120', '4', '2', 'in', 'out']
const row = (change: Readonly<Record<number, string>> = {}) => fields.map((field, i) => change[i] ?? field).join('\t')

describe('job history in SWIM\'s summary', () => {
  it('has the tasks that there were, each as long as the mean, sorted and counted from the first submission', () => {
    const trace = read(`${row()}\n${row({ 0: 'job_0', 5: '1300000000', 3: '', 8: '0', 11: '0' })}\n`)
    expect([...jobsOf(trace)]).toEqual([
      { id: 'job_0', submit: 0, user: 'job_0', application: 'select', label: 'bin 3', recorded: { runtime: 95 },
        stages: [{ name: 'map', tasks: 4, demand: { map: 1 }, duration: 15, bytesIn: 400, bytesOut: 20, data: {} }] },
      { id: 'job_1', submit: 100.5, user: 'job_1', application: 'select', label: 'bin 3', recorded: { runtime: 95 },
        stages: [
          { name: 'map', tasks: 4, demand: { map: 1 }, duration: 15, bytesIn: 400, bytesOut: 80, data: {} },
          { name: 'reduce', tasks: 2, demand: { reduce: 1 }, duration: 30, bytesIn: 80, bytesOut: 20, after: [{ stage: 0, fraction: 0.05 }] },
        ] },
    ])
    expect(trace.report.rules).toEqual([{ rule: 'sorted', jobs: 1, text: 'submitted before one above: sorted' }])
  })

  it('may lack the paths, have columns aligned by blanks, and jobs without tasks', () => {
    const aligned = '0   job0    1762        0           14347       1334329752  30      10      15      25      1   1   inputPath1\n5   job5\t1483413 \t0\t        17296097682\t1334329836  1000    100     30000   30100   1   100\n'
    expect([...jobsOf(read(aligned))].map(({ id, submit, stages }) => [id, submit, stages.map(({ tasks, duration }) => [tasks, duration])])).toEqual([
      ['0', 0, [[1, 10], [1, 15]]],
      ['5', 84, [[1, 100], [100, 300]]],
    ])
    const none = read(`${row()}\n${row({ 0: 'job_2', 7: '0', 8: '0', 10: '0', 11: '0' })}`)
    expect([[...jobsOf(none)].length, none.report.rules]).toEqual([1, [{ rule: 'noTasks', jobs: 1, text: 'without tasks: left out' }]])
  })

  it('asks for containers on demand', () => {
    expect([...jobsOf(read(row(), { demand: 'containers', memory: 2048 }))][0]!.stages.map(({ demand }) => demand)).toEqual(Array(2).fill({ vcores: 1, 'memory-mb': 2048 }))
  })

  it('is known by its columns', () => {
    expect(detectFormatOf(bytesOf(row())).name).toBe('swim-history')
    expect(detectFormatOf(bytesOf('job0\t9\t9\t1762\t0\t14347\n')).name).toBe('swim')
  })

  it.each([
    [row({ 5: 'soon' }), 'submit time: found "soon", expected a number of at least 0.'],
    [row({ 10: '1.5' }), 'maps: found "1.5", expected a whole number.'],
    [row({ 0: '' }), 'job id: is empty.'],
    [`${row()}\tx`, 'line 2: found 15 columns, expected 12 to 14 (job id, job name,'],
  ])('answers %j', (bad, message) => {
    expect(() => read(`${row({ 0: 'a' })}\n${bad}`)).toThrow(SchedError)
    expect(() => read(`${row({ 0: 'a' })}\n${bad}`)).toThrow(message)
  })
})
