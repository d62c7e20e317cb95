import { Reason, type NodeId, type Round } from '@sched/core'
import { describe, expect, it } from 'vitest'
import type { SimulationOptions } from '../src/index.js'
import { exact, inOrder, job, policyOf, prepare, stage, startAll, twoNodes } from './world.js'

const hourly = { ...twoNodes, heartbeat: { interval: 3600, stagger: true } }

/** Starts jobs but for those that are kept, of which it tells why if somebody listens. */
const keeping = (reasons: Readonly<Record<string, readonly [Reason, string?]>>) =>
  policyOf((round: Round, jobs) => {
    for (const each of jobs) {
      const kept = reasons[round.work.name(each)]
      if (kept === undefined) startAll(round, each)
      else if (round.explained) round.defer(each, ...kept)
    }
  })

/** How the run of jobs a to d ends: starts, warnings, and the error. */
function end(reasons: Parameters<typeof keeping>[0], options: Partial<Parameters<typeof prepare>[1]> = {}) {
  const warnings: string[] = []
  const { simulation, log } = prepare(['a', 'b', 'c', 'd'].map((id) => job(id)), { policy: keeping(reasons), warn: (text) => void warnings.push(text), ...options })
  try {
    simulation.run()
  } catch (error) {
    return { error: (error as Error).message, code: (error as { code?: string }).code }
  }
  return { warnings, starts: log.lines.filter((line) => line.includes('start')).length }
}

describe.each([['without heartbeats', twoNodes], ['with heartbeats', hourly]])('jobs that wait although nothing runs, %s', (_, cluster) => {
  it('are left where limits forbid them, which are told', () => {
    const limited = { a: [Reason.Limit, 'most 0'], b: [Reason.Limit, 'most 0'], c: [Reason.Limit] } as const
    expect(end(limited, { cluster })).toEqual({ starts: 1, warnings: ['3 jobs can never start, since limits forbid them: most 0 (2), limits of test (1). Raise the limits, or change what jobs a, b, c ask for.'] })
    expect(end({ a: [Reason.Limit, 'most 0'], b: [Reason.Order] }, { cluster })).toEqual({ starts: 2, warnings: ['1 job can never start, since limits forbid it: most 0 (1). Raise the limit, or change what job a asks for.'] })
  })

  it('are told with those that wait for them, which are never submitted', () => {
    const jobs = [job('a'), job('b'), { ...job('c'), after: 'a' }, { ...job('d'), after: 'c' }, { ...job('e'), after: 'b' }]
    const warnings: string[] = []
    const { simulation } = prepare(jobs, { cluster, policy: keeping({ a: [Reason.Limit, 'most 0'] }), warn: (text) => void warnings.push(text) })
    simulation.run()
    expect(warnings).toEqual(['1 job can never start, since limits forbid it: most 0 (1). Raise the limit, or change what job a asks for. 2 jobs that wait for others were never submitted.'])
  })

  it('are an error where they have no place in an idle cluster, or are left and told', () => {
    const unfit = { a: [Reason.NoRoom], b: [Reason.Limit, 'most 0'] } as const
    expect(end(unfit, { cluster })).toMatchObject({ code: 'INFEASIBLE', error: expect.stringMatching(/^at \d+ s policy "test" finds no room for job a although nothing runs\. .*infeasible: reject/) as string })
    expect(end(unfit, { cluster, infeasible: 'reject' })).toMatchObject({ starts: 2, warnings: [expect.stringMatching(/finds no room for job a although/)] })
    expect(end({ a: [Reason.Reservation] }, { cluster })).toMatchObject({ code: 'INFEASIBLE', error: expect.stringContaining('keeps job a waiting for reservations or nearer nodes') as string })
  })

  it('are a fault of the policy that says nothing of them, whatever becomes of those that can never run', () => {
    for (const infeasible of ['fail', 'reject'] as const) expect(end({ a: [Reason.Order] }, { cluster, infeasible })).toMatchObject({ code: 'BROKEN_CONTRACT', error: expect.stringContaining('policy "test" leaves 1 job unplaced') as string })
  })
})

