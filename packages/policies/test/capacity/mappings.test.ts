import { dispatcher } from '@sched/cluster'
import { capacityScheduler, type CapacitySchedulerOptions } from '@sched/policies'
import { cluster, job } from '@sched/testkit'
import type { JobSpec } from '@sched/core'
import { describe, expect, it } from 'vitest'

const stopped = { state: 'STOPPED' } as const
/** All leaves are stopped, so that a job is refused by the name of its queue. */
const tree: NonNullable<CapacitySchedulerOptions['queues']> = {
  default: { capacity: 10, ...stopped },
  a: { capacity: 40 },
  'a.devs': { capacity: 50 },
  'a.devs.ann': { capacity: 60, ...stopped },
  'a.devs.bob': { capacity: 40, ...stopped },
  'a.x': { capacity: 50, ...stopped },
  b: { capacity: 50, ...stopped },
}
const placed = (mappings: NonNullable<CapacitySchedulerOptions['mappings']>, change: Partial<JobSpec> = {}, options: CapacitySchedulerOptions = {}) => {
  const { policy } = dispatcher({ cluster: cluster({ nodes: [{ count: 1, resources: { mem: 1 } }] }), policy: capacityScheduler({ queues: tree, mappings, ...options }) })
  const spec = { ...job({ id: 'j', user: 'ann' }), group: 'devs' }
  const refusal = policy.admits?.({ ...spec, queue: 'default', ...change })
  return /^queue root\.(.*) is STOPPED$/.exec(refusal ?? '')?.[1] ?? refusal
}

