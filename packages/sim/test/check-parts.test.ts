import type { JobSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { simulate, type SimulationOptions } from '../src/index.js'
import { inOrder, job, oneNode, serial, stage, workloadOf } from './world.js'

const whole: SimulationOptions = { cluster: oneNode, workload: workloadOf([job('a')]), policy: inOrder, architecture: serial() }
const without = (change: Readonly<Record<string, unknown>>) => () =>
  simulate({ ...whole, ...change })

describe('a run described by a program without types', () => {
  it('goes where everything is there', () => expect(without({})().launches).toBe(1))

  it.each<[Readonly<Record<string, unknown>>, string]>([
    [{ architecture: undefined }, 'architecture: is missing, and an architecture is needed. Give one, for example monolithic().'],
    [{ architecture: serial }, 'architecture: is the function serial, and an architecture is needed. Call it, for example monolithic().'],
    [{ policy: serial() }, 'policy: is the architecture "serial", and a policy is needed. Give one, for example greedy(fifo()).'],
    [{ policies: { only: 'fifo' } }, 'policies.only: is "fifo", and a policy is needed.'],
    [{ workload: undefined }, 'workload: is missing.'],
    [{ workload: [job('a')] }, 'workload: is no workload: it has no open().'],
    [{ cluster: undefined }, 'cluster: is missing.'],
    [{ observers: {} }, 'observers: is no list. Write [standardMetrics()], for example.'],
    [{ observers: [serial] }, 'observers[0]: is the function serial. Write [standardMetrics()], for example.'],
    [{ observers: [undefined] }, 'observers[0]: is nothing.'],
    [{ until: '5' }, 'until: found "5". Give seconds, at least 0, or leave it out.'],
    [{ until: -1 }, 'until: found -1.'],
    [{ infeasible: 'rejct' }, 'infeasible: found "rejct", expected "fail" or "reject". Did you mean "reject"?'],
    [{ observer: [] }, 'observer: unknown key "observer". Did you mean "observers"?'],
    [{ runtime: { jiter: 0 } }, 'runtime.jiter: unknown key "jiter". Did you mean "jitter"?'],
    [{ workload: workloadOf([{ id: 'a', submit: 0 } as JobSpec]) }, 'stages: job a has none.'],
  ])('says what is missing or something else: %j', (change, message) => expect(without(change)).toThrow(message))

  it.each<[Readonly<Record<string, unknown>>, string]>([
    [{ id: 7 }, 'id: the job has 7. Give each an id of its own, a text.'],
    [{ submit: '0' }, 'job a is submitted at "0". Give seconds from the start of the workload, at least 0.'],
    [{ priority: 'high' }, 'priority: job a has "high". Give a finite number; larger is more important.'],
    [{ estimate: '5' }, 'estimate: job a has "5". Give seconds, at least 0, or leave it out where the run time is unknown.'],
    [{ estimate: NaN }, 'estimate: job a has NaN.'],
    [{ deadline: '9' }, 'deadline: job a has "9". Give seconds from the start of the workload, or leave it out.'],
    [{ weight: -1 }, 'weight: job a has -1.'],
    [{ startup: -5 }, 'startup: job a has -5. Give seconds, at least 0, or leave it out.'],
    [{ think: -3 }, 'think: job a has -3.'],
    [{ user: 5 }, 'user: job a has 5. Give a text, or leave it out.'],
    [{ queue: null }, 'queue: job a has null. Give a text, or leave it out.'],
    [{ class: ['batch'] }, 'class: job a has ["batch"].'],
  ])('says what no job can have: %j', (change, message) => expect(without({ workload: workloadOf([job('a', change)]) })).toThrow(message))

  it('takes a deadline that was before time 0, as that of a window may have been', () => {
    expect(without({ workload: workloadOf([job('a', { deadline: -3 })]) })().launches).toBe(1)
  })

  it('may have keys of others beside, and ends where it is told', () => {
    expect(without({ quick: true })().launches).toBe(1)
    const { work, now } = simulate({ ...whole, until: 5 })
    expect([work.active, now]).toEqual([1, 5])
  })

  it('names the job whose demand means nothing on the cluster', () => {
    const asks = (demand: Readonly<Record<string, number>>) => without({ workload: workloadOf([job('a'), job('b', { stages: [stage({ demand })] })]) })
    expect(asks({ gpu: 1 })).toThrow(/^demand of job b: the cluster has no resource "gpu"/)
    expect(asks({})).toThrow('demand of job b: a task asks for nothing')
  })
})
