import type { JobSpec, Observer } from '@sched/core'
import { fifo, replan, type ReplanOptions } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startsOf } from './machine.js'

const MINUTE = 60
const spec = (id: string, user: string, queue: string, tasks: number, minutes: number, submit = 0): JobSpec =>
  ({ id, user, queue, submit, estimate: minutes * MINUTE, stages: [{ name: 'job', tasks, gang: true, demand: { procs: 1 }, duration: minutes * MINUTE }] })
const OWN: ReplanOptions = { nodes: 'named', exclusiveUsers: ['own'] }
const starts = (specs: readonly JobSpec[], options: ReplanOptions = OWN, nodes = 2) => Object.fromEntries(startsOf(specs, [4], replan(fifo(), options), { nodes }))

describe('users that share no node', () => {
  it('are on nodes where nobody else runs, as jobs of a queue that says so', () => {
    // ann is on node 0, and bob's job of 4 tasks on node 1
    const specs = [spec('A', 'ann', 'own', 1, 10), spec('A2', 'ann', 'own', 1, 5, 1), spec('B', 'bob', 'own', 4, 5, 2), spec('C', 'cyd', 'own', 1, 5, 3)]
    expect(starts(specs)).toEqual({ A: 0, A2: 1, B: 2, C: 302 })
    expect(starts(specs, { nodes: 'named' })).toMatchObject({ C: 3 })
  })

  it('keep jobs of other queues off, whoever came first, and share with those of their own user there', () => {
    const late = (user: string, queue: string) => starts([spec('A', 'ann', 'own', 1, 10), spec('X', 'ann', 'any', 4, 10, 1), spec('L', user, queue, 1, 5, 2)])['L']
    expect([late('bob', 'any'), late('ann', 'any'), late('ann', 'own')]).toEqual([600, 2, 2])
    const first = (queue: string) => starts([spec('X', 'ann', 'any', 4, 10), spec('A', 'ann', 'any', 1, 10, 1), spec('L', 'bob', queue, 1, 5, 2)])['L']
    expect([first('any'), first('own')]).toEqual([2, 600])
  })

  it('get no place between others that are mixed, and one as soon as the last of them has ended', () => {
    // on node 1 bob ends at 5 min and cyd at 8; node 0 is taken by four tasks until 10 min
    const specs = [spec('X', 'ann', 'any', 4, 10), spec('B', 'bob', 'any', 1, 5, 1), spec('C', 'cyd', 'any', 1, 8, 2), spec('L', 'bob', 'own', 1, 5, 3)]
    expect(starts(specs)).toMatchObject({ B: 1, C: 2, L: 482 })
  })

  it('have reservations for then: a job that would be in the way waits', () => {
    // L is to have node 1 from 482 s on; S of 20 min would be there, and the shorter T is not
    const specs = [spec('X', 'ann', 'any', 4, 30), spec('C', 'cyd', 'any', 1, 8, 2), spec('L', 'bob', 'own', 1, 5, 3), spec('S', 'cyd', 'any', 1, 20, 4), spec('T', 'cyd', 'any', 1, 6, 5)]
    expect(starts(specs)).toEqual({ X: 0, C: 2, L: 482, S: 782, T: 5 })
  })

  it('are kept apart by single jobs that say so, as by a queue of such jobs', () => {
    const own = (each: JobSpec): JobSpec => (each.queue === 'own' ? { ...each, queue: 'any', exclusive: 'user' } : each)
    const specs = [spec('X', 'ann', 'any', 4, 10), spec('B', 'bob', 'any', 1, 5, 1), spec('C', 'cyd', 'any', 1, 8, 2), spec('L', 'bob', 'own', 1, 5, 3), spec('N', 'cyd', 'any', 1, 5, 482)]
    expect(starts(specs)).toEqual({ X: 0, B: 1, C: 2, L: 482, N: 600 })
    expect(starts(specs.map(own), { nodes: 'named' })).toEqual(starts(specs))
    expect(starts(specs.map((each) => ({ ...each, queue: 'any' })), { nodes: 'named' })).toMatchObject({ L: 3 })
  })

  it('are never beside others, on any queue', { tags: 'long' }, () => {
    const job = fc.record({ user: fc.constantFrom('ann', 'bob', 'cyd'), queue: fc.constantFrom('own', 'any'), tasks: fc.integer({ min: 1, max: 6 }), minutes: fc.integer({ min: 1, max: 9 }), submit: fc.integer({ min: 0, max: 600 }) })
    fc.assert(fc.property(fc.array(job, { minLength: 1, maxLength: 12 }), fc.boolean(), (all, twoPass) => {
      const specs = all.sort((a, b) => a.submit - b.submit).map(({ user, queue, tasks, minutes, submit }, i) => spec(`J${i}`, user, queue, tasks, minutes, submit))
      const alone = specs.map((each): JobSpec => (each.queue === 'own' ? { ...each, exclusive: 'user' } : each))
      const of: JobSpec[] = []
      const running = new Map<number, Map<number, JobSpec>>()
      const clashes: string[] = []
      const watch: Observer = {
        onSubmit: (id, each) => void (of[id] = each),
        onTaskStart: (task, id, _lane, node) => {
          const own = of[id] as JobSpec
          const there = running.get(node) ?? new Map<number, JobSpec>()
          running.set(node, there.set(task, own))
          for (const other of there.values()) if (other.user !== own.user && (other.queue === 'own' || own.queue === 'own')) clashes.push(`${other.id} ${own.id}`)
        },
        onTaskEnd: (task) => void [...running.values()].forEach((there) => there.delete(task)),
      }
      const found = startsOf(specs, [4], replan(fifo(), { ...OWN, twoPass }), { nodes: 3, observers: [watch] })
      expect([clashes, found.size]).toEqual([[], specs.length])
      expect(startsOf(alone, [4], replan(fifo(), { nodes: 'named', twoPass }), { nodes: 3 })).toEqual(found)
    }))
  })

  it('are of nodes, and not of amounts', () => {
    expect(() => starts([spec('A', 'ann', 'own', 1, 1)], { exclusiveUsers: ['own'] })).toThrow('users have nodes of their own, but reservations are of amounts.')
  })
})
