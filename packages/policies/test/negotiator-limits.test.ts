import { dispatcher, type Dispatcher, type Placed } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { negotiator, type NegotiatorOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

describe('concurrency limits of the negotiator', () => {
  const nodes = (count: number) => instantCluster({ nodes: [{ count, resources: { cpu: 1 } }] })
  const one = (id: string, submit: number, licenses: Record<string, number> = {}, more: Partial<JobSpec> & { duration?: number } = {}) =>
    job({ id, user: id.slice(0, 3), submit, tasks: 1, demand: { cpu: 1 }, duration: more.duration ?? 100, licenses, ...more })
  const ran = (options: NegotiatorOptions, jobs: readonly JobSpec[], count = 9) => run({ policy: negotiator(options), jobs, cluster: nodes(count) }).recorder
  const starts = (...args: Parameters<typeof ran>) => ran(...args).launches.map(({ job: id, time }) => `${id} ${time}`)

  it('lets no more start than a limit allows, whoever asks', () => {
    const jobs = [one('ann0', 0, { xsw: 2 }), one('ann1', 0, { xsw: 1 }), one('bob0', 0, { xsw: 1 }), one('bob1', 0)]
    // 2 of 3 for Ann's first job and 1 for her second; Bob's first waits for the cycle of 120 after those have ended at 100
    expect(starts({ CONCURRENCY_LIMIT: { xsw: 3 } }, jobs)).toEqual(['ann0 0', 'ann1 0', 'bob1 0', 'bob0 120'])
    expect(starts({ CONCURRENCY_LIMIT: { xsw: 4 } }, jobs)).toEqual(['ann0 0', 'ann1 0', 'bob0 0', 'bob1 0'])
    expect(starts({}, jobs)).toHaveLength(4)
  })

  it('passes over a job that a limit holds, not the others of its user', () => {
    const jobs = [one('ann0', 0, { xsw: 1 }), one('ann1', 0, { xsw: 1 }), one('ann2', 0)]
    expect(starts({ CONCURRENCY_LIMIT: { xsw: 1 }, CLAIM_WORKLIFE: 0 }, jobs)).toEqual(['ann0 0', 'ann2 0', 'ann1 120'])
  })

  it('uses a claim again only for the same limits', () => {
    const jobs = [one('ann0', 0, { xsw: 1 }, { duration: 90 }), one('ann1', 1), one('ann2', 1, { XSW: 1 }, { duration: 90 })]
    expect(starts({ CONCURRENCY_LIMIT: { xsw: 1 } }, jobs, 1)).toEqual(['ann0 0', 'ann2 90', 'ann1 200']) // the cycles are at 20, 80, 140 and 200
  })

  it('knows names in capitals, and defaults of all and of what stands before a dot', () => {
    const two = (name: string) => [one('ann0', 0, { [name]: 1 }), one('bob0', 0, { [name.toLowerCase()]: 1 })]
    const waits = (options: NegotiatorOptions, name: string) => starts(options, two(name)).includes('bob0 120')
    expect([waits({ CONCURRENCY_LIMIT: { MatLab: 1 } }, 'MATLAB'), waits({ CONCURRENCY_LIMIT: { other: 1 } }, 'matlab')]).toEqual([true, false])
    expect([waits({ CONCURRENCY_LIMIT_DEFAULT: 1 }, 'any'), waits({ CONCURRENCY_LIMIT_DEFAULT: 1, CONCURRENCY_LIMIT: { any: 2 } }, 'any')]).toEqual([true, false])
    expect(() => waits({ CONCURRENCY_LIMIT: { any: 1, ANY: 2 } }, 'any')).toThrow('CONCURRENCY_LIMIT names "ANY" twice, with other capitals, which do not matter.')
    const scoped = { CONCURRENCY_LIMIT_DEFAULTS: { large: 1 } }
    expect([waits(scoped, 'large.light'), waits(scoped, 'large'), waits({ ...scoped, CONCURRENCY_LIMIT: { 'large.light': 2 } }, 'large.light')]).toEqual([true, false, false])
  })

  it('counts a job of several tasks once, as long as any of them runs', () => {
    const wide = job({ id: 'ann0', user: 'ann', submit: 0, tasks: 3, demand: { cpu: 1 }, duration: [100, 100, 300], licenses: { xsw: 1 } })
    expect(starts({ CONCURRENCY_LIMIT: { xsw: 1 } }, [wide, one('bob0', 0, { xsw: 1 })])).toEqual(['ann0 0', 'ann0 0', 'ann0 0', 'bob0 300'])
    // a job of her own gets the claim of the last task, not those of the first two
    expect(starts({ CONCURRENCY_LIMIT: { xsw: 1 } }, [wide, one('ann1', 1, { xsw: 1 })])[3]).toBe('ann1 300')
  })

  it('is not told twice of what a job holds that had to go', () => {
    const jobs = [one('ann0', 0, { xsw: 1 }, { duration: 1000 }), one('bob0', 100, { xsw: 1 }), one('bob1', 100)]
    // the limit is looked at before anybody has to go, so Bob's first job cannot have Ann's place, and his second takes it
    expect(starts({ CONCURRENCY_LIMIT: { xsw: 1 }, PREEMPTION_REQUIREMENTS: { RemoteUserPrio: 1.2 }, PRIORITY_HALFLIFE: 1e9, PriorityFactor: { ann: 2000 } }, jobs, 1)).toEqual(['ann0 0', 'bob1 100', 'bob0 220', 'ann0 340'])
  })

  it('refuses jobs that ask for more than a limit, and says for which one others wait', () => {
    const { events } = ran({ CONCURRENCY_LIMIT: { xsw: 1 } }, [one('ann0', 0, { xsw: 2 })])
    expect(events.map(({ kind }) => kind)).toEqual(['reject'])
    const master = dispatcher({ explained: true, cluster: nodes(2), policy: negotiator({ CONCURRENCY_LIMIT: { xsw: 1 } }) })
    for (const id of ['ann0', 'ann1']) master.submit(one(id, 0, { xsw: 1 }), 0)
    expect(master.pass(0).start).toHaveLength(1)
    expect(master.explain('ann1')).toEqual({ tasks: 1, reason: 'queue limit', limit: 'concurrency limit xsw' })
  })

  it('knows the next cycle after a restart without memory, or begins one at once where some have passed in vain', () => {
    const begin = () => dispatcher({ explained: true, cluster: nodes(1), policy: negotiator() })
    const [first, second] = [one('ann0', 0, {}, { duration: 5000 }), one('bob0', 5)]
    const before = begin()
    before.submit(first, 0)
    const [running] = before.pass(0).start
    const restarted = () => {
      const after = begin()
      after.submit(first, 0, { again: true })
      after.adopt(running as Placed, 0)
      after.submit(second, 5, { again: true })
      return after
    }
    const looked = (master: Dispatcher, now: number) => [master.pass(now).start, master.explain('bob0')?.limit, master.nextWake]
    before.submit(second, 5)
    expect([looked(before, 7), looked(restarted(), 7)]).toEqual([[[], 'NEGOTIATOR_INTERVAL', 20], [[], 'NEGOTIATOR_INTERVAL', 20]])
    // nobody who has come new can know whether the cycle of 1000 was held: it looks once, and an interval later
    const after = restarted()
    expect([looked(after, 1003), looked(after, 1010), looked(after, 1063)]).toEqual([[[], undefined, 1063], [[], 'NEGOTIATOR_INTERVAL', 1063], [[], undefined, 1123]])
  })
})
