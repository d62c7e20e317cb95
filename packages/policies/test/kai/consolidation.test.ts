import { dispatcher } from '@sched/cluster'
import type { StageSpec } from '@sched/core'
import { kaiPreempting, type KaiOptions } from '@sched/policies'
import { checkPolicyLaws, instantCluster } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstNode } from '../first-node.js'

// Cases of the KAI Scheduler's own tests of its action `consolidation` (consolidation_test.go, consolidation_subgroups_test.go) and of whole cycles with it (TestConsolidateIntegrationTest,
// TestConsolidateFractionalIntegrationTest, TestConsolidateGangIntegrationTest, TestConsolidateAndReclaimIntegrationTest), on nodes of so many GPUs.

type Queues = NonNullable<KaiOptions['queues']>
/** Of several subgroups of one task each a list. */
type Gpus = number | readonly number[]
/** A job: its name (of which the part before `_` is its queue), GPUs of a task, on which nodes tasks run, priority, how many of them must, and how many there are (default: those that run). */
type Running = readonly [id: string, gpus: Gpus, nodes: readonly number[], priority?: number, least?: number, tasks?: number]
type Waiting = readonly [id: string, gpus: Gpus, tasks?: number, priority?: number, least?: number]

const [train, interactive, build] = [50, 75, 100]
const deserves = (quota: number, limit = -1): Queues[string] => ({ resources: { gpu: { quota, limit } } })
const q: Queues = { q: deserves(2) }
const two = (quota: number): Queues => ({ q0: deserves(quota), q1: deserves(quota) })

const nameOf = ({ job, stage, task }: { readonly job: string; readonly stage: number; readonly task: number }) => `${job} ${stage} ${task}`
/** Where what runs does in the end, as job@nodes, and how many tasks were taken. `shares`: GPUs come in thousandths; jobs called `still` may not be moved; those that are called `gap` end before those that wait come. */
function settled(nodes: readonly number[], queues: Queues, running: readonly Running[], waiting: readonly Waiting[], { shares = false, most = 16 } = {}): string {
  const cluster = instantCluster({ nodes: nodes.map((count) => (shares ? { count: 1, resources: {}, devices: { gpu: { count, milli: 1000 } } } : { count: 1, resources: { gpu: count } })) })
  const master = dispatcher({ cluster, policy: kaiPreempting({ ties: 'submission', nonPreemptiblePriority: build, maxConsolidationPreemptees: most, queues }) })
  const at = new Map<string, string>()
  let taken = 0
  let now = 0
  const stage = (name: string, gpus: number, tasks = 1, least = tasks): StageSpec => ({ name, tasks, gang: tasks > 1, ...(least < tasks && { minTasks: least }), demand: { gpu: shares ? gpus * 1000 : gpus }, duration: 100 })
  const submit = (id: string, gpus: Gpus, tasks: number, priority: number, least: number) =>
    master.submit({ id, submit: now, queue: id.split('_')[0] as string, priority, ...(id.endsWith('still') && { movable: false }), ...(typeof gpus === 'number' ? { stages: [stage('main', gpus, tasks, least)] } : { gang: true, stages: gpus.map((each, i) => ({ ...stage(`sub${i}`, each), gang: true })) }) }, now)
  const gaps: { readonly id: number }[] = []
  for (const [id, gpus, on, priority = train, least = on.length, tasks = on.length] of running) {
    submit(id, gpus, tasks, priority, least)
    for (const [i, node] of on.entries()) {
      const [stage, task] = typeof gpus === 'number' ? [0, i] : [i, 0]
      const placed = master.adopt({ job: id, stage, task, node: nodes.length === 1 ? 'node-0' : `node${node}-0` }, now)
      if (id.endsWith('gap')) gaps.push(placed)
      else at.set(nameOf({ job: id, stage, task }), String(node))
    }
    now++
  }
  for (const gap of gaps) master.taskEnded(gap, now)
  for (const [id, gpus, tasks = 1, priority = train, least = tasks] of waiting) submit(id, gpus, tasks, priority, least)
  for (let i = 0; i < 8; i++, now++)
    for (let isMore = true; isMore; ) {
      const { start, kill } = master.pass(now)
      for (const each of kill) at.delete(nameOf(each))
      for (const each of start) at.set(nameOf(each), nodes.length === 1 ? '0' : each.node.slice(4, -2))
      taken += kill.length
      isMore = kill.length > 0
    }
  const byJob = new Map<string, string>()
  for (const [task, node] of [...at].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const id = task.split(' ')[0] as string
    byJob.set(id, `${byJob.get(id) ?? `${id}@`}${node}`)
  }
  return `${[...byJob.values()].join(' ')}, ${taken} taken`
}

