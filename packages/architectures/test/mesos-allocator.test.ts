import { describe, expect, it } from 'vitest'
import type { JobSpec, NodeId } from '@sched/core'
import type { RunOptions } from '@sched/testkit'
import { twoLevel, type TwoLevelOptions } from '../src/index.js'
import { endless, nodes, now, starts } from './mesos-world.js'
import { cpuJob, cpus, play } from './world.js'

// Cases of Mesos' HierarchicalAllocatorTest, in numbers of ours; those with quotas and reservations have a file of their own.

describe('offers by node', () => {
  const two = { a: {}, b: {} }
  it('give each of two frameworks a node, where one offer of all gives the first both (CoarseGrained)', () => {
    const jobs = [endless('a', 'a', { tasks: 4 }), endless('b', 'b', { tasks: 4 })]
    expect(starts({ frameworks: two, offers: 'by-node' }, jobs, nodes({ cpu: 2 }, { cpu: 2 }))).toEqual(['a@0 x2', 'b@1 x2'])
    expect(starts({ frameworks: two }, jobs, nodes({ cpu: 2 }, { cpu: 2 }))).toEqual(['a@0 x2', 'a@1 x2'])
  })

  it('take turns where shares are equal, though one name comes before the other (SameShareFairness)', () => {
    const jobs = [cpuJob('a', { class: 'a', tasks: 10, demand: { cpu: 2 }, duration: 1 }), cpuJob('b', { class: 'b', tasks: 10, demand: { cpu: 2 }, duration: 1 })]
    const { recorder } = play(twoLevel({ ...now, frameworks: two, offers: 'by-node' }), jobs, { cluster: cpus(1, 2) })
    expect(recorder.launches.slice(0, 10).map(({ job }) => job).join('')).toBe('ababababab')
  })

  it('go by roles first and by the frameworks in them then (DRF)', () => {
    // nodes come into play as their first tasks end: 2 CPUs at 10 s, 1 at 20, 3 at 30, 4 at 40
    const cluster = nodes({ cpu: 2, mem: 1024 }, { cpu: 1, mem: 512 }, { cpu: 3, mem: 2048 }, { cpu: 4, mem: 4096 })
    const first = [2, 1, 3, 4].map((cpu, i) => cpuJob(`first${i}`, { class: 'first', demand: { cpu, mem: [1024, 512, 2048, 4096][i] as number }, duration: 9 + 10 * i }))
    const want = (id: string, of: string, submit: number) => endless(id, of, { submit, tasks: 10, demand: { cpu: 1, mem: 512 } })
    const frameworks = { first: { role: 'a' }, one: { role: 'role1' }, two: { role: 'role2' }, three: { role: 'role1' } }
    // role1 has 2/10 of the CPUs when node 1 comes; role2 has 1/10, and 4/10 with node 2; one has 2/10 of role1's, three nothing
    const jobs = [...first, want('one', 'one', 5), want('two', 'two', 15), want('three', 'three', 35)]
    expect(starts({ frameworks, offers: 'by-node' }, jobs, cluster, 49).filter((start) => !start.startsWith('first'))).toEqual(['one@0 x2', 'two@1 x1', 'two@2 x3', 'three@3 x4'])
  })

  it('go by whole branches of roles (NestedRoleDRF): a role that has nothing waits where its branch has more', () => {
    // nodes come into play as their first tasks end: 2 CPUs at 10 s, 1 at 20, 2 at 30. a has 2/5 of the CPUs, d 0, then 1/5
    const cluster = nodes({ cpu: 2 }, { cpu: 1 }, { cpu: 2 })
    const first = [2, 1, 2].map((cpu, i) => cpuJob(`first${i}`, { class: 'first', demand: { cpu }, duration: 9 + 10 * i }))
    const frameworks = { first: { role: 'z' }, ab: { role: 'a/b' }, ac: { role: 'a/c' }, de: { role: 'd/e' }, df: { role: 'd/f' } }
    const jobs = [...first, ...(['ab', 'ac', 'de', 'df'] as const).map((name, i) => endless(name, name, { submit: [5, 12, 12, 22][i] as number, tasks: 9 }))]
    expect(starts({ frameworks, offers: 'by-node' }, jobs, cluster, 39).filter((start) => !start.startsWith('first'))).toEqual(['ab@0 x2', 'de@1 x1', 'df@2 x2'])
  })

  it('count no more what was lost with a node (RemoveSlaveRecoverResources)', () => {
    // big has 3 of 6 CPUs, small 1, when the 2 of the last node are free again; without the first node big has none of 3
    const ask = (id: string, of: string, submit: number, cpu: number, duration = 1000) => cpuJob(id, { class: of, submit, demand: { cpu }, duration })
    const jobs = [ask('big', 'big', 0, 3), ask('held', 'hold', 3, 2, 25), ask('small', 'small', 6, 1), ask('more of big', 'big', 20, 2), ask('more of small', 'small', 20, 2)]
    const next = (outages: RunOptions['outages'] = []) => {
      const options: TwoLevelOptions = { ...now, frameworks: { big: {}, small: {}, hold: {} }, offers: 'by-node' }
      return play(twoLevel(options), jobs, { cluster: nodes({ cpu: 3 }, { cpu: 1 }, { cpu: 2 }), until: 60, outages }).recorder.launches.find(({ job }) => job.startsWith('more'))?.job
    }
    expect([next(), next([{ node: 0 as NodeId, from: 10, to: 1000 }])]).toEqual(['more of small', 'more of big'])
  })

  it('weigh roles (WeightsUpdate): 2 of 3 nodes go to the role that weighs twice as much', () => {
    const jobs = [endless('a', 'a', { tasks: 12 }), endless('b', 'b', { tasks: 12 })]
    const options: TwoLevelOptions = { frameworks: { a: { role: 'a' }, b: { role: 'b' } }, roles: { b: { weight: 2 } }, offers: 'by-node' }
    expect(starts(options, jobs, nodes(...Array.from({ length: 6 }, () => ({ cpu: 2 })))).map((start) => start[0]).sort().join('')).toBe('aabbbb')
  })

  it('weigh three roles (SorterTest.WDRFSorter in an allocator): 1, 2 and 4 of 7 nodes', () => {
    const frameworks = { a: { role: 'a' }, b: { role: 'b' }, c: { role: 'c' } }
    const jobs = Object.keys(frameworks).map((name) => endless(name, name, { tasks: 12 }))
    const got = starts({ frameworks, roles: { b: { weight: 2 }, c: { weight: 4 } }, offers: 'by-node' }, jobs, nodes(...Array.from({ length: 7 }, () => ({ cpu: 2 }))))
    expect(got.map((start) => start[0]).sort().join('')).toBe('abbcccc')
  })

  it('divide a role between the roles inside and the frameworks of its own (NestedRoleDRF)', () => {
    // a holds a/x and two frameworks of its own: of 12 nodes b has 6, a/x 3, and those two 3 together
    const frameworks = { own1: { role: 'a' }, own2: { role: 'a' }, inside: { role: 'a/x' }, other: { role: 'b' } }
    const jobs = Object.keys(frameworks).map((name) => endless(name, name, { tasks: 30 }))
    const got = starts({ frameworks, offers: 'by-node' }, jobs, nodes(...Array.from({ length: 12 }, () => ({ cpu: 2 })))).map((start) => start.split('@')[0])
    const count = (...names: readonly string[]) => got.filter((name) => names.includes(name as string)).length
    expect([count('other'), count('inside'), count('own1', 'own2')]).toEqual([6, 3, 3])
    expect(Math.abs(count('own1') - count('own2'))).toBe(1)
  })

  it('leave resources out of shares that are not counted', () => {
    // a holds all GPUs and b 2 of 6 CPUs; GPUs left out, a has less
    const jobs = [endless('a0', 'a', { demand: { cpu: 1, gpu: 4 } }), endless('b0', 'b', { tasks: 2 }), endless('a1', 'a', { submit: 5 }), endless('b1', 'b', { submit: 5 })]
    const first = (uncounted: readonly string[]) =>
      starts({ frameworks: two, offers: 'by-node', uncounted: [...uncounted] }, jobs, nodes({ cpu: 1, gpu: 4 }, { cpu: 2, gpu: 0 }, { cpu: 1, gpu: 0 }, { cpu: 2, gpu: 0 })).find((start) => start.includes('1@'))
    expect(first([])).toBe('b1@2 x1')
    expect(first(['gpu'])).toBe('a1@2 x1')
  })

  it('keep nodes with GPUs for frameworks that want them', () => {
    const jobs = [endless('a', 'a', { tasks: 3 }), endless('b', 'b', { tasks: 3 })]
    const options: TwoLevelOptions = { frameworks: { a: {}, b: { wants: ['gpu'] } }, keep: ['gpu'], offers: 'by-node' }
    expect(starts(options, jobs, nodes({ cpu: 2, gpu: 1 }, { cpu: 2, gpu: 0 })).sort()).toEqual(['a@1 x2', 'b@0 x2'])
  })

  it('refuse a job whose framework is never offered a node with room for it', () => {
    const options: TwoLevelOptions = { frameworks: { a: {}, b: { wants: ['gpu'] } }, keep: ['gpu'], offers: 'by-node' }
    const cluster = nodes({ cpu: 4, gpu: 1 }, { cpu: 1, gpu: 0 }, { cpu: 1, gpu: 0 })
    const fact = (job: JobSpec) => () => starts(options, [job], cluster)
    expect(fact(endless('big', 'a', { demand: { cpu: 2 } }))).toThrow('job big asks {"cpu":2}, and framework "a" is offered no nodes with gpu: the others have no room for that. Let it want gpu, or leave that out of `keep`.')
    expect(fact(endless('gang', 'a', { tasks: 3, gang: true }))).toThrow('job gang asks')
    expect(starts(options, [endless('big', 'b', { demand: { cpu: 2 } }), endless('two', 'a', { tasks: 2 })], cluster).sort()).toEqual(['big@0 x1', 'two@1 x1', 'two@2 x1'])
  })

  it('have at least one of the least amounts on every node', () => {
    // node 0 has 1 CPU and no memory left, node 1 half a CPU and 64
    const jobs = [endless('a', 'a', { demand: { cpu: 4 }, tasks: 1 })]
    const cluster = nodes({ cpu: 4, mem: 16 }, { cpu: 8, mem: 64 })
    expect(starts({ frameworks: two, minimumPerNode: [{ mem: 32 }] }, jobs, cluster)).toEqual(['a@1 x1'])
    expect(starts({ frameworks: two, minimumPerNode: [{ mem: 32 }, { cpu: 2 }] }, jobs, cluster)).toEqual(['a@0 x1'])
  })

  it('have what a framework says itself, which may be nothing (FrameworkMinAllocatable, FrameworkEmptyMinAllocatable)', () => {
    const cluster = nodes({ cpu: 4, mem: 16 }, { cpu: 8, mem: 64 })
    const first = (own: NonNullable<TwoLevelOptions['minimumPerNode']> | undefined, offers: 'all' | 'by-node') =>
      starts({ frameworks: { a: own === undefined ? {} : { minimumPerNode: own } }, offers, minimumPerNode: [{ mem: 32 }] }, [endless('a', 'a', { demand: { cpu: 4 }, tasks: 1 })], cluster)
    for (const offers of ['all', 'by-node'] as const) expect([first(undefined, offers), first([], offers), first([{ cpu: 4 }], offers), first([{ cpu: 8 }], offers)]).toEqual([['a@1 x1'], ['a@0 x1'], ['a@0 x1'], ['a@1 x1']])
    expect(() => first([{ mem: 100 }], 'all')).toThrow('smaller than `minimumPerNode`')
    expect(() => first([{ disk: 1 }], 'all')).toThrow('frameworks.minimumPerNode[0]')
  })

  it('refuses a job that only smaller nodes could hold: it would wait for ever', () => {
    const cluster = nodes({ cpu: 4, mem: 16 }, { cpu: 2, mem: 64 })
    const refused = (least: number) => () => starts({ frameworks: two, minimumPerNode: [{ mem: least }] }, [endless('a', 'a', { demand: { cpu: 4 }, tasks: 1 })], cluster)
    expect(refused(16)).not.toThrow()
    expect(refused(32)).toThrow('job a asks {"cpu":4}, and framework "a" is offered no nodes smaller than `minimumPerNode`: the others have no room for that. Lower that.')
    expect(refused(100)).toThrow('smaller than `minimumPerNode`')
  })
})

