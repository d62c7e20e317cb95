import { describe, expect, it } from 'vitest'
import { forwarding, type Commit, type FairShareView, type JobId, type LaneId, type NodeId, type Policy, type Sharing } from '../src/index.js'

const JOB = 3 as JobId

describe('forwarding', () => {
  it('passes hooks on to the parts that have them, in order, and has no others', () => {
    const calls: string[] = []
    const hooks = forwarding({ onSubmit: (job) => calls.push(`a ${job}`) }, undefined, { onSubmit: (job) => calls.push(`b ${job}`), onCommit: ({ now }) => calls.push(`commit at ${now}`) })
    hooks.onSubmit?.(JOB)
    hooks.onCommit?.({ now: 5, accepted: [], conflicted: [] } satisfies Commit)
    expect(calls).toEqual(['a 3', 'b 3', 'commit at 5'])
    expect(hooks.onFinish).toBeUndefined()
  })

  it('refuses a job for the first reason that a part has', () => {
    const hooks = forwarding({ admits: () => undefined }, { admits: () => 'full' }, { admits: () => 'late' })
    expect(hooks.admits?.({ id: 'j', submit: 0, stages: [] })).toBe('full')
  })

  it('has the queue that the first part gives a job which gives any', () => {
    const hooks = forwarding({ queueFor: () => undefined }, { onSubmit: () => undefined }, { queueFor: ({ id }) => `root.${id}` }, { queueFor: () => 'root.late' })
    expect(hooks.queueFor?.({ id: 'j', submit: 0, stages: [] })).toBe('root.j')
    expect(forwarding({ queueFor: () => undefined }).queueFor?.({ id: 'j', submit: 0, stages: [] })).toBeUndefined()
  })

  it('says what the parts say of themselves: shares, fair-share factors and promises', () => {
    const sharing = { pools: 2 } as Sharing
    const fairShare = { next: 300 } as FairShareView
    const inside: Policy = { schedule: () => undefined, sharing, fairShare, promises: true, heedsStartTimes: true }
    const around = forwarding({ onSubmit: () => undefined }, forwarding(inside))
    expect([around.sharing, around.fairShare, around.promises, around.heedsStartTimes]).toEqual([sharing, fairShare, true, true])
    expect(forwarding({ onSubmit: () => undefined })).not.toHaveProperty('promises')
  })

  it('starts no jobs that are one gang where a part says so; that it does, it has to say itself', () => {
    expect(forwarding({}, forwarding({ startsGangJobs: false })).startsGangJobs).toBe(false)
    expect(forwarding({ startsGangJobs: true })).not.toHaveProperty('startsGangJobs')
  })

  it('remembers what the parts do, each in its place, and gives it back to each', () => {
    const recalled: unknown[] = []
    const part = (name: string) => ({ memory: () => name, recall: (memory: unknown) => void recalled.push([name, memory]) })
    const hooks = forwarding(part('a'), { recall: (memory) => void recalled.push(['of nothing', memory]) }, forwarding(part('b')))
    expect(hooks.memory?.()).toEqual(['a', null, ['b']])
    hooks.recall?.(hooks.memory?.())
    expect(recalled).toEqual([['a', 'a'], ['b', 'b']])
    expect(forwarding({ onSubmit: () => undefined })).not.toHaveProperty('memory')
  })

  it('wants a look where a part does, in that lane', () => {
    const hooks = forwarding({ wantsLook: (lane) => lane === 1 }, forwarding({ wantsLook: (lane) => lane === 2 }))
    expect([0, 1, 2].map((lane) => hooks.wantsLook?.(lane as LaneId))).toEqual([false, true, true])
    expect(forwarding({ onSubmit: () => undefined })).not.toHaveProperty('wantsLook')
    const nodes = forwarding({ wantsNode: (lane, node) => lane + node === 1 }, { wantsLook: () => true })
    expect([0, 1, 2].map((node) => nodes.wantsNode?.(1 as LaneId, node as NodeId))).toEqual([true, false, false])
  })
})
