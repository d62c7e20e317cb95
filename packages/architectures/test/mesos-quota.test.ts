import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JobSpec } from '@sched/core'
import { twoLevel, type TwoLevelOptions } from '../src/index.js'
import { endless, nodes, now, of, starts } from './mesos-world.js'
import { cpuJob, cpus, play } from './world.js'

// Cases of Mesos' HierarchicalAllocatorTest with quotas and reservations, in numbers of ours.

describe('quota', () => {
  const in2 = { a: { role: 'a' }, b: { role: 'b' } }
  const both = [endless('a', 'a', { tasks: 20 }), endless('b', 'b', { tasks: 20 })]

  it('gives a role its guarantee before others have anything (QuotaAgainstStarvation, DRFWithQuota)', () => {
    const got = starts({ frameworks: in2, offers: 'by-node', roles: { b: { guarantee: { cpu: 6 } } } }, both, nodes(...Array.from({ length: 4 }, () => ({ cpu: 2 }))))
    expect([of('a', got), of('b', got)]).toEqual([2, 6])
  })
  it('keeps a guarantee free for a role that nobody is in yet (QuotaAbsentFramework)', () => {
    const cluster = nodes(...Array.from({ length: 4 }, () => ({ cpu: 2 })))
    expect(of('a', starts({ frameworks: in2, offers: 'by-node', roles: { c: { guarantee: { cpu: 3 } } } }, both.slice(0, 1), cluster))).toBe(5)
    const late = [endless('a', 'a', { tasks: 20 }), endless('b', 'b', { submit: 10, tasks: 20 })]
    const got = starts({ frameworks: in2, offers: 'by-node', roles: { b: { guarantee: { cpu: 3 } } } }, late, cluster)
    expect([of('a', got), of('b', got)]).toEqual([5, 3])
  })
  it('keeps the guarantees of several roles that nobody is in (MultiQuotaAbsentFrameworks)', () => {
    // c and d are kept 2 CPUs each of 5: one is left
    const roles = { c: { guarantee: { cpu: 2 } }, d: { guarantee: { cpu: 2 } } }
    expect(starts({ frameworks: in2, offers: 'by-node', roles }, both.slice(0, 1), nodes({ cpu: 2 }, { cpu: 3 }))).toEqual(['a@0 x1'])
  })
  it('offers a part of a node where a limit is near (QuotaAllocationGranularity)', () => {
    const got = starts({ frameworks: in2, offers: 'by-node', roles: { a: { limit: { cpu: 3 } } } }, both, nodes({ cpu: 8 }))
    expect([of('a', got), of('b', got)]).toEqual([3, 5])
  })
  it('counts what all frameworks of the role have (MultipleFrameworksInRoleWithQuota)', () => {
    const got = starts({ frameworks: { a: { role: 'a' }, b: { role: 'a/x' } }, offers: 'by-node', roles: { a: { limit: { cpu: 5 } } } }, both, nodes({ cpu: 4 }, { cpu: 4 }))
    expect(of('a', got) + of('b', got)).toBe(5)
  })
  it('gives what a role lacks of its guarantee to it, though another has less (MultiQuotaWithFrameworks)', () => {
    // both guarantees are limits, too: a has 1 task, b 2, and c what is left of 4 CPUs
    const frameworks = { a: { role: 'a' }, b: { role: 'b' }, c: { role: 'c' } }
    const roles = { a: { guarantee: { cpu: 1, mem: 200 }, limit: { cpu: 1, mem: 200 } }, b: { guarantee: { cpu: 2, mem: 2000 }, limit: { cpu: 2, mem: 2000 } } }
    const jobs = [endless('a', 'a', { tasks: 9, demand: { cpu: 1, mem: 200 } }), endless('b', 'b', { tasks: 9, demand: { cpu: 1, mem: 1000 } }), endless('c', 'c', { tasks: 9, demand: { cpu: 1, mem: 100 } })]
    const got = starts({ frameworks, offers: 'by-node', roles }, jobs, nodes({ cpu: 1, mem: 1024 }, { cpu: 1, mem: 1024 }, { cpu: 2, mem: 2048 }))
    expect(['a', 'b', 'c'].map((name) => of(name, got))).toEqual([1, 2, 1])
  })
  it('has no limit of what it does not name, but for what others are guaranteed (QuotaRoleAllocateNonQuotaResource)', () => {
    const run = (mem: number) => {
      const roles = { a: { guarantee: { cpu: 2 }, limit: { cpu: 2 } }, c: { guarantee: { mem } } }
      const jobs = [endless('both', 'a', { tasks: 3, demand: { cpu: 1, mem: 1024 } }), endless('memory', 'a', { submit: 5, demand: { cpu: 0, mem: 512 } })]
      const got = starts({ frameworks: in2, offers: 'by-node', roles }, jobs, nodes({ cpu: 1, mem: 1024 }, { cpu: 1, mem: 1024 }, { cpu: 1, mem: 1024 }))
      return [of('both', got), of('memory', got)]
    }
    expect(run(512)).toEqual([2, 1])
    expect(run(1024)).toEqual([2, 0])
  })
  it('leaves what is over to who has less, not to a role at its limit (DRFWithQuota)', () => {
    // a has 1 of 8 CPUs, its quota, and b 3 when the second node comes
    const roles = { a: { guarantee: { cpu: 1 }, limit: { cpu: 1 } } }
    expect(starts({ frameworks: in2, offers: 'by-node', roles }, both, nodes({ cpu: 4 }, { cpu: 4 })).sort()).toEqual(['a@0 x1', 'b@0 x3', 'b@1 x4'])
  })
  it('is kept for a role whose frameworks decline what there is (QuotaProvidesGuarantee, QuotaSetAsideReservedResources)', () => {
    // a is guaranteed 5 of 6 CPUs and has 3: its next task has no room, and of what is left b has one
    const large = endless('a', 'a', { demand: { cpu: 3 }, tasks: 9 })
    for (const refuseSeconds of [0, 5]) {
      const got = starts({ frameworks: in2, offers: 'by-node', roles: { a: { guarantee: { cpu: 5 } } }, refuseSeconds }, [large, both[1] as JobSpec], nodes({ cpu: 4 }, { cpu: 1 }, { cpu: 1 }))
      expect([of('a', got), of('b', got)]).toEqual([1, 1])
    }
    const b = { b: { reserved: { names: ['node1-0'] } } }
    expect(starts({ frameworks: in2, offers: 'by-node', roles: { a: { guarantee: { cpu: 4 } }, ...b } }, [large, both[1] as JobSpec], nodes({ cpu: 4 }, { cpu: 4 })).sort()).toEqual(['a@0 x1', 'b@1 x4'])
  })
  it('may be a limit of nothing, and less than a node (QuotaProvidesLimit)', () => {
    const got = (cpu: number) => starts({ frameworks: in2, offers: 'by-node', roles: { a: { limit: { cpu, mem: cpu } } } }, both.map((each) => ({ ...each, stages: each.stages.map((stage) => ({ ...stage, demand: { cpu: 1, mem: 1 } })) })), nodes({ cpu: 2, mem: 2 }, { cpu: 2, mem: 2 }))
    expect(() => got(0)).toThrow('job a asks 1 cpu at once, and 0 is the most that role "a" can be offered')
    expect([of('a', got(1)), of('b', got(1))]).toEqual([1, 3])
  })
  it('is divided fairly among the frameworks of the role (MultipleFrameworksInRoleWithQuota)', () => {
    const frameworks = { a1: { role: 'a' }, a2: { role: 'a' }, b: { role: 'b' } }
    const got = starts({ frameworks, offers: 'by-node', roles: { a: { guarantee: { cpu: 6 } } } }, Object.keys(frameworks).map((name) => endless(name, name, { tasks: 20 })), nodes(...Array.from({ length: 7 }, () => ({ cpu: 1 }))))
    expect(['a1', 'a2', 'b'].map((name) => of(name, got))).toEqual([3, 3, 1])
  })
  it('leaves one of two nodes whole where the other is enough (QuotaAbsentFrameworkWholeAgent)', () => {
    expect(starts({ frameworks: in2, offers: 'by-node', roles: { c: { guarantee: { cpu: 3 } } } }, both.slice(0, 1), nodes({ cpu: 3 }, { cpu: 3 }))).toEqual(['a@0 x3'])
  })
  it('goes on for one resource when there is enough of another (DisproportionateQuotaVsAllocation)', () => {
    const quota = { cpu: 4, mem: 8 }
    const jobs = [endless('both', 'a', { tasks: 4, demand: { cpu: 1, mem: 4 } }), endless('cpus', 'a', { tasks: 4, demand: { cpu: 1, mem: 0 }, submit: 5 })]
    const got = starts({ frameworks: in2, offers: 'by-node', roles: { a: { guarantee: quota, limit: quota } } }, jobs, nodes({ cpu: 2, mem: 8 }, { cpu: 4, mem: 8 }))
    expect(got.sort()).toEqual(['both@0 x2', 'cpus@1 x2'])
  })
  it('binds frameworks of the role alone where it says so, though what roles inside have counts (QuotaWithNestedRoleAllocation, QuotaHeadroomWithNestedRoleAllocation)', () => {
    const inside = { own: { role: 'a' }, inner: { role: 'a/x' } }
    const jobs = [endless('inner', 'inner', { tasks: 9 }), endless('own', 'own', { submit: 5, tasks: 9 })]
    const got = (quotaInside: boolean, guarantee?: Readonly<Record<string, number>>) => {
      const roles = { a: { limit: { cpu: 2 }, ...(guarantee === undefined ? {} : { guarantee }), quotaInside } }
      const all = starts({ frameworks: inside, offers: 'by-node', roles }, jobs, nodes({ cpu: 2 }, { cpu: 2 }))
      return [of('inner', all), of('own', all)]
    }
    expect([got(true), got(false)]).toEqual([[2, 0], [4, 0]])
    expect([got(true, { cpu: 2 }), got(false, { cpu: 2 })]).toEqual([[2, 0], [4, 0]]) // what is inside has used the guarantee up
    const first = (quotaInside: boolean) => {
      const all = starts({ frameworks: { inner: { role: 'a/x' }, b: { role: 'b' } }, offers: 'by-node', roles: { a: { guarantee: { cpu: 3 }, quotaInside } } }, [endless('inner', 'inner', { tasks: 9 }), both[1] as JobSpec], nodes({ cpu: 2 }, { cpu: 2 }))
      return [of('inner', all), of('b', all)]
    }
    expect([first(true), first(false)]).toEqual([[4, 0], [1, 1]]) // 2 are kept for frameworks of a itself
    const c = starts({ frameworks: inside, offers: 'by-node', roles: { c: { guarantee: { cpu: 2 } } } }, jobs, nodes({ cpu: 2 }, { cpu: 2 }, { cpu: 2 }))
    expect(of('inner', c) + of('own', c)).toBe(4)
    const large = () => starts({ frameworks: inside, offers: 'by-node', roles: { a: { limit: { cpu: 2 }, quotaInside: false } } }, ['inner', 'own'].map((name, i) => endless(name, name, { submit: i, demand: { cpu: 3 } })), nodes({ cpu: 3 }))
    expect(large).toThrow('job own asks 3 cpu at once, and 2 is the most that role "a" can be offered')
  })
  it('holds in any small world: no role is ever above its limit, nor others in what is guaranteed, and all jobs end', { tags: 'long' }, () => {
    const demand = fc.record({ cpu: fc.integer({ min: 1, max: 3 }), mem: fc.integer({ min: 0, max: 4 }) })
    const jobs = fc.array(fc.record({ demand, tasks: fc.integer({ min: 1, max: 6 }), duration: fc.integer({ min: 1, max: 20 }), submit: fc.integer({ min: 0, max: 40 }) }), { maxLength: 8 })
    const node = fc.record({ cpu: fc.integer({ min: 3, max: 6 }), mem: fc.integer({ min: 4, max: 8 }) })
    fc.assert(
      fc.property(fc.array(node, { minLength: 2, maxLength: 4 }), jobs, fc.integer({ min: 3, max: 6 }), fc.integer({ min: 0, max: 3 }), fc.constantFrom(0, 5), (each, drawn, most, set, refuseSeconds) => {
        const specs = drawn.map((change, i) => cpuJob(`j${i}`, { ...change, class: i % 2 === 0 ? 'a' : 'b' })).sort((x, y) => x.submit - y.submit)
        const roles = { a: { limit: { cpu: most } }, c: { guarantee: { cpu: set } } }
        const { recorder } = play(twoLevel({ ...now, frameworks: in2, offers: 'by-node', roles, refuseSeconds, abandonAfter: false, abandonUnplacedAfter: false }), specs, { cluster: nodes(...each) })
        expect(Object.keys(recorder.finishes()).length).toBe(specs.length)
        const held = { a: 0, b: 0 }
        const cpu = each.reduce((sum, own) => sum + own.cpu, 0)
        for (const event of recorder.events) {
          if (event.kind !== 'launch' && event.kind !== 'end') continue
          const { class: of, stages } = specs.find(({ id }) => id === event.job) as JobSpec
          held[of as 'a' | 'b'] += (event.kind === 'launch' ? 1 : -1) * (stages[0]?.demand['cpu'] as number)
          expect(held.a).toBeLessThanOrEqual(most)
          expect(held.a + held.b).toBeLessThanOrEqual(cpu - set)
        }
      }),
      { seed: 5, numRuns: 150 },
    )
  })
  it('names a job that its role may never be offered enough for', () => {
    const run = (roles: TwoLevelOptions['roles']) => () => play(twoLevel({ ...now, frameworks: in2, offers: 'by-node', roles }), [cpuJob('wide', { class: 'a', demand: { cpu: 4 } })], { cluster: cpus(2, 4) })
    expect(run({ a: { limit: { cpu: 3 } } })).toThrow(/job wide asks 4 cpu at once, and 3 is the most that role "a" can be offered/)
    expect(run({ b: { guarantee: { cpu: 5 } } })).toThrow(/3 is the most that role "a" can be offered beside what is guaranteed to others/)
  })
  it.each([
    ['a role that nobody is in', { frameworks: in2, roles: { c: { weight: 2 } } }, /no framework has the role "c"/],
    ['an inner role', { frameworks: { a: { role: 'a/x' } }, offers: 'by-node', roles: { 'a/x': { limit: { cpu: 1 } } } }, /only outermost roles/],
    ['offers of all', { frameworks: in2, roles: { a: { limit: { cpu: 1 } } } }, /node by node/],
    ['a guarantee above its limit', { frameworks: in2, offers: 'by-node', roles: { a: { guarantee: { cpu: 3 }, limit: { cpu: 2 } } } }, /guaranteed more cpu than its limit/],
    ['more than there is', { frameworks: in2, offers: 'by-node', roles: { a: { guarantee: { cpu: 5 } }, b: { guarantee: { cpu: 4 } } } }, /guaranteed 9 cpu together, and the cluster has 8/],
    ['an unknown resource', { frameworks: in2, offers: 'by-node', roles: { a: { limit: { cpus: 5 } } } }, /no resource "cpus"/],
    ['a fair share of a node', { frameworks: in2, offers: 'by-node', fairShareOffers: true }, /node by node/],
  ] as const)('is refused of %s', (_, options, message) => {
    expect(() => play(twoLevel({ ...now, ...(options as TwoLevelOptions) }), [], { cluster: cpus(2, 4) })).toThrow(message)
  })
})