describe('declined', () => {
  const ask = (refuseSeconds: number, jobs: readonly JobSpec[], cluster: ReturnType<typeof nodes>, options: TwoLevelOptions = {}) =>
    play(twoLevel({ ...now, frameworks: 1, refuseSeconds, ...options }), jobs, { cluster, until: 60 }).recorder.launches.map(({ job, time }) => `${job} ${time}`)

  it('a node comes back when time is over (OfferFilter)', () => {
    // the first uses half of the node at 1 s; the rest counts as declined until 11
    expect(ask(10, [cpuJob('a', { duration: 100 }), cpuJob('b', { submit: 2 })], nodes({ cpu: 2 }))).toEqual(['a 1', 'b 12'])
  })
  it('a node comes back sooner if it has more by then', () => {
    expect(ask(10, [cpuJob('a', { duration: 4 }), cpuJob('b', { submit: 2 })], nodes({ cpu: 2 }))).toEqual(['a 1', 'b 5'])
  })
  it('for less time than that between offers, it goes to another first (SmallOfferFilterTimeout)', () => {
    // big holds 3 of 4 and small nothing, so small is first at 2.5, and declines 1 CPU; at 3.5 big has it, though 0.1 s are over
    const jobs = [cpuJob('b0', { class: 'big', tasks: 3, duration: 100 }), cpuJob('s0', { class: 'small', submit: 1.5, demand: { cpu: 2 }, duration: 100 }), cpuJob('b1', { class: 'big', submit: 2, duration: 100 }), cpuJob('s1', { class: 'small', submit: 3, duration: 100 })]
    const first = (refuseSeconds: number) => ask(refuseSeconds, jobs, nodes({ cpu: 2 }, { cpu: 2 }), { frameworks: { big: {}, small: {} } })[3]
    expect(first(0)).toMatch(/^s1/)
    expect(first(0.1)).toMatch(/^b1/)
  })
})