type Case = readonly [name: string, nodes: readonly number[], queues: Queues, running: readonly Running[], waiting: readonly Waiting[], expected: string]
const check = (cases: readonly Case[], options?: { readonly shares: boolean }) =>
  it.each(cases.map((each) => ({ name: each[0], each })))('$name', ({ each: [, nodes, queues, running, waiting, expected] }) => {
    expect(settled(nodes, queues, running, waiting, options)).toBe(expected)
  })

describe('consolidation', () => {
  const halves: Running[] = [['q_0', 2, [0]], ['q_1', 2, [1]]]
  check([
    ['moves one job for the first that waits', [4, 4], q, halves, [['q_in', 3], ['q_late', 3]], 'q_0@0 q_1@0 q_in@1, 1 taken'],
    ['moves the latest for the second that waits, of which there is room for no more', [4, 4], q, [['q_0', 2, [0]], ['q_1', 1, [1]], ['q_2', 2, [1]]], [['q_a', 2, 2], ['q_in', 3]], 'q_0@0 q_1@1 q_2@0 q_in@1, 1 taken'],
    ['moves what makes room for one task of two', [4, 4], q, [...halves, ['q_2', 1, [1]]], [['q_a', 4], ['q_in', 3, 2, train, 1]], 'q_0@0 q_1@0 q_2@1 q_in@1, 1 taken'],
    ['moves nobody where as much is free and no other place is', [4, 4], q, [['q_0', 3, [0]], ['q_1', 3, [1]]], [['q_a', 2], ['q_b', 2]], 'q_0@0 q_1@1, 0 taken'],
    ['moves nobody where less is free than is asked', [4, 4], q, [['q_0', 3, [0]], ['q_1', 3, [1]]], [['q_in', 3]], 'q_0@0 q_1@1, 0 taken'],
    ['moves no more than it must', [4, 4], q, [['q_0', 3, [0]], ['q_1', 1, [1]], ['q_2', 2, [1]]], [['q_in', 2]], 'q_0@0 q_1@0 q_2@1 q_in@1, 1 taken'],
    ['moves nobody who is never preempted', [2, 2], q, [['q_0', 1, [0], build], ['q_1', 1, [1], build]], [['q_in', 2]], 'q_0@0 q_1@1, 0 taken'],
    ['moves for another queue who is on one node', [4, 4], two(1), [['q0_0', 2, [0]], ['q1_1', 1, [0]], ['q1_2', 3, [1]]], [['q0_in', 2]], 'q0_0@0 q0_in@0 q1_1@1 q1_2@1, 1 taken'],
    ['moves the less important of two', [4, 4], q, [['q_0', 2, [0]], ['q_1', 2, [1], interactive]], [['q_in', 3]], 'q_0@1 q_1@1 q_in@0, 1 taken'],
    ['moves one task of a job that goes on with the other', [4, 3], q, [['q_0', 2, [0, 1], train, 1]], [['q_in', 3]], 'q_0@00 q_in@1, 1 taken'],
    ['moves nobody where not all tasks of a job find places', [4, 3], q, [['q_0', 2, [0, 0, 1], train, 1]], [['q_in', 3]], 'q_0@001, 0 taken'],
    ['moves for the second task of a job that runs', [4, 6], q, [['q_0', 1, [0, 0, 0, 1], train, 1], ['q_1', 3, [1], train, 1, 2]], [], 'q_0@0000 q_1@11, 1 taken'],
    ['goes on beyond those who are on full nodes', [4, 4, 4, 4], q, [['q_0', 4, [0]], ['q_1', 2, [1]], ['q_2', 2, [2]], ['q_3', 4, [3]]], [['q_in', 3]], 'q_0@0 q_1@1 q_2@1 q_3@3 q_in@2, 1 taken'],
    ['makes room on two nodes for a gang', [4, 4, 4, 4], q, [0, 1, 2, 3, 0, 1, 2, 3].map((node, i): Running => [`q_${i}`, 1, [node]]), [['q_in', 3, 2]], 'q_0@0 q_1@1 q_2@2 q_3@3 q_4@0 q_5@1 q_6@0 q_7@0 q_in@23, 2 taken'],
    ['moves nobody for a queue at its limit', [4, 4], { q: deserves(2, 6) }, halves, [['q_in', 3]], 'q_0@0 q_1@1, 0 taken'],
    ['moves a gang', [3, 3], q, [['q_0', 1, [0, 0, 1]]], [['q_in', 3]], 'q_0@000 q_in@1, 3 taken'],
    ['moves for subgroups that ask different amounts', [4, 4], q, halves, [['q_in', [1, 3]]], 'q_0@0 q_1@0 q_in@11, 1 taken'],
    ['moves nobody where they do not fit', [4, 4], q, halves, [['q_in', [3, 3]]], 'q_0@0 q_1@1, 0 taken'],
    ['moves subgroups', [4, 4], q, [['q_0', [1, 3], [0, 1]]], [['q_in', 4]], 'q_0@00 q_in@1, 2 taken'],
    ['moves all subgroups for a gang', [4, 4, 4], q, [['q_0', 2, [0]], ['q_1', [1, 1], [1, 2]]], [['q_in', 4, 2]], 'q_0@0 q_1@00 q_in@12, 2 taken'],
    ['and what was started like that may be reclaimed at once', [4, 4], two(4), [['q0_0', 2, [0]], ['q0_1', 2, [1]], ['q0_2', 1, [1]]], [['q0_in', 3], ['q1_in', 4]], 'q0_0@0 q0_1@0 q1_in@1, 3 taken'],
  ])
})

