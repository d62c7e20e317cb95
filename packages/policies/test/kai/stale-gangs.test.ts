import { dispatcher } from '@sched/cluster'
import type { JobSpec, NodeId, StageSpec } from '@sched/core'
import { kaiPreempting, type KaiOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// Cases of the KAI Scheduler's own tests of stale gangs (TestStaleGangEviction, TestStaleGangEvictionIntegrationTest): a pod that has failed is a task that is reported as failed, and finds no room
// again.

/** Names of running tasks, as job-stage-task. */
const named = (tasks: readonly { readonly job: string; readonly stage: number; readonly task: number }[]) => tasks.map((each) => `${each.job}-${each.stage}-${each.task}`).sort()
const sub = (tasks: number, least: number): StageSpec => ({ name: `sub${tasks}`, tasks, demand: { gpu: 1 }, duration: 1e6, gang: true, ...(least < tasks && { minTasks: least }) })
const gang = (...stages: readonly StageSpec[]): JobSpec => ({ ...job({ id: 'job', queue: 'q' }), gang: true, stages })

/** What of a job is evicted `later` seconds after the named tasks have failed on nodes that are lost with them; the others run on as many GPUs as they need. */
function evicted(spec: JobSpec, failed: readonly string[], later: number, options: KaiOptions = {}): readonly string[] {
  const tasks = spec.stages.reduce((sum, stage) => sum + stage.tasks, 0)
  const nodes = Array.from({ length: tasks }, (_, i) => ({ name: `n${i}`, count: 1, resources: { gpu: 1 } }))
  const master = dispatcher({ cluster: instantCluster({ nodes }), policy: kaiPreempting({ queues: { q: { resources: { gpu: { quota: tasks } } } }, ...options }) })
  master.submit(spec, 1)
  const { start } = master.pass(1)
  expect(start).toHaveLength(tasks)
  for (const each of start.filter((placed) => failed.includes(named([placed])[0] as string))) {
    master.nodeDown(each.node, 2)
    master.taskFailed(each, 2)
  }
  return [...named(master.pass(2).kill), ...named(master.pass(2 + later).kill)]
}

describe('a gang that has lost tasks', () => {
  it.each<[string, JobSpec, readonly string[], number, readonly string[]]>([
    ['stays where it has lost none', gang(sub(1, 1)), [], 61, []],
    ['stays for a while', gang(sub(2, 2)), ['job-0-1'], 1, []],
    ['is evicted when its grace is over', gang(sub(2, 2)), ['job-0-1'], 61, ['job-0-0']],
    ['stays where it has as many as it must have', gang(sub(2, 1)), ['job-0-1'], 61, []],
    ['is evicted with all its subgroups where one has too few', gang(sub(3, 2), sub(1, 1)), ['job-1-0'], 61, ['job-0-0', 'job-0-1', 'job-0-2']],
    ['stays where each of its subgroups has as many as it must', gang(sub(3, 2), sub(1, 1)), ['job-0-2'], 61, []],
  ])('%s (TestStaleGangEviction)', (_, spec, failed, later, expected) => {
    expect(evicted(spec, failed, later)).toEqual(expected)
  })

  it.each([50, 100])('goes, whether it may be preempted or not, and another job of its queue stays (TestStaleGangEvictionIntegrationTest, priority %d)', (priority) => {
    const nodes = [0, 1, 2].map((i) => ({ name: `n${i}`, count: 1, resources: { gpu: 1 } }))
    const master = dispatcher({ cluster: instantCluster({ nodes }), policy: kaiPreempting({ ties: 'submission', nonPreemptiblePriority: 100, stalenessGracePeriod: 0, queues: { q: { resources: { gpu: { quota: 3 } } } } }) })
    master.submit({ ...gang(sub(2, 2)), priority }, 1)
    const { start } = master.pass(1)
    master.submit(job({ id: 'other', queue: 'q', priority, demand: { gpu: 1 } }), 2)
    expect(named(master.pass(2).start)).toEqual(['other-0-0'])
    const lost = start[1] as (typeof start)[number]
    master.nodeDown(lost.node, 3)
    master.taskFailed(lost, 3)
    expect(named(master.pass(3).kill)).toEqual(['job-0-0'])
  })

  it('takes nothing with it of other stages of its job when all of it is lost', () => {
    const spec = { ...job({ id: 'job', queue: 'q' }), stages: [{ name: 'single', tasks: 1, demand: { gpu: 1 }, duration: 1e6 }, sub(2, 2)] }
    expect(evicted(spec, ['job-1-0', 'job-1-1'], 61)).toEqual([])
  })

  it('stays as long as `stalenessGracePeriod` says, for ever below 0', () => {
    const goes = (stalenessGracePeriod: number, later: number) => evicted(gang(sub(2, 2)), ['job-0-1'], later, { stalenessGracePeriod }).length
    expect([goes(0, 0), goes(10, 9), goes(10, 10), goes(-1, 1e5)]).toEqual([1, 0, 1, 0])
  })

  it('stays when a task of it has ended, and when the lost task finds room in time', () => {
    const nodes = [0, 1, 2].map((i) => ({ name: `n${i}`, count: 1, resources: { gpu: 1 } }))
    const play = (isEnded: boolean) => {
      const master = dispatcher({ cluster: instantCluster({ nodes }), policy: kaiPreempting({ queues: { q: { resources: { gpu: { quota: 3 } } } } }) })
      master.submit(gang(sub(3, 3)), 1)
      const { start } = master.pass(1)
      const [first, lost] = start as [(typeof start)[number], (typeof start)[number]]
      if (isEnded) {
        master.nodeDown(first.node, 2)
        master.taskEnded(first, 2)
      }
      master.nodeDown(lost.node, 2)
      master.taskFailed(lost, 2)
      master.pass(2)
      if (!isEnded) {
        master.nodeUp(lost.node, 30)
        expect(master.pass(30).start).toHaveLength(1)
      }
      return master.pass(100).kill
    }
    expect([play(true), play(false)]).toEqual([[], []])
  })

  it('is remembered for another dispatcher that takes over', () => {
    const nodes = [0, 1].map((i) => ({ name: `n${i}`, count: 1, resources: { gpu: 1 } }))
    const before = dispatcher({ cluster: instantCluster({ nodes }), policy: kaiPreempting({ queues: { q: { resources: { gpu: { quota: 2 } } } } }) })
    before.submit(gang(sub(2, 2)), 1)
    const { start } = before.pass(1)
    const lost = start[1] as (typeof start)[number]
    before.nodeDown(lost.node, 2)
    before.taskFailed(lost, 2)
    before.pass(2)
    expect(before.nextWake).toBe(62)
    expect(JSON.stringify(before.memory())).toContain('"stale":{"job":2}')
  })
})

it('in a simulation goes 60 s after the failure of a node, if its job replaces single tasks, and starts anew together', () => {
  // n0 fails from 10 to 200 s: what runs on n1 goes at 70 s, or ends at 100 s, and the other task runs there then
  const outages = [{ node: 0 as NodeId, from: 10, to: 200, drain: false }]
  const ended = (stalenessGracePeriod: number) => {
    const policy = kaiPreempting({ queues: { q: { resources: { gpu: { quota: 2 } } } }, stalenessGracePeriod })
    const { recorder } = run({ policy, jobs: [{ ...gang({ ...sub(2, 2), duration: 100 }), replacesLost: true }], cluster: { nodes: [{ name: 'n', count: 2, resources: { gpu: 1 } }] }, outages })
    return recorder.ends.map(({ time, task, how }) => `${time} ${task} ${how}`)
  }
  expect(ended(60)).toEqual(['10 0 lost', '70 1 evicted', '300 0 done', '300 1 done'])
  expect(ended(-1)).toEqual(['10 0 lost', '100 1 done', '200 0 done'])
})
