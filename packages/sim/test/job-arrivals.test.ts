import type { JobSpec, Workload } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulate } from '../src/index.js'
import { exact, inOrder, job, oneNode, policyOf, prepare, run, serial, stage, startAll, twoNodes, workloadOf } from './world.js'

describe('a chain', () => {
  it('submits a job when the one it follows has ended, after its think time', () => {
    const log = run([job('a'), job('b', { after: 'a' }), job('c', { after: 'b', think: 5 })])
    expect(log.lines.filter((line) => line.includes('submit'))).toEqual(['0 submit a', '10 submit b', '25 submit c'])
  })

  it('keeps the submit time of a follower when that is later', () => {
    const log = run([job('a'), job('b', { after: 'a', submit: 4, think: 1 }), job('c', { after: 'a', submit: 50, think: 1 })])
    expect(log.lines.filter((line) => line.includes('submit'))).toEqual(['0 submit a', '11 submit b', '50 submit c'])
  })

  it('counts the think time of a follower that comes when the other has already ended', () => {
    const log = run([job('a'), job('b', { after: 'a', submit: 12, think: 100 })]) // a ends at 10
    expect(log.lines.at(1 + 2)).toBe('110 submit b')
  })

  it('holds a follower of a held job', () => {
    expect(run([job('a'), job('b', { after: 'a' }), job('c', { after: 'b' }), job('d', { after: 'b' })]).ends).toEqual({ a: 10, b: 20, c: 30, d: 30 })
  })

  it('holds a follower of a job that still thinks after one that has ended', () => {
    expect(run([job('a'), job('b', { after: 'a', submit: 10, think: 5 }), job('c', { after: 'b', submit: 10 })]).ends).toEqual({ a: 10, b: 25, c: 35 })
  })

  it('releases the followers of a rejected job', () => {
    const huge = { ...job('huge'), stages: [stage({ demand: { slot: 2 } })] }
    expect(run([huge, job('b', { after: 'huge' })], { infeasible: 'reject' }).ends).toEqual({ b: 10 })
  })
})

describe('a job that waits for events of others', () => {
  const submits = (jobs: readonly JobSpec[]) => run(jobs, { cluster: { nodes: [{ count: 9, slots: { slot: 1 } }] } }).lines.filter((line) => line.includes('submit'))
  const [a, b] = [job('a', { startup: 3 }), job('b', { duration: 20 })] // a starts at 3 and ends at 13, b at 0 and at 20

  it('comes when all have happened', () => {
    expect(submits([a, b, job('c', { afterAll: [{ job: 'a' }, { job: 'b', on: 'start', think: 7 }] })]).at(2)).toBe('13 submit c')
    expect(submits([a, b, job('c', { afterAll: [{ job: 'a', think: 1 }, { job: 'b', on: 'start', think: 17 }] })]).at(2)).toBe('17 submit c')
  })

  it('comes when the first of several has happened, and no second time', () => {
    expect(submits([a, b, job('c', { afterAny: [{ job: 'a' }, { job: 'b' }] })]).slice(2)).toEqual(['13 submit c'])
    // what is known first is not what is over first
    expect(submits([a, b, job('c', { afterAny: [{ job: 'a', on: 'start', think: 50 }, { job: 'b' }] })]).slice(2)).toEqual(['20 submit c'])
  })

  it('comes in the second of a start', () => {
    expect(submits([a, job('b', { afterAll: [{ job: 'a', on: 'start' }] })])).toEqual(['0 submit a', '3 submit b'])
  })

  it('comes behind those that come by themselves in that second', () => {
    expect(submits([job('a'), job('b', { afterAll: [{ job: 'a' }] }), job('c', { submit: 10 })])).toEqual(['0 submit a', '10 submit c', '10 submit b'])
  })

  it('counts the think time of what happened before it was due itself', () => {
    expect(submits([a, job('b', { submit: 8, afterAll: [{ job: 'a', on: 'start', think: 60 }] })]).at(1)).toBe('63 submit b')
  })

  it('waits for a job that is left out no longer than that takes', () => {
    const huge = { ...job('huge'), stages: [stage({ demand: { slot: 2 } })] }
    expect(run([huge, job('b', { afterAll: [{ job: 'huge', on: 'start', think: 2 }] })], { infeasible: 'reject' }).ends).toEqual({ b: 12 })
  })

  it('may say so beside the one that it follows', () => {
    expect(submits([a, b, job('c', { after: 'a', think: 1, afterAny: [{ job: 'b', on: 'start' }] })]).at(2)).toBe('14 submit c')
  })

  it('is submitted when its definition says, in any chain of jobs that all find room', { tags: 'long' }, () => {
    const event = fc.record({ back: fc.integer({ min: 1, max: 5 }), on: fc.constantFrom('start' as const, 'end' as const), think: fc.integer({ min: 0, max: 9 }) })
    const draft = fc.record({ gap: fc.integer({ min: 0, max: 3 }), startup: fc.integer({ min: 0, max: 4 }), duration: fc.integer({ min: 0, max: 9 }), all: fc.array(event, { maxLength: 3 }), any: fc.array(event, { maxLength: 3 }) })
    fc.assert(fc.property(fc.array(draft, { minLength: 1, maxLength: 9 }), (drafts) => {
      const times: { submit: number; start: number; end: number }[] = []
      let submit = 0
      const jobs = drafts.map(({ gap, startup, duration, all, any }, i) => {
        submit += gap
        const before = (events: typeof all) => events.filter(({ back }) => back <= i)
        const due = before(any).map(({ back, on, think }) => times[i - back]![on] + think)
        const at = Math.max(submit, ...before(all).map(({ back, on, think }) => times[i - back]![on] + think), due.length === 0 ? 0 : Math.min(...due))
        times.push({ submit: at, start: at + startup, end: at + startup + duration })
        const named = (events: typeof all) => before(events).map(({ back, ...rest }) => ({ job: `j${i - back}`, ...rest }))
        return job(`j${i}`, { submit, startup, duration, ...(before(all).length > 0 && { afterAll: named(all) }), ...(due.length > 0 && { afterAny: named(any) }) })
      })
      expect(submits(jobs).sort()).toEqual(times.map((time, i) => `${time.submit} submit j${i}`).sort())
    }), { numRuns: 300, seed: 1 })
  })
})

