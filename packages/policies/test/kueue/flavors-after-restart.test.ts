// @module-tag long
import { dispatcher, type Dispatcher, type DispatcherMemory, type Placed } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'

const FLAVORS = ['one', 'two', 'three']
const QUEUES = ['a', 'b', 'c']
const pair = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 }))
const rules = fc.record({
  flavorFungibility: fc.record({ whenCanPreempt: fc.constantFrom('Preempt', 'TryNextFlavor'), whenCanBorrow: fc.constantFrom('Borrow', 'TryNextFlavor') }),
  preemption: fc.record({ reclaimWithinCohort: fc.constantFrom('Any', 'Never', 'LowerPriority'), withinClusterQueue: fc.constantFrom('Never', 'LowerPriority', 'LowerOrNewerEqualPriority') }),
  queueingStrategy: fc.constantFrom('StrictFIFO', 'BestEffortFIFO'),
})
const worlds = fc.record({
  queues: fc.array(fc.record({ quotas: fc.array(pair, { minLength: 3, maxLength: 3 }), rules }), { minLength: 3, maxLength: 3 }),
  jobs: fc.array(fc.record({
    asks: pair, tasks: fc.integer({ min: 1, max: 3 }), queue: fc.constantFrom(...QUEUES), priority: fc.integer({ min: 0, max: 2 }), lasts: fc.integer({ min: 2, max: 12 }),
    /** It leaves after so long, has another priority one second after it came, and comes together with the one before. */
    leavesAfter: fc.constantFrom(Infinity, Infinity, Infinity, 1, 3), later: fc.constantFrom(undefined, undefined, 0, 3), isTogether: fc.boolean(),
  }), { minLength: 6, maxLength: 16, size: 'max' }),
  fairSharing: fc.boolean(), preserveScanProgress: fc.boolean(),
})
type World = typeof worlds extends fc.Arbitrary<infer W> ? W : never
interface Run { readonly placed: Placed; readonly since: number; readonly end: number }

/** What is decided, second by second; after each decision with a new dispatcher that remembers, or with queues declared the other way round. */
function decided({ queues, jobs, fairSharing, preserveScanProgress }: World, { restarts = false, isReversed = false }): string[] {
  const nodes = FLAVORS.map((type) => ({ name: type, count: 1, resources: { cpu: 99, mem: 99 }, labels: { type } }))
  const flavors = Object.fromEntries(FLAVORS.map((type) => [type, { type }]))
  const own = queues.map(({ quotas, rules: more }, q) => [QUEUES[q], { cohort: 'all', nominalQuota: Object.fromEntries(quotas.map(([cpu, mem], f) => [FLAVORS[f], { cpu, mem }])), ...more }])
  const options = { fairSharing, preserveScanProgress, flavors, queues: Object.fromEntries(isReversed ? own.reverse() : own) as KueueOptions['queues'] }
  const begin = (): Dispatcher => dispatcher({ cluster: instantCluster({ nodes }), policy: kueue(options) })
  let master = begin()
  const lines: string[] = []
  const inSystem = new Map<string, { readonly spec: JobSpec; readonly at: number }>()
  let running: Run[] = []
  const restart = () => {
    const memory = JSON.parse(JSON.stringify(master.memory())) as DispatcherMemory
    master = begin()
    const [before, taken] = [running, [] as Run[]]
    const calls = [
      ...Array.from(inSystem.values(), ({ spec, at }) => ({ at, id: -1, call: () => { master.submit(spec, at, { again: true }) } })),
      ...before.map((run) => ({ at: run.since, id: run.placed.id, call: () => { taken.push({ ...run, placed: master.adopt(run.placed, run.since) }) } })),
    ]
    for (const { call } of calls.sort((x, y) => x.at - y.at || x.id - y.id)) call()
    running = taken
    master.recall(memory)
  }
  const look = (now: number) => {
    const { start, kill } = master.pass(now)
    running = running.filter(({ placed }) => !kill.some(({ id }) => id === placed.id))
    running.push(...start.map((placed) => ({ placed, since: now, end: now + (jobs[Number(placed.job)]?.lasts as number) })))
    lines.push(...kill.map((each) => `${now} - ${each.job}.${each.task}`), ...start.map((each) => `${now} + ${each.job}.${each.task} on ${each.node}`))
    if (restarts) restart()
  }
  const end = (runs: readonly Run[], now: number) => {
    running = running.filter((run) => !runs.includes(run))
    for (const { placed } of runs) if (master.taskEnded(placed, now)) inSystem.delete(placed.job)
  }
  for (let [now, next] = [1, 0]; now < 60 && (next < jobs.length || inSystem.size > 0); now++) {
    end(running.filter((run) => run.end <= now), now)
    for (let first = true; next < jobs.length && (first || jobs[next]?.isTogether === true); next++, first = false) {
      const { asks: [cpu, mem], tasks, queue, priority } = jobs[next] as World['jobs'][number]
      const spec = job({ id: `${next}`, submit: now, queue, priority, tasks, gang: tasks > 1, demand: { cpu, mem } })
      try {
        master.submit(spec, now)
        inSystem.set(spec.id, { spec, at: now })
      } catch {
        lines.push(`${now} refused ${next}`)
      }
    }
    for (const [id, { spec, at }] of inSystem) {
      const { leavesAfter, later } = jobs[Number(id)] as World['jobs'][number]
      if (later !== undefined && at + 1 === now) {
        master.update(id, { priority: later }, now)
        inSystem.set(id, { spec: { ...spec, priority: later }, at })
      }
      if (at + leavesAfter > now) continue
      const ids = new Set(master.cancel(id, now).map((placed) => placed.id))
      inSystem.delete(id)
      end(running.filter(({ placed }) => ids.has(placed.id)), now)
    }
    look(now)
    for (let looks = 0; looks < 5 && master.nextWake <= now; looks++) look(now)
  }
  return lines
}

it('kueue of several flavors decides the same after restarts, and however its queues are declared, whatever comes, changes, leaves and ends', () => {
  const count = { starts: 0, kills: 0 }
  fc.assert(fc.property(worlds, (world) => {
    const plain = decided(world, {})
    count.starts += plain.filter((line) => line.includes(' + ')).length
    count.kills += plain.filter((line) => line.includes(' - ')).length
    expect([decided(world, {}), decided(world, { isReversed: true }), decided(world, { restarts: true })]).toEqual([plain, plain, plain])
  }), { seed: 7, numRuns: 400 })
  expect([count.starts > 2000, count.kills > 200]).toEqual([true, true])
})