describe('consolidation of shares of GPUs', () => {
  const pair = (first: number, second: number): Running[] => [['q_0', first, [0]], ['q_gap', 1 - first, [0]], ['q_1', second, [0]]]
  check(
    [
      ['moves one of two halves to the GPU of the other, for a whole one', [2], q, pair(0.5, 0.5), [['q_in', 1]], 'q_0@0 q_1@0 q_in@0, 1 taken'],
      ['and for a share', [2], q, pair(0.5, 0.5), [['q_in', 0.7]], 'q_0@0 q_1@0 q_in@0, 1 taken'],
      ['moves nothing where they do not fit on one, for a whole one', [2], q, pair(0.5, 0.6), [['q_in', 1]], 'q_0@0 q_1@0, 0 taken'],
      ['nor for a share', [2], q, pair(0.5, 0.6), [['q_in', 0.8]], 'q_0@0 q_1@0, 0 taken'],
    ],
    { shares: true },
  )
  // TestHandleConsolidationGpuMemory
  check(
    [
      ['moves one to make room for more than there is on either GPU', [2], q, pair(0.3, 0.4), [['q_in', 0.8]], 'q_0@0 q_1@0 q_in@0, 1 taken'],
      ['moves none where both have no room on one GPU', [2], q, pair(0.6, 0.5), [['q_in', 0.8]], 'q_0@0 q_1@0, 0 taken'],
      ['moves two of three for two tasks', [1, 1, 1], { q: deserves(3) }, [['q_0', 0.25, [0]], ['q_1', 0.3, [1]], ['q_2', 0.35, [2]]], [['q_in', 0.85, 2]], 'q_0@0 q_1@0 q_2@0 q_in@12, 2 taken'],
      ['moves one to another node, for a whole GPU', [1, 1], q, [['q_0', 0.2, [0]], ['q_1', 0.25, [1]]], [['q_in', 1]], 'q_0@0 q_1@0 q_in@1, 1 taken'],
    ],
    { shares: true },
  )
})