describe('a run that ends with jobs that wait', () => {
  it('tells of tasks that hold what others need from which they fetch: not that nothing runs, nor of a fault of the policy', () => {
    // the maps, placed first, keep the other stage off their node, and wait for what it has written
    const asks = (slot: string) => ({ demand: { [slot]: 1 }, constraints: { distinctNodes: true } })
    const fetching = { id: 'a', submit: 0, stages: [stage(asks('reduce')), stage({ ...asks('map'), after: [{ stage: 0, fraction: 0 }], shuffle: { from: 0, bytes: 8 } })] }
    const cluster = { nodes: [{ count: 1, slots: { map: 1, reduce: 1 } }] }
    const { simulation } = prepare([fetching], { cluster, policy: inOrder, runtime: { ...exact, network: { overlap: true } } })
    expect(() => simulation.run()).toThrow(/^at 0 s 1 job waits, and all that runs is 1 task that waits for others\. Let stages that fetch start later/)
  })

  it('tells of tasks of no job that never end, which leave no room: not of a fault of the policy', () => {
    const cluster = { nodes: [{ count: 1, slots: { slot: 2 } }] }
    const held = (end: number, slot = 2) => [{ node: 0 as NodeId, demand: { slot }, end }]
    const run = (prefill: ReturnType<typeof held>, policy = inOrder) => prepare([job('a')], { cluster, policy, prefill }).simulation.run()
    expect(() => run(held(Infinity))).toThrow(/^at 0 s job a waits, and all that runs is 1 task of no job, which never ends\. Let what the cluster is prefilled with end \(`remaining` of `prefill`\)/)
    expect(run(held(5)).now).toBe(15)
    expect(() => run(held(Infinity, 1), keeping({ a: [Reason.Order] }))).toThrow(/policy "test" leaves 1 job unplaced/) // beside them it would have room
    const warnings: string[] = []
    prepare([job('a')], { cluster, policy: keeping({ a: [Reason.NoRoom] }), prefill: held(Infinity), outages: { mtbf: 500, mttr: 1e9 }, warn: (text) => void warnings.push(text) }).simulation.run()
    expect(warnings).toEqual([expect.stringMatching(/job a waits although nothing runs but 1 task of no job, with 1 node away/)])
  })

  it('are told where nodes that come back happen to be away', () => {
    const outages = { mtbf: 500, mttr: 1e9 }
    expect(end({ b: [Reason.NoRoom], d: [Reason.NoRoom] }, { cluster: twoNodes, outages })).toEqual({
      warnings: [expect.stringMatching(/^at \d[\d.]* s jobs b, d wait although nothing runs, with 2 nodes away that come back\.$/)],
      starts: 2,
    })
  })

  it('ends with what happened last, not with the heartbeats that show that nothing more will', () => {
    const ended = (cluster: SimulationOptions['cluster'], explained = false) => {
      const { simulation } = prepare([job('a'), job('b')], { policy: keeping({ b: [Reason.Limit] }), cluster, ...(explained && { observers: [{ onDefer: () => undefined }] }) })
      return simulation.run().now
    }
    expect([ended(twoNodes), ended({ ...twoNodes, heartbeat: { interval: 3, stagger: false } })]).toEqual([10, 12])
    expect(ended(hourly, true)).toBe(7 * 86_400) // the wait goes on as long as somebody is told of it
  })
})

describe('a policy that is asked why jobs wait', () => {
  it('starts nothing by it', () => {
    const forgetful = policyOf((round, jobs) => {
      for (const each of jobs) if (round.explained) startAll(round, each) // as soon as somebody asks
    })
    expect(end({}, { policy: forgetful })).toMatchObject({ code: 'BROKEN_CONTRACT' })
    expect(end({}, { policy: inOrder })).toEqual({ starts: 4, warnings: [] })
  })
})