// as TestCSMappingPlacementRule and TestUserGroupMappingPlacementRule of Hadoop 3
describe('mappings to queues', () => {
  it.each<[string, string[], string]>([
    ['a user', ['u:bob:x', 'u:ann:b'], 'b'],
    ['a group', ['g:ops:x', 'g:devs:b'], 'b'],
    ['the first that applies', ['g:devs:x', 'u:ann:b'], 'a.x'],
    ['every user, by its name', ['u:%user:a.devs.%user'], 'a.devs.ann'],
    ['a short name of a queue', ['u:ann:x'], 'a.x'],
    ['a short name of the queue around it', ['u:%user:devs.%user'], 'a.devs.ann'],
    ['a group, each to the queue of its name (testQueueMappingWithCurrentUserQueueMappingForaGroup)', ['g:devs:%user'], 'a.devs.ann'],
    ['the group as the queue around it', ['u:%user:%primary_group.%user'], 'a.devs.ann'],
    ['nobody', ['u:bob:x'], 'default'],
  ])('place %s: %j', (_, mappings, queue) => {
    expect(placed(mappings)).toBe(queue)
  })

  it('tell the queue that they give a job which is let in, in full, also one that is yet to be made', () => {
    const policyOf = (mappings: string[]) => dispatcher({ cluster: cluster({ nodes: [{ count: 1, resources: { mem: 1 } }] }), policy: capacityScheduler({ queues: { ...tree, made: { capacity: 0, autoCreate: true }, b: { capacity: 50 } }, mappings }) }).policy
    const told = (mappings: string[], queue?: string) => {
      const policy = policyOf(mappings)
      const spec = { ...job({ id: 'j', user: 'ann' }), ...(queue !== undefined && { queue }) }
      expect([policy.queueFor?.(spec), policy.admits?.(spec)]).toEqual([undefined, undefined])
      return policy.queueFor?.(spec)
    }
    expect(told(['u:ann:b'])).toBe('root.b')
    expect(told(['u:ann:root.made.%user'])).toBe('root.made.ann')
    expect(told([], 'b')).toBe('root.b')
    expect(told(['u:ann:a.x'], 'b')).toBe('root.b')
  })

  it('place in the default queue whom they map to none, or to one that holds queues', () => {
    expect(placed(['u:%user:devs.%user'], { user: 'eve' })).toBe('default')
    expect(placed(['u:%user:a.%primary_group'])).toBe('default')
  })

  it('may be rules, which go on, place in the default queue or refuse where there is no queue', () => {
    const none = { user: '*', queue: 'root.none.%user' }
    expect(placed([none, { group: 'devs', queue: 'b' }])).toBe('b')
    expect(placed([{ ...none, fallback: 'default' }, 'u:ann:b'])).toBe('default')
    expect(placed([{ ...none, fallback: 'reject' }, 'u:ann:b'])).toBe('a mapping gives it queue root.none.ann, where it cannot be, and refuses it then')
    expect(placed([{ group: 'ops', queue: 'b' }, { user: 'ann' }])).toBe('a mapping refuses it')
    expect(placed([{ queue: '%specified' }], { queue: 'x' }, { overrideWithMappings: true })).toBe('a.x')
  })

  it('may change the default queue for the rules behind them, and for none else (testRuleFallbackHandling, testSetDefaultRule)', () => {
    const named = { queue: '%default', fallback: 'reject' } as const
    const fallingBack = { queue: 'root.none.%user', fallback: 'default' } as const
    const to = (defaultQueue: string, ...rules: NonNullable<CapacitySchedulerOptions['mappings']>) => placed([{ user: 'ann', defaultQueue }, ...rules])
    expect([to('root.b', named), to('root.b', fallingBack), to('root.a.%primary_group.%user', named), to('b', 'u:ann:root.none_%user')]).toEqual(['b', 'b', 'a.devs.ann', 'b'])
    expect([to('root.b'), placed([{ user: 'bob', defaultQueue: 'b' }, named]), placed([named, { defaultQueue: 'b' }])]).toEqual(['default', 'default', 'default'])
    expect(to('root.invalid', named)).toBe('a mapping gives it queue root.invalid, where it cannot be, and refuses it then')
    expect(to('root.invalid', fallingBack)).toContain('root.none')
    expect(to('root.a', { defaultQueue: '%default.x' }, named)).toBe('a.x')
    expect(() => placed([{ queue: 'b', defaultQueue: 'b' }])).toThrow('either queue or defaultQueue')
  })

  it('take default for no queue, to which specified gives none, and root.default for that queue (testSpecified)', () => {
    const asked = ['default', 'root.default', 'x']
    const rules = (specified: object) => asked.map((queue) => placed([{ queue: '%specified', ...specified }, { queue: 'b' }], { queue }, { overrideWithMappings: true }))
    expect(rules({})).toEqual(['b', 'default', 'a.x'])
    expect(rules({ fallback: 'default' })).toEqual(['default', 'default', 'a.x'])
    expect(rules({ fallback: 'reject' })[0]).toBe('a mapping gives it queue %specified, where it cannot be, and refuses it then')
    expect(asked.map((queue) => placed([{ queue: 'b' }], { queue }))).toEqual(['b', 'default', 'a.x'])
  })

  it('make queues only where their rule says so', () => {
    const queues: typeof tree = { ...tree, b: { capacity: 50, autoCreate: true } }
    expect(placed([{ queue: 'b.%user', create: false }], {}, { queues })).toBe('default')
    expect(placed([{ queue: 'b.%user' }], {}, { queues })).toBeUndefined() // it is made, and runs
    const root: typeof tree = { ...tree, root: { autoCreate: true, template: { capacity: 0 } } }
    expect([placed(['u:%user:%user'], { user: 'eve' }, { queues: root }), placed(['u:%user:root.%user'], { user: 'eve' }, { queues: root })]).toEqual(['default', undefined]) // never of a short name
  })

  it('do not move jobs that name their queue, unless they override', () => {
    expect(placed(['u:ann:b'], { queue: 'x' })).toBe('a.x')
    expect(placed(['u:ann:b'], { queue: 'x' }, { overrideWithMappings: true })).toBe('b')
  })

  it('fill in names that are a part of the path as a whole (TestMappingRuleActions.testPlaceToQueueAction)', () => {
    expect([placed(['u:%user:devs.%user', 'u:ann:b']), placed([{ queue: 'devs.%user%user' }, 'u:ann:b']), placed([{ queue: 'devs.of_%user' }, 'u:ann:b'], {}, { queues: { ...tree, 'a.devs.bob': { capacity: 20, ...stopped }, 'a.devs.of_ann': { capacity: 20, ...stopped } } })]).toEqual(['a.devs.ann', 'b', 'b'])
  })

  it('write the periods in names of users as _dot_', () => {
    expect(placed(['u:%user:devs.%user'], { user: 'a.b' }, { queues: { ...tree, 'a.devs.bob': { capacity: 20, ...stopped }, 'a.devs.a_dot_b': { capacity: 20, ...stopped } } })).toBe('a.devs.a_dot_b')
  })
})