describe('maxConsolidationPreemptees', () => {
  const scattered: Running[] = [0, 1, 2, 3].map((node) => [`q_${node}`, 1, [node]])
  const moved = (most: number) => settled([2, 2, 2, 2], q, scattered, [['q_in', 2, 2]], { most })
  it('is of how many jobs tasks are moved for one', () => {
    expect([0, 1, 2, -1].map(moved)).toEqual(['q_0@0 q_1@1 q_2@2 q_3@3, 0 taken', 'q_0@0 q_1@1 q_2@2 q_3@3, 0 taken', 'q_0@0 q_1@1 q_2@0 q_3@1 q_in@23, 2 taken', 'q_0@0 q_1@1 q_2@0 q_3@1 q_in@23, 2 taken'])
  })
})

describe('jobs that may not be moved (safeToConsolidate)', () => {
  check([
    ['stay, and others go', [4, 4], q, [['q_0', 2, [0]], ['q_still', 2, [1]]], [['q_in', 3]], 'q_0@1 q_in@0 q_still@1, 1 taken'],
    ['stay, so that nobody starts', [4, 4], q, [['q_0still', 2, [0]], ['q_1still', 2, [1]]], [['q_in', 3]], 'q_0still@0 q_1still@1, 0 taken'],
    ['give way to another queue', [4, 4], two(4), [['q0_0', 2, [0]], ['q0_1still', 4, [1]]], [['q1_in', 4]], 'q0_0@0 q1_in@1, 1 taken'],
    ['are moved for while they wait', [4, 4], q, [['q_0', 2, [0]], ['q_1', 2, [1]]], [['q_still', 3]], 'q_0@0 q_1@0 q_still@1, 1 taken'],
  ])
  it('are not counted among those that are tried (TestPreemptibleFilterExcludedJobsDoNotUsePreempteeBudget)', () => {
    expect(settled([4, 4, 4], q, [['q_0', 2, [0]], ['q_1', 2, [1]], ['q_still', 3, [2]]], [['q_in', 3]], { most: 1 })).toBe('q_0@0 q_1@0 q_in@1 q_still@2, 1 taken')
  })
})

describe('in any small world', () => {
  it('the laws of policies hold', { tags: 'long' }, () => {
    const options: KaiOptions = { maxConsolidationPreemptees: 4 }
    expect(checkPolicyLaws(() => kaiPreempting(options, firstNode()), { runs: 12 }).launches).toBeGreaterThan(90)
  })

  it('who is moved runs again at the same time, and one more with it', { tags: 'long' }, () => {
    const load = fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 3 }), fc.boolean())
    const lasts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 16, maxLength: 16 })
    let moved = 0
    fc.assert(
      fc.property(fc.array(load, { minLength: 8, maxLength: 16 }), lasts, fc.integer({ min: 0, max: 3 }), (loads, durations, gpus) => {
        // every queue deserves all that it asks, so that nothing is reclaimed
        const cluster = instantCluster({ nodes: [{ count: 3, resources: { cpu: 10 }, devices: { gpu: { count: 1 + gpus, milli: 4 } } }] })
        const master = dispatcher({ cluster, policy: kaiPreempting({ defaults: { resources: { gpu: { quota: -1 }, cpu: { quota: -1 } } }, maxConsolidationPreemptees: -1 }) })
        const running = new Map<string, { readonly id: number; readonly end: number }>()
        const pass = (now: number) => {
          const { start, kill } = master.pass(now)
          for (const each of kill) running.delete(nameOf(each))
          for (const each of start) running.set(nameOf(each), { id: each.id, end: now + (durations[now] as number) })
          return { started: start.map(nameOf), killed: kill.map(nameOf) }
        }
        for (const [now, [queue, amount, tasks, isGang]] of loads.entries()) {
          for (const [name, { id, end }] of running) {
            if (end > now) continue
            master.taskEnded({ id }, now)
            running.delete(name)
          }
          const gpu = Math.min(4, amount)
          if (gpu * tasks <= 4 * (1 + gpus)) master.submit({ id: `${now}`, queue, stages: [{ name: 'main', tasks, gang: isGang && tasks > 1, demand: { gpu, cpu: 1 + (amount % 3) }, duration: 1 }] }, now)
          for (let last = pass(now); last.killed.length > 0; ) {
            const next = pass(now)
            expect([last.started.length > 0, next.started]).toEqual([true, expect.arrayContaining(last.killed)])
            moved += last.killed.length
            last = next
          }
        }
      }),
      { seed: 5, numRuns: 60 },
    )
    expect(moved).toBeGreaterThan(20)
  })
})