describe('a closed loop', () => {
  it('submits what the source gives when a job has ended', () => {
    let made = 0
    const next = (): JobSpec | undefined => (made < 4 ? job(`j${made++}`) : undefined)
    const loop = {
      name: 'loop',
      open: () => {
        const first = [next(), next()]
        return { next: () => first.shift(), ended: next }
      },
    }
    expect(run(loop).lines.filter((line) => line.includes('submit'))).toEqual(['0 submit j0', '0 submit j1', '10 submit j2', '10 submit j3'])
  })

  it('is told of the ids and times of ended jobs', () => {
    const told: [string, number][] = []
    const jobs = [job('a', { duration: 3 }), job('b', { duration: 5 })]
    run({ name: 'loop', open: () => ({ next: () => jobs.shift(), ended: (id, now) => void told.push([id, now]) }) })
    expect(told).toEqual([['a', 3], ['b', 5]])
  })
})

describe('a stream', () => {
  /** The jobs in portions, as a file reader gives them. */
  const inPortions = (jobs: readonly JobSpec[], size: number) => ({
    name: 'stream',
    open: () => {
      let at = 0
      let known = 0
      return {
        next: () => (at < known ? jobs[at++] : undefined),
        more: async () => {
          await new Promise((resolve) => setTimeout(resolve))
          known = Math.min(known + size, jobs.length)
          return at < known
        },
      }
    },
  })
  const jobs = [job('a', { tasks: 2 }), job('b', { priority: 1 }), job('c', { submit: 5 }), job('d', { submit: 5, priority: 2 }), job('e', { submit: 500 })]
  // a round serves the highest priority, so that it matters whether it sees a whole instant
  const byPriority = policyOf((round, all) => {
    for (const each of [...all].sort((x, y) => round.work.priority(y) - round.work.priority(x))) startAll(round, each)
  })

  it.each([1, 2, 3, 10])('gives the run of the stored workload, read in portions of %i', async (size) => {
    const { log, simulation } = prepare(inPortions(jobs, size), { policy: byPriority, cluster: oneNode })
    await Promise.race([simulation.runStream(Infinity, 3), new Promise((_, fail) => setTimeout(() => fail(new Error('the run goes on for ever')), 2000))])
    expect(log.lines).toEqual(run(jobs, { policy: byPriority, cluster: oneNode }).lines)
  })

  it('is refused by run(), which cannot wait', () => {
    expect(() => run(inPortions(jobs, 1))).toThrow(/stream.*runStream/)
  })

  it('gives way to others every so many instants', async () => {
    let pauses = 0
    const { simulation } = prepare(jobs)
    await simulation.runStream(Infinity, 2, async () => void pauses++)
    expect(pauses).toBeGreaterThan(2)
  })
})

describe('bad submit times', () => {
  it('refuses a job that is submitted before the one read before it', () => {
    expect(() => run([job('a', { submit: 5 }), job('b', { submit: 3 })])).toThrow(/job b is submitted at 3 after a job at 5.*Sort/)
  })

  it.each([NaN, Infinity, -1])('refuses a job that is submitted at %d', (submit) => {
    expect(() => run([job('a'), job('b', { submit })])).toThrow(/job b/)
    expect(() => run([job('b', { submit })])).toThrow(/job b/)
  })
})

describe('a workload', () => {
  it('that says that no job follows another is held to it', () => {
    const chained = { ...workloadOf([job('a'), job('b', { after: 'a' })]), chained: false }
    expect(() => simulate({ cluster: twoNodes, workload: chained, policy: inOrder, architecture: serial(), runtime: exact }))
      .toThrow('job b follows a, and the workload says that no job follows another')
  })

  it('may name the nodes that hold its blocks', () => {
    const log = run([job('a', { tasks: 2, data: { hosts: [['node-1'], ['node-0']] } })])
    expect(log.starts()).toEqual(['0 start a on 0 at level 0', '0 start a on 1 at level 0'])
  })

  it('that names a node there is none of is refused', () => {
    expect(() => run([job('a', { data: { hosts: [['c']] } })])).toThrow('stage work of job a has a block on "c", which is no node')
  })

  it('in a closed loop goes on when one of its jobs is left out', () => {
    const huge = { ...job('huge'), stages: [stage({ demand: { slot: 2 } })] }
    const loop: Workload = { name: 'loop', open: () => ({ next: once(huge), ended: (id) => (id === 'huge' ? job('next') : undefined) }) }
    expect(run(loop, { infeasible: 'reject' }).ends).toEqual({ next: 10 })
  })
})

/** A source's `next` that gives one job. */
function once(spec: JobSpec): () => JobSpec | undefined {
  let given = false
  return () => {
    if (given) return undefined
    given = true
    return spec
  }
}