describe('nodes that are reserved for a role', () => {
  const four = nodes(...Array.from({ length: 4 }, () => ({ cpu: 2 })))
  const names = (...ids: readonly number[]) => ({ reserved: { names: ids.map((id) => `node${id}-0`) } })
  const roles = (...given: readonly string[]) => Object.fromEntries(given.map((role) => [role.replaceAll('/', '-'), { role }]))
  const many = (...of: readonly string[]) => of.map((each) => endless(each, each, { tasks: 20 }))
  const reserved: TwoLevelOptions = { offers: 'by-node', frameworks: roles('a', 'b') }

  it('are offered to frameworks in it alone, and to nobody while there are none (Reservations)', () => {
    const got = (offers: 'all' | 'by-node') => starts({ ...reserved, offers, roles: { a: names(0), b: names(1), c: names(3) } }, many('a', 'b'), four).sort()
    expect([got('by-node'), got('all')]).toEqual(Array(2).fill(['a@0 x2', 'a@2 x2', 'b@1 x2']))
  })

  it('count for the shares of roles: who has them comes later for the others (ReservedDRF)', () => {
    // a has the half of all that is reserved for it; of the other two nodes b has both
    expect(starts({ ...reserved, roles: { a: names(0, 1) } }, many('a', 'b'), four).sort()).toEqual(['a@0 x2', 'a@1 x2', 'b@2 x2', 'b@3 x2'])
  })

  it('are for frameworks in roles inside, too, but not in those beside', () => {
    const frameworks = roles('a', 'a/x', 'a/y')
    const got = (role: string) => starts({ ...reserved, frameworks, roles: { [role]: names(0) } }, many('a', 'a-x', 'a-y'), nodes({ cpu: 2 }, { cpu: 1 }, { cpu: 1 })).sort()
    expect(got('a/x')).toEqual(['a-x@0 x2', 'a-y@2 x1', 'a@1 x1'])
    expect(starts({ ...reserved, frameworks, roles: { a: names(0) } }, many('a-x'), nodes({ cpu: 2 }, { cpu: 1 }))).toEqual(['a-x@0 x2', 'a-x@1 x1'])
  })

  it('count towards its limit, whether or not they are in use (ReservationUnallocated, ReservationAllocated)', () => {
    // a may have 2 CPUs beside the 2 that are reserved for it; its large task has no room on these
    const jobs = [endless('a', 'a', { demand: { cpu: 3 }, tasks: 9 })]
    const cluster = nodes({ cpu: 2 }, { cpu: 3 }, { cpu: 3 })
    const most = (cpu: number) => () => starts({ ...reserved, roles: { a: { ...names(0), limit: { cpu } } } }, jobs, cluster)
    expect(most(5)()).toEqual(['a@1 x1'])
    expect(starts({ ...reserved, roles: { a: { ...names(0), limit: { cpu: 4 } } } }, many('a'), four)).toEqual(['a@0 x2', 'a@1 x2'])
    expect(starts({ ...reserved, roles: { a: { ...names(0), limit: { cpu: 1 } } } }, many('a'), four)).toEqual(['a@0 x2'])
  })

  it('count towards its guarantee, and are offered whatever others are guaranteed (NonQuotaRoleReservationWithQuotaRole)', () => {
    // 4 of 8 CPUs are for c, so that of the two open nodes none is left; a has its node, and b nothing
    const kept = { a: names(0), c: { ...names(1), guarantee: { cpu: 6 } } }
    expect(starts({ ...reserved, roles: kept }, many('a'), four)).toEqual(['a@0 x2'])
    expect(starts({ ...reserved, roles: { ...kept, c: { ...names(1), guarantee: { cpu: 4 } } } }, many('a', 'b'), four).sort()).toEqual(['a@0 x2', 'b@2 x2'])
  })

  it('count towards the quota of the role around theirs, whoever uses them (ReservationWithinQuota, QuotaWithNestedRoleReservation, QuotaWithAncestorReservations)', () => {
    // a/x has 1 CPU reserved of the 3 that a is guaranteed and may have: 2 are left of the open node
    const three = { guarantee: { cpu: 3 }, limit: { cpu: 3 } }
    expect(starts({ ...reserved, roles: { 'a/x': names(0), a: three } }, many('a'), nodes({ cpu: 1 }, { cpu: 9 }))).toEqual(['a@1 x2'])
    // what is reserved for a, and a/x uses, is no part of what is kept for c
    const inside = { ...reserved, frameworks: roles('a/x', 'b'), roles: { a: names(0), c: { guarantee: { cpu: 2 } } } }
    expect(of('b', starts(inside, many('a-x', 'b').reverse(), nodes({ cpu: 2 }, { cpu: 2 }, { cpu: 2 })))).toBe(2)
    // a is guaranteed 2 CPUs, and memory that it has on its own node: b has the rest
    const split = { a: { ...names(1), guarantee: { cpu: 2, mem: 256 }, limit: { cpu: 2, mem: 256 } } }
    expect(starts({ ...reserved, roles: split }, many('a', 'b'), nodes({ cpu: 8, mem: 0 }, { cpu: 0, mem: 256 }, { cpu: 4, mem: 0 })).sort()).toEqual(['a@0 x2', 'b@0 x6', 'b@2 x4'])
  })

  it('of roles around are offered to those inside, at any depth (OfferAncestorReservationsToDescendantChild)', () => {
    const given = { a: names(0), 'a/b': names(1), 'a/b/c': names(2), 'a/b/d': names(3) }
    const got = (role: string) => starts({ ...reserved, frameworks: roles(role), roles: given }, many(role.replaceAll('/', '-')), four).map((start) => start.split('@')[1])
    expect(['a', 'a/b', 'a/b/c'].map(got)).toEqual([['0 x2'], ['0 x2', '1 x2'], ['0 x2', '1 x2', '2 x2']])
  })

  it('leave the guarantees of others as they are where they are more than the own one (QuotaHeadroomWhenReservationsExceedQuota)', () => {
    // a has twice its guarantee reserved, and c needs one of the open nodes: b has the other
    const roles = { a: { ...names(0), guarantee: { cpu: 1 } }, c: { guarantee: { cpu: 2 } } }
    expect(starts({ ...reserved, roles }, many('b'), nodes({ cpu: 2 }, { cpu: 2 }, { cpu: 2 })).map((start) => start.slice(-2))).toEqual(['x2'])
  })

  it('may be racks, or a part of the nodes', () => {
    const cluster = { nodes: [{ name: 'n', count: 4, racks: 2, resources: { cpu: 2 } }] }
    const of = (given: NonNullable<TwoLevelOptions['roles']>[string]) => starts({ ...reserved, roles: { a: given } }, many('b'), cluster).map((start) => start.slice(0, 3))
    expect([of({ reserved: { fraction: 0.25 } }), of({ reserved: { groups: ['n-rack0'] } })]).toEqual([['b@1', 'b@2', 'b@3'], ['b@2', 'b@3']])
  })

  it('are so in any small world: no task of others is on them, their role has no more beside them than its limit leaves, and all jobs end', { tags: 'long' }, () => {
    const demand = fc.record({ cpu: fc.integer({ min: 1, max: 3 }), mem: fc.integer({ min: 0, max: 4 }) })
    const jobs = fc.array(fc.record({ demand, tasks: fc.integer({ min: 1, max: 6 }), duration: fc.integer({ min: 1, max: 20 }), submit: fc.integer({ min: 0, max: 40 }) }), { maxLength: 8 })
    const node = fc.record({ cpu: fc.integer({ min: 3, max: 6 }), mem: fc.integer({ min: 4, max: 8 }) })
    fc.assert(
      fc.property(fc.array(node, { minLength: 2, maxLength: 4 }), jobs, fc.integer({ min: 3, max: 9 }), fc.constantFrom(0, 5), (each, drawn, most, refuseSeconds) => {
        const specs = drawn.map((change, i) => cpuJob(`j${i}`, { ...change, class: i % 2 === 0 ? 'a' : 'b' })).sort((x, y) => x.submit - y.submit)
        const given = { a: { ...names(0), limit: { cpu: most } } }
        const { recorder } = play(twoLevel({ ...now, ...reserved, roles: given, refuseSeconds, abandonAfter: false, abandonUnplacedAfter: false }), specs, { cluster: nodes(...each) })
        expect(Object.keys(recorder.finishes()).length).toBe(specs.length)
        let beside = 0
        for (const event of recorder.events) {
          if (event.kind !== 'launch' && event.kind !== 'end') continue
          const { class: of, stages } = specs.find(({ id }) => id === event.job) as JobSpec
          if (of === 'b') expect(event.node).not.toBe('node0-0')
          else if (event.node !== 'node0-0') beside += (event.kind === 'launch' ? 1 : -1) * (stages[0]?.demand['cpu'] as number)
          expect(beside).toBeLessThanOrEqual(Math.max(0, most - (each[0]?.cpu ?? 0)))
        }
      }),
      { seed: 6, numRuns: 100 },
    )
  })

  it('refuse a job that has room on none of the others', () => {
    const big = (role: string) => () => starts({ ...reserved, roles: { a: names(0) } }, [endless('big', role, { demand: { cpu: 4 } })], nodes({ cpu: 4 }, { cpu: 2 }))
    expect(big('a')()).toEqual(['big@0 x1'])
    expect(big('b')).toThrow('job big asks {"cpu":4}, and framework "b" is offered no nodes that are reserved for other roles: the others have no room for that. Reserve fewer, or some for its role.')
    const most = (guarantee: number) => () => starts({ ...reserved, roles: { a: names(0), c: { guarantee: { cpu: guarantee } } } }, [endless('wide', 'b', { tasks: 5, gang: true })], four)
    expect(most(1)()).toEqual(['wide@1 x2', 'wide@2 x2', 'wide@3 x1'])
    expect(most(2)).toThrow('job wide asks 5 cpu at once, and 4 is the most that role "b" can be offered beside what is guaranteed to others')
  })

  it.each([
    ['two roles', { a: names(0), b: names(0) }, 'roles.b.reserved: node node0-0 is in both "a" and "b". A node is reserved for one role.'],
    ['no node', { a: names(9) }, 'no node is called "node9-0"'],
    ['more guarantees than what is left can meet', { a: names(0, 1, 2), b: { guarantee: { cpu: 3 } } }, 'roles are guaranteed 3 cpu together beside what is reserved for them, and the cluster has 2 that are not reserved'],
  ] as const)('are refused of %s', (_, given, message) => {
    expect(() => starts({ ...reserved, roles: given }, [], four)).toThrow(message)
  })
})
