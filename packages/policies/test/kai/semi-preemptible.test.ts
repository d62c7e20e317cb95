import { dispatcher } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { kaiPreempting, volcano, type KaiOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** A job: its name (of which the part before `_` is its queue), tasks of one GPU, how many must run at once, priority. */
type Load = readonly [id: string, tasks: number, least?: number, priority?: number]

const jobOf = ([id, tasks, least = tasks, priority = 50]: Load, change: Partial<JobSpec> = {}): JobSpec => ({
  ...job({ id, queue: id.split('_')[0] as string, tasks, gang: true, minTasks: least, priority, demand: { gpu: 1 } }), ...change,
})
const semi = (load: Load, change: Partial<JobSpec> = {}) => jobOf(load, { preemptible: 'semi', ...change })
const named = (tasks: readonly { readonly job: string; readonly task: number }[]) => tasks.map((each) => `${each.job}-${each.task}`).sort()
const quota = (gpu: number, limit?: number): NonNullable<KaiOptions['queues']>[string] => ({ resources: { gpu: { quota: gpu, overQuotaWeight: 1, ...(limit !== undefined && { limit }) } } })

/** What is started and taken for each job, when they come one after the other. */
function come(gpus: number, queues: NonNullable<KaiOptions['queues']>, jobs: readonly JobSpec[], options: KaiOptions = {}) {
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: gpus } }] }), policy: kaiPreempting({ ties: 'submission', queues, ...options }) })
  return jobs.map((each, i) => {
    master.submit(each, i + 1)
    const { start, kill } = master.pass(i + 1)
    return { started: named(start), killed: named(kill) }
  })
}

describe('semi-preemptible jobs of KAI', () => {
  it('lose tasks beyond their minimum to higher priorities of their queue, and no others', () => {
    const lost = (take: number) => come(4, { q: quota(4) }, [semi(['q_0', 4, 2]), jobOf(['q_1', take, take, 75])])[1]
    expect(lost(1)).toEqual({ started: ['q_1-0'], killed: ['q_0-3'] })
    expect(lost(2)).toEqual({ started: ['q_1-0', 'q_1-1'], killed: ['q_0-2', 'q_0-3'] })
    expect(lost(3)).toEqual({ started: [], killed: [] })
  })

  it('lose them to other queues, and their minimum not even to those of higher priority', () => {
    expect(come(4, { a: quota(2), b: quota(2) }, [semi(['a_0', 4, 2]), jobOf(['b_0', 2])])[1]).toEqual({ started: ['b_0-0', 'b_0-1'], killed: ['a_0-2', 'a_0-3'] })
    const queues = { a: quota(2), b: { ...quota(4), priority: 200 } }
    const taken = (tasks: number, change: Partial<JobSpec>) => come(4, queues, [jobOf(['a_0', 4, 2], change), jobOf(['b_0', tasks])], { queuePriorityInQuotaReclaim: true })[1]?.killed
    expect([taken(4, { preemptible: true }), taken(4, { preemptible: 'semi' }), taken(2, { preemptible: 'semi' })]).toEqual([['a_0-0', 'a_0-1', 'a_0-2', 'a_0-3'], [], ['a_0-2', 'a_0-3']])
  })

  it('start their minimum within the quota of the queue, and what is beyond it over that', () => {
    expect(come(8, { a: quota(3), b: quota(5) }, [semi(['a_0', 6, 2])])).toEqual([{ started: ['a_0-0', 'a_0-1', 'a_0-2', 'a_0-3', 'a_0-4', 'a_0-5'], killed: [] }])
    expect(() => come(8, { a: quota(3) }, [semi(['a_0', 6, 4])])).toThrow('a gang asks 4 gpu, and the quota of "a" is 3: what is never preempted stays within it')
    // the minimum of the second is beyond what that of the first leaves of the quota
    const [, second, third] = come(8, { a: quota(3), b: quota(5) }, [semi(['a_0', 4, 2]), semi(['a_1', 2]), jobOf(['a_2', 2])])
    expect([second, third]).toEqual([{ started: [], killed: [] }, { started: ['a_2-0', 'a_2-1'], killed: [] }])
    expect(come(8, { a: quota(4), b: quota(4) }, [semi(['a_0', 4, 2]), semi(['a_1', 2])])[1]?.started).toEqual(['a_1-0', 'a_1-1'])
  })

  it('count their minimum no longer when they have ended', () => {
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: 8 } }] }), policy: kaiPreempting({ queues: { a: quota(2) } }) })
    master.submit(semi(['a_0', 3, 2]), 1)
    const { start } = master.pass(1)
    master.submit(semi(['a_1', 2]), 2)
    expect(master.pass(2).start).toEqual([])
    for (const { id } of start) master.taskEnded({ id }, 3)
    expect(named(master.pass(3).start)).toEqual(['a_1-0', 'a_1-1'])
  })

  it('lose first what is of a subgroup that is not needed (TestSemiPreemptibleStaleEvictionIntegrationTest)', () => {
    const pods = (name: string, tasks: number, isNeeded = true) => ({ name, tasks, gang: isNeeded, demand: { gpu: 1 }, duration: 1 })
    const stale = semi(['q_0', 5], { gang: true, stages: [pods('b', 2), pods('c', 2), pods('a', 1, false)] })
    const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: 5 } }] }), policy: kaiPreempting({ ties: 'submission', queues: { q: quota(5) } }) })
    master.submit(stale, 1)
    expect(master.pass(1).start).toHaveLength(5)
    master.submit(jobOf(['q_1', 1, 1, 75]), 2)
    expect(master.pass(2).kill.map(({ stage, task }) => [stage, task])).toEqual([[2, 0]])
    master.submit(jobOf(['q_2', 1, 1, 75]), 3)
    expect(master.pass(3).kill).toEqual([])
  })

  it('keep one task where their tasks are no gang, as a group without minMember', () => {
    const alone = semi(['q_0', 3], { stages: [{ name: 'pods', tasks: 3, demand: { gpu: 1 }, duration: 1 }] })
    expect(come(3, { q: quota(3) }, [alone, jobOf(['q_1', 2, 2, 75])])[1]).toEqual({ started: ['q_1-0', 'q_1-1'], killed: ['q_0-1', 'q_0-2'] })
    expect(come(3, { q: quota(3) }, [alone, jobOf(['q_1', 3, 3, 75])])[1]).toEqual({ started: [], killed: [] })
  })
})

describe('other schedulers', () => {
  it('preempt semi-preemptible jobs as any other', () => {
    const killed = (preemptible: JobSpec['preemptible']) => {
      const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { gpu: 2 } }] }), policy: volcano({ actions: ['allocate', 'preempt'], tiers: [{ plugins: [{ name: 'priority' }] }] }) })
      master.submit(jobOf(['q_0', 2, 2, 1], preemptible === undefined ? {} : { preemptible }), 1)
      master.pass(1)
      master.submit(jobOf(['q_1', 2, 2, 2]), 2)
      return named(master.pass(2).kill).length
    }
    expect([killed('semi'), killed(true), killed(false)]).toEqual([2, 2, 0])
  })
})
