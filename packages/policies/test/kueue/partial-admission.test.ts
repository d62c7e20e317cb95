import type { JobSpec, StageSpec } from '@sched/core'
import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { largest } from '../../src/kueue/partial-admission.js'

const big = instantCluster({ nodes: [{ count: 1, resources: { cpu: 1000 } }] })
const gang = (id: string, tasks: number, minTasks: number, more: Partial<StageSpec> & Partial<JobSpec> = {}) =>
  job({ id, queue: id.split('_')[0] as string, gang: true, tasks, minTasks, demand: { cpu: 1 }, duration: 10, ...more })

/** What of which job starts, `+count id`, and is preempted, `-count id`, at which time. */
function schedule(options: KueueOptions, jobs: readonly JobSpec[], cluster = big): string[] {
  const { recorder } = run({ policy: kueue({ partialAdmission: true, ...options }), cluster, jobs })
  const counts = new Map<string, number>()
  for (const each of recorder.events) {
    if (each.kind !== 'launch' && !(each.kind === 'end' && each.how === 'evicted')) continue
    const what = `${each.time} ${each.kind === 'launch' ? '+' : '-'}# ${each.job}`
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  return [...counts].map(([what, count]) => what.replace('#', String(count)))
}

describe('partial admission, as in TestSchedule', () => {
  const sales = { queues: { sales: { nominalQuota: { cpu: 50 } } } }
  const beta = { queues: { beta: { nominalQuota: { cpu: 20 }, preemption: { withinClusterQueue: 'LowerPriority' as const } } } }
  const old = job({ id: 'beta_old', queue: 'beta', priority: -4, gang: true, tasks: 10, demand: { cpu: 1 }, duration: 100 })

  it('takes as many pods as there is quota for (single variable pod set)', () => {
    expect(schedule(sales, [gang('sales_new', 50, 20, { demand: { cpu: 2 } })])).toEqual(['0 +25 sales_new', '10 +25 sales_new'])
  })

  it('preempts for all pods first (preempt first)', () => {
    expect(schedule(beta, [old, gang('beta_new', 20, 10, { submit: 1, priority: 4 })])).toEqual(['0 +10 beta_old', '1 -10 beta_old', '1 +20 beta_new', '11 +10 beta_old'])
  })

  it('preempts for fewer where it cannot for all (preempt with partial admission)', () => {
    const found = schedule(beta, [old, gang('beta_new', 30, 10, { submit: 1, priority: 4 })])
    expect(found).toEqual(['0 +10 beta_old', '1 -10 beta_old', '1 +20 beta_new', '11 +10 beta_new', '11 +10 beta_old'])
  })

  it('has to be asked for (partial admission disabled)', () => {
    const jobs = [gang('sales_new', 50, 20, { demand: { cpu: 2 } }), job({ id: 'sales_next', queue: 'sales', submit: 5, demand: { cpu: 2 } })]
    expect(schedule({ ...sales, partialAdmission: false }, jobs)).toEqual(schedule(sales, jobs)) // task by task as many come in here
    const [wide] = [gang('sales_new', 50, 20, { demand: { cpu: 2 }, duration: [5, ...Array<number>(49).fill(10)] })]
    const next = job({ id: 'sales_next', queue: 'sales', submit: 1, priority: 1, demand: { cpu: 2 }, duration: 1 })
    expect(schedule({ ...sales, partialAdmission: false }, [wide, next])).toContain('5 +1 sales_next')
    expect(schedule(sales, [wide, next])).not.toContain('5 +1 sales_next') // the place of a pod that has ended is the next one's
  })
})

describe('a gang that is admitted in part', () => {
  const two: KueueOptions = { queues: { a: {}, b: {} }, defaults: { cohort: 'r', nominalQuota: { cpu: 4 }, preemption: { reclaimWithinCohort: 'Any' } } }

  it('does not grow when more quota comes free, and gives its own back as its last pods end', () => {
    const b = job({ id: 'b_0', queue: 'b', gang: true, tasks: 4, demand: { cpu: 1 }, duration: 5 })
    // 4 of 6 at 1 s; b has gone at 5 s; the last 2 at 11 s, when 6 of 8 are left to b again
    const next = job({ id: 'b_1', queue: 'b', submit: 11, gang: true, tasks: 6, demand: { cpu: 1 }, duration: 5 })
    expect(schedule({ queues: { a: {}, b: {} }, defaults: { cohort: 'r', nominalQuota: { cpu: 4 } } }, [b, gang('a_in', 6, 2, { submit: 1 }), next])).toEqual(['0 +4 b_0', '1 +4 a_in', '11 +2 a_in', '11 +6 b_1'])
  })

  it('is preempted whole, and admitted anew with as many of the others as there is quota for', () => {
    const b = job({ id: 'b_0', queue: 'b', submit: 3, gang: true, tasks: 4, demand: { cpu: 1 }, duration: 5 })
    expect(schedule(two, [gang('a_in', 12, 3), b])).toEqual(['0 +8 a_in', '3 -8 a_in', '3 +4 b_0', '3 +4 a_in', '13 +4 a_in', '23 +4 a_in'])
  })

  it('waits where not even its least would fit', () => {
    const first = job({ id: 'a_0', queue: 'a', gang: true, tasks: 6, demand: { cpu: 1 }, duration: 5 })
    expect(schedule({ queues: { a: { nominalQuota: { cpu: 8 } } } }, [first, gang('a_in', 9, 3, { submit: 1 })])).toEqual(['0 +6 a_0', '5 +8 a_in', '15 +1 a_in'])
    expect(schedule({ queues: { a: { nominalQuota: { cpu: 8 } } } }, [first, gang('a_in', 9, 1, { submit: 1 })])).toEqual(['0 +6 a_0', '1 +2 a_in', '11 +2 a_in', '21 +2 a_in', '31 +2 a_in', '41 +1 a_in'])
  })

  it('leaves its place to no gang of a later stage, which asks the same and has to be admitted with all that it starts at once', () => {
    const first = job({ id: 'a_0', queue: 'a', demand: { cpu: 2 }, duration: 100 })
    const { stages: [stage] } = gang('a_in', 2, 1, { duration: 5 })
    const late = { ...(stage as StageSpec), tasks: 3, minTasks: 3, after: [{ stage: 0, fraction: 0.5 }] }
    const two = { ...gang('a_in', 2, 1, { submit: 1 }), stages: [stage as StageSpec, late] }
    expect(schedule({ queues: { a: { nominalQuota: { cpu: 3 } } } }, [first, two])).toEqual(['0 +1 a_0', '1 +1 a_in', '6 +1 a_in', '100 +3 a_in'])
  })

  it('starts what must together, and the others as nodes have room', () => {
    const cluster = instantCluster({ nodes: [{ count: 4, resources: { cpu: 1 } }] })
    const b = job({ id: 'b_0', queue: 'b', tasks: 2, demand: { cpu: 1 }, duration: 5 })
    const options = { queues: { a: { nominalQuota: { cpu: 3 } }, b: { nominalQuota: { cpu: 4 } } } }
    expect(schedule(options, [b, gang('a_in', 4, 2, { submit: 1 })], cluster)).toEqual(['0 +2 b_0', '1 +2 a_in', '5 +1 a_in', '11 +1 a_in'])
  })

  it('starts anew when it loses a node and too few are left', () => {
    const cluster = instantCluster({ nodes: [{ name: 'n', count: 2, resources: { cpu: 2 } }] })
    const { recorder } = run({
      policy: kueue({ partialAdmission: true, queues: { a: { nominalQuota: { cpu: 4 } } } }), cluster, jobs: [gang('a_in', 6, 3)],
      outages: [{ node: 1 as never, from: 4, to: 6, drain: false }],
    })
    expect(recorder.launches.map(({ time }) => time)).toEqual([0, 0, 0, 0, 6, 6, 6, 6, 16, 16])
  })
})

it('every task of any gang runs once, and quotas are kept, whatever comes, with and without partial admission', { tags: 'long' }, () => {
  const load = fc.record({ queue: fc.constantFrom('a', 'b'), tasks: fc.integer({ min: 1, max: 6 }), least: fc.integer({ min: 1, max: 6 }), submit: fc.integer({ min: 0, max: 9 }), priority: fc.integer({ min: 0, max: 2 }), duration: fc.integer({ min: 1, max: 9 }) })
  const preemption = { withinClusterQueue: 'LowerPriority', reclaimWithinCohort: 'LowerPriority' } as const
  let parts = 0
  fc.assert(
    fc.property(fc.array(load, { minLength: 3, maxLength: 9 }), fc.boolean(), fc.boolean(), (loads, fairSharing, partialAdmission) => {
      const jobs = loads.map(({ queue, tasks, least, ...each }, i) => gang(`${queue}_${i}`, tasks, Math.min(tasks, least), each))
      const options = { partialAdmission, fairSharing, queues: { a: {}, b: {} }, defaults: { cohort: 'r', nominalQuota: { cpu: 3 }, preemption } }
      const { recorder } = run({ policy: kueue(options), cluster: big, jobs })
      let running = 0
      const done = new Map<string, number>()
      for (const each of recorder.events) {
        if (each.kind === 'launch') expect(++running).toBeLessThanOrEqual(6)
        if (each.kind === 'end') running--
        if (each.kind === 'end' && each.how === 'done') done.set(each.job, (done.get(each.job) ?? 0) + 1)
      }
      expect(jobs.map(({ id }) => done.get(id))).toEqual(loads.map(({ tasks }) => tasks))
      parts += new Set(recorder.launches.map(({ time, job: id }) => `${time} ${id}`)).size - jobs.length
    }),
    { seed: 5, numRuns: 200 },
  )
  expect(parts).toBeGreaterThan(100)
})

it('the largest number is found by halves, as in TestSearch of the reducer', () => {
  const tried: number[] = []
  const upTo = (limit: number) => largest(50, 20, (tasks) => (tried.push(tasks), tasks <= limit ? tasks : undefined))
  expect([upTo(25), upTo(50), upTo(20), upTo(19)]).toEqual([25, 50, 20, undefined])
  expect(tried.slice(0, 5)).toEqual([35, 27, 23, 25, 26])
})
