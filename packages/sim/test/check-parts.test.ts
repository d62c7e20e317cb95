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
  ])('says what is missing or something else: %j', (change, message) => expect(without(change)).toThrow(message))

  it('names the job whose demand means nothing on the cluster', () => {
    const asks = (demand: Readonly<Record<string, number>>) => without({ workload: workloadOf([job('a'), job('b', { stages: [stage({ demand })] })]) })
    expect(asks({ gpu: 1 })).toThrow(/^demand of job b: the cluster has no resource "gpu"/)
    expect(asks({})).toThrow('demand of job b: a task asks for nothing')
  })
})
