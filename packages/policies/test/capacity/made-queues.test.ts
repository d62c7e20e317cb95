import { dispatcher } from '@sched/cluster'
import { capacityScheduler, type CapacityQueueOptions, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster, instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

/** A node of 100 GB; half of it is guaranteed to `made`, in which queues are made at first use, half to `other`. */
const standing = (template?: CapacityQueueOptions['template'], options: CapacitySchedulerOptions = {}) => {
  const made: CapacityQueueOptions = { capacity: 50, autoCreate: true, ...(template !== undefined && { template }) }
  const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 1, resources: { mem: 100 } }] }), policy: capacityScheduler({ queues: { made, other: { capacity: 50 } }, defaults: { userLimitFactor: -1 }, maximumOffswitchAssignments: 1000, ...options }) })
  const submit = (queue: string, tasks: number, id = queue) => master.submit(job({ id, user: 'ann', queue, tasks, demand: { mem: 1 } }))
  const counts = (time: number) => {
    const started = master.heartbeat('n-0', time).start.map((task) => task.job)
    return Object.fromEntries([...new Set(started)].sort().map((id) => [id, started.filter((each) => each === id).length]))
  }
  return { submit, counts }
}

// as TestCapacitySchedulerAutoQueueCreation and TestCapacitySchedulerNewQueueAutoCreation of Hadoop 3, with other amounts
describe('queues made at first use', () => {
  it('have weight 1 and no limit of users: 25 each of the 50 of their parent', () => {
    const { submit, counts } = standing()
    for (const queue of ['made.x', 'made.y', 'other']) submit(queue, 100)
    expect(counts(0)).toEqual({ 'made.x': 25, 'made.y': 25, other: 50 })
  })

  it('have the weight and the maximum of their template', () => {
    const { submit, counts } = standing({ capacity: '3w', maximumCapacity: 20 })
    submit('made.x', 100)
    expect(counts(0)).toEqual({ 'made.x': 20 })
  })

  it('have their part of the applications of the system, as it is by then (testAutoQueueCreationMaxAppUpdate)', () => {
    // 25 of 50 for x alone in its half, 12 when there is y
    const most = (others: readonly string[]) => {
      const { submit } = standing(undefined, { maximumApplications: 50 })
      for (const queue of others) submit(queue, 1)
      let count = 0
      try {
        for (; count < 60; count++) submit('made.x', 1, `job ${count}`)
      } catch {
        return count
      }
      return count
    }
    expect(most([])).toBe(25)
    expect(most(['made.y'])).toBe(12)
  })

  it('have a limit of users if their template has one', () => {
    const { submit, counts } = standing({ userLimitFactor: 0.5 })
    submit('made.x', 100) // guaranteed 50
    expect(counts(0)).toEqual({ 'made.x': 26 })
  })

  it.each([[undefined, 5], [0.2, 2]])('have no limit of masters but that of their template: %s (testAutoCreatedQueueTemplateConfig)', (maximumAmResourcePercent, active) => {
    const policy = capacityScheduler({
      queues: { made: { capacity: 100, autoCreate: true, ...(maximumAmResourcePercent !== undefined && { template: { maximumAmResourcePercent } }) } },
      defaults: { maximumAmResourcePercent: 0.4 },
    })
    const jobs = Array.from({ length: 5 }, (_, i) => ({ ...job({ id: `${i}`, user: 'ann', queue: 'made.x', demand: { mem: 1 }, duration: 100 }), stages: [
      { name: 'master', tasks: 1, demand: { mem: 1 }, duration: 0, master: true },
      { name: 'work', tasks: 1, demand: { mem: 1 }, duration: 100 },
    ] }))
    const { recorder } = run({ cluster: instantCluster({ nodes: [{ count: 1, resources: { mem: 10 } }] }), jobs, policy, until: 50 })
    expect(recorder.launches.filter(({ stage }) => stage === 0)).toHaveLength(active)
  })

  it('are guaranteed percentages of their parent while there are any left: 20, 20 and nothing of 50', () => {
    const { submit, counts } = standing({ capacity: 40 })
    for (const queue of ['other', 'made.x', 'made.y', 'made.z']) submit(queue, 100)
    // z has no guarantee: it comes after all that have one
    expect(counts(0)).toEqual({ 'made.x': 25, 'made.y': 25, other: 50 })
  })
})
