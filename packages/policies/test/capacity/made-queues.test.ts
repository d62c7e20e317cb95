import { dispatcher } from '@sched/cluster'
import { capacityScheduler, type CapacityQueueOptions, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster, instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it, vi } from 'vitest'
import { QueueTree } from '../../src/capacity/queue-tree.js'

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

  /** A node of 100 GB in which jobs in `a` start, which has all of it, and the policy alone, to be asked. */
  const inside = (a: CapacityQueueOptions, options: CapacitySchedulerOptions = {}) => {
    const master = dispatcher({ cluster: cluster({ nodes: [{ name: 'n', count: 1, resources: { mem: 100 } }] }), policy: capacityScheduler({ queues: { a: { capacity: '1w', autoCreate: true, ...a } }, defaults: { userLimitFactor: -1 }, maximumOffswitchAssignments: 1000, ...options }) })
    const submit = (queue: string, mem = 1) => master.submit(job({ id: queue, user: 'ann', queue, tasks: 100, demand: { mem } }))
    const refusal = (queue: string, mem = 1) => master.policy.admits?.(job({ id: 'asked', user: 'ann', queue, demand: { mem } }))
    const counts = () => {
      const started = master.heartbeat('n-0', 0).start.map((task) => task.job)
      return Object.fromEntries([...new Set(started)].sort().map((id) => [id, started.filter((each) => each === id).length]))
    }
    return { submit, refusal, counts }
  }

  it('are made in queues that were made before (testAutoCreateQueueShouldFailIfDepthIsAboveLimit, testAutoCreateQueueWithAmbiguousQueueNames)', () => {
    const { submit, counts } = inside({})
    for (const queue of ['a.x.y', 'a.x.z']) submit(queue)
    expect(counts()).toEqual({ 'a.x.y': 50, 'a.x.z': 50 })
  })

  it('are as deep below the declared queue as that allows, two levels if nothing is said (testAutoQueueCreationDepthLimitFromStaticParent)', () => {
    const tooDeep = (levels: number, most: number) => `queue root.a.${'xyzw'.slice(0, levels).split('').join('.')} would be ${levels} levels below root.a, in which queues are made ${most} deep`
    const { submit, refusal } = inside({})
    submit('a.x.y')
    expect(['a.x.z', 'a.x.y.z', 'a.y', 'a.x.z.w'].map((queue) => refusal(queue))).toEqual([undefined, 'queue root.a.x.y.z would lie in root.a.x.y, which holds jobs', undefined, 'queue root.a.x.z.w would be 3 levels below root.a, in which queues are made 2 deep'])
    expect([inside({ maximumQueueDepth: 1 }).refusal('a.x.y'), inside({ maximumQueueDepth: 3 }).refusal('a.x.y.z'), inside({ maximumQueueDepth: 3 }).refusal('a.x.y.z.w')]).toEqual([tooDeep(2, 1), undefined, tooDeep(4, 3)])
    expect(inside({}, { defaults: { maximumQueueDepth: 3 } }).refusal('a.x.y.z')).toBeUndefined()
  })

  it('are as many in a queue as that allows (testAutoCreateQueueMaxQueuesLimit)', () => {
    const { submit, refusal } = inside({ maximumQueues: 2, parentTemplate: { maximumQueues: 1 } })
    submit('a.x.y')
    expect([refusal('a.z'), refusal('a.x.z')]).toEqual([undefined, 'queue root.a.x holds 1 of 1 queues'])
    submit('a.z')
    expect([refusal('a.z'), refusal('a.w')]).toEqual([undefined, 'queue root.a holds 2 of 2 queues'])
    const many = inside({})
    for (let i = 0; i < 1000; i++) many.submit(`a.x${i}`)
    expect(many.refusal('a.y')).toBe('queue root.a holds 1000 of 1000 queues')
    const unlimited = inside({ maximumQueues: -1 })
    for (let i = 0; i < 1001; i++) unlimited.submit(`a.x${i}`)
    expect(unlimited.refusal('a.y')).toBeUndefined()
  })

  it('are made without a look at those that were made before', () => {
    const { submit, refusal } = inside({ maximumQueues: -1 })
    for (let i = 0; i < 300; i++) submit(`a.x${i}`)
    const looks = vi.spyOn(QueueTree.prototype, 'queue')
    expect(refusal('a.y')).toBeUndefined()
    expect(looks.mock.calls.length).toBeGreaterThan(0)
    expect(looks.mock.calls.length).toBeLessThan(30)
    looks.mockRestore()
  })

  it('have a weight only beside queues with weights in the legacy mode (testAutoCreateQueueWhenSiblingsNotInWeightMode, testAutoCreateQueueShouldFailWhenNonParentQueue)', () => {
    const refusal = (a: CapacityQueueOptions, inner: CapacityQueueOptions, change: CapacitySchedulerOptions = {}, queue = 'a.y') =>
      inside(a, { ...change, queues: { a: { capacity: { mem: 100 }, autoCreate: true, ...a }, 'a.x': inner } }).refusal(queue)
    const odd = 'a queue made in root.a would have a weight, and root.a.x has none'
    const [half, amounts] = [{ capacity: 100 }, { capacity: { mem: 50 } }]
    expect([half, amounts].map((inner) => refusal({}, inner))).toEqual([odd, odd])
    const ofLabel = { labels: { l: half } }
    const nodes = [{ count: 1, resources: { mem: 100 } }, { name: 'l', count: 1, resources: { mem: 100 }, labels: { partition: 'l' } }]
    const labelled = dispatcher({ cluster: cluster({ nodes }), policy: capacityScheduler({ queues: { a: { autoCreate: true, ...ofLabel }, 'a.x': ofLabel } }) })
    expect(labelled.policy.admits?.(job({ id: 'asked', queue: 'a.y' }))).toBe(odd)
    expect([{ capacity: '1w' }, {}].map((inner) => refusal({}, inner))).toEqual([undefined, undefined])
    expect([refusal({}, half, { legacyQueueMode: false }), refusal({ template: { capacity: 20 } }, { capacity: 100 })]).toEqual([undefined, undefined])
    expect([refusal({ template: { capacity: 20 } }, half, {}, 'a.y.z'), refusal({ parentTemplate: { capacity: 0 } }, half, {}, 'a.y.z')]).toEqual([odd, undefined])
    expect(refusal({}, { capacity: '1w' }, {}, 'a.x.y')).toBe('queue root.a.x.y would lie in root.a.x, which holds jobs')
  })

  it('have the settings that are for leaves or for queues around them', () => {
    const { submit, counts } = inside({ template: { capacity: '3w' }, parentTemplate: { capacity: '1w', maximumCapacity: 30 } })
    for (const queue of ['a.p.y', 'a.x']) submit(queue)
    // a.p is no leaf: 1 of 4 parts of 100, and 30 at most; its leaf has weight 1 in it, since the template is of a alone
    expect(counts()).toEqual({ 'a.p.y': 25, 'a.x': 75 })
    const alone = inside({ template: { maximumCapacity: 10 }, parentTemplate: { maximumCapacity: 30 } })
    alone.submit('a.p.y')
    expect(alone.counts()).toEqual({ 'a.p.y': 30 })
  })

  it('have those of the path of the queue around them, where * stands for any name and the fewest of them go first (testTemplatePrecedence)', () => {
    const most = (templates: CapacitySchedulerOptions['templates'], a: CapacityQueueOptions = {}) => {
      const { submit, counts } = inside({ maximumQueueDepth: 3, ...a }, { templates })
      submit('a.b.c')
      return counts()['a.b.c']
    }
    const [explicit, one, two] = [60, 40, 20].map((maximumCapacity) => ({ template: { maximumCapacity } }))
    const paths = { 'root.a.b': explicit, 'a.*': one, 'root.*.*': two } as NonNullable<CapacitySchedulerOptions['templates']>
    expect(most(paths)).toBe(60)
    expect(most({ 'root.a.*': paths['a.*'] ?? {}, 'root.*.*': paths['root.*.*'] ?? {} })).toBe(40)
    expect(most({ 'root.*.*': paths['root.*.*'] ?? {} })).toBe(20)
    expect(most({ 'root.*': paths['root.*.*'] ?? {} })).toBe(100) // of other paths
    expect(most({ 'root.*.*': paths['root.*.*'] ?? {} }, { maximumQueueDepth: 2 })).toBe(20) // as many as queues are deep by default
  })

  it('have no more * in the paths of their templates than levels may be made (getWildcardedQueuePaths)', () => {
    const templates = { 'root.*.*.*': { template: { maximumCapacity: 20 } } }
    const most = (depth: number) => {
      const { submit, counts } = inside({ maximumQueueDepth: 3 }, { templates, defaults: { userLimitFactor: -1, maximumQueueDepth: depth } })
      submit('a.b.c.d')
      return counts()['a.b.c.d']
    }
    expect([most(2), most(3)]).toEqual([100, 20])
  })

  it('are asked for as if they were there: of a stopped queue, for more than a task may have', () => {
    expect(inside({ state: 'STOPPED' }).refusal('a.x')).toBe('queue root.a is STOPPED')
    expect(inside({ template: { maximumAllocation: { mem: 5 } } }).refusal('a.x', 6)).toBe('a task asks 6 of mem, more than the maximum allocation of 5 in queue root.a.x')
    expect(inside({ maximumAllocation: { mem: 7 } }).refusal('a.p.x', 8)).toBe('a task asks 8 of mem, more than the maximum allocation of 7 in queue root.a.p.x')
    expect(inside({ maximumCapacity: 40 }).refusal('a.x', 41)).toBe('a task asks 41 of mem, more than 40, the maximum of queue root.a')
    expect(inside({ maximumCapacity: 40, maximumAllocation: { mem: 40 } }).refusal('a.x', 40)).toBeUndefined()
  })

  it.each<[CapacitySchedulerOptions, string]>([
    [{ templates: { 'root.*.a': {} } }, 'templates.root.*.a: found {}, expected names between dots, the last of which may be *, such as root.a.*'],
    [{ templates: { 'root.a..*': {} } }, 'templates.root.a..*: found {}, expected names between dots'],
    [{ templates: { 'a.*': {}, 'root.a.*': {} } }, 'templates.root.a.*: found {}, expected one entry of that path: "a.*" is the same'],
    [{ mappings: ['u:ann:b.x.y'] }, 'mappings.0: found "u:ann:b.x.y", expected a queue that is declared'],
  ])('are refused where %j', (options, message) => {
    expect(() => inside({}, options)).toThrow(message)
  })

  it('may be in a mapping to two levels of them', () => {
    expect(() => inside({}, { mappings: ['u:ann:a.x.y'] })).not.toThrow()
  })
})
