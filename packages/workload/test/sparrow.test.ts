import { describe, expect, it } from 'vitest'
import { detectFormatOf, jobsOf, parseTrace } from '../src/index.js'
import { bytesOf, messageOf, skip } from './reading.js'

const read = (text: string, options: object = {}) => parseTrace(bytesOf(text), { file: 'y.tr', format: 'sparrow', options })
const jobs = (text: string, options?: object) => [...jobsOf(read(text, options))]

describe('a trace with the time of each task', () => {
  it('has a job per line, its tasks a stage of their own times, sorted by submission', () => {
    expect(jobs('5 2 15.5 11 20\n3.25\t1 7 7 \n')).toEqual([
      { id: 'job-2', submit: 3.25, stages: [{ name: 'tasks', tasks: 1, demand: { map: 1 }, duration: [7] }] },
      { id: 'job-1', submit: 5, stages: [{ name: 'tasks', tasks: 2, demand: { map: 1 }, duration: [11, 20] }] },
    ])
    expect(jobs('0 1 7 7\n', { demand: { cpu: 500 }, estimate: 'mean' })).toMatchObject([{ estimate: 7, stages: [{ demand: { cpu: 500 } }] }])
  })

  it('is known by its numbers of tasks, and told from SWF', () => {
    const fifteen = `15 ${Array.from({ length: 16 }, () => 4).join(' ')}`
    const swf = (submit: number) => `1 ${submit} 0 60 4 -1 -1 4 90 -1 1 1 1 -1 1 -1 -1 -1\n`
    expect(['0 1 7 7\n1 2 3 3 3\n', `0 ${fifteen}\n0 ${fifteen}\n`, swf(15), `${swf(15)}${swf(15)}`].map((text) => detectFormatOf(bytesOf(text)).name)).toEqual(['sparrow', 'sparrow', 'swf', 'swf'])
  })

  it.each([
    ['1 3 5 5 5', '"y.tr" line 2 number of tasks: found the times of 2 tasks, expected 3. Was the file cut short? Copy it again, or drop such lines with onBadLine "skip".'],
    ['1 0 5', `"y.tr" line 2 number of tasks: found "0", expected a number of at least 1. ${skip}`],
    ['soon 1 5 5', `"y.tr" line 2 submission: found "soon", expected a number of at least 0. ${skip}`],
    ['1 1 5 long', `"y.tr" line 2 time of a task: found "long", expected a number of at least 0. ${skip}`],
  ])('answers the line %j', (line, message) => {
    expect(messageOf(() => read(`0 1 7 7\n${line}\n`))).toBe(message)
  })
})
