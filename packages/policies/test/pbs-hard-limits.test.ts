import { Reason, type JobSpec } from '@sched/core'
import { easy, fifo, greedy, pbsLevels, pbsPreempting, strict, type PbsPreemptingOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entityLimits } from '../src/pbs/entity-limits.js'
import { softOf } from './soft-limits-of.js'

interface Asked {
  readonly queue?: string
  readonly user?: string
  readonly account?: string
  readonly submit?: number
  readonly ncpus?: number
  readonly mem?: number
  readonly tasks?: number
  readonly walltime?: number
  readonly licenses?: Readonly<Record<string, number>>
}

const express = { expressq: { Priority: 200 } }
const jobOf = (id: string, { queue = 'workq', user = 'ann', account, submit = 0, ncpus = 1, mem = 0, tasks = 1, walltime = 100, licenses }: Asked): JobSpec =>
  job({
    id, submit, queue, user, demand: { cpu: ncpus, ...(mem > 0 && { mem }) }, duration: walltime, estimate: walltime, tasks, ...(tasks > 1 && { gang: true }),
    ...(account !== undefined && { account }), ...(licenses !== undefined && { licenses }),
  })

/** From when to when each runs, piece by piece, on two nodes of 8 processors; and why jobs are refused or have to wait. */
function played(jobs: Readonly<Record<string, Asked>>, options: PbsPreemptingOptions, policy = greedy(pbsLevels(fifo(), softOf({ queues: { ...express, ...options.queues }, server: options.server ?? {} })))) {
  const [pieces, why]: [Record<string, Set<string>>, Set<string>] = [{}, new Set()]
  const { recorder } = run({
    cluster: instantCluster({ nodes: [{ count: 2, resources: { cpu: 8, mem: 4096 } }] }), jobs: Object.entries(jobs).map(([id, asked]) => jobOf(id, asked)),
    policy: pbsPreempting(policy, { ...options, queues: { ...express, ...options.queues } }), infeasible: 'reject',
    observers: [{ onReject: (_job, reason) => void why.add(reason), onDefer: (_job, _lane, reason, _now, limit) => void (reason === Reason.Limit && why.add(limit ?? '')) }],
  })
  for (const { job: id, started, stopped } of recorder.ends) (pieces[id] ??= new Set()).add(`${started} to ${stopped}`)
  return { ran: Object.fromEntries(Object.entries(pieces).map(([id, of]) => [id, [...of].join(', ')])), why: [...why] }
}

describe('hard limits of OpenPBS', () => {
  const high = (change: Asked = {}): Asked => ({ queue: 'expressq', submit: 5, walltime: 10, ...change })

  it('are refused where they would keep nobody waiting: the order alone knows none', () => {
    const server = { max_run: '[u:PBS_GENERIC=1]' }
    expect(() => played({ a: {} }, {}, greedy(pbsLevels(fifo(), { server } as object)))).toThrow('max_run')
  })

  it('are of processors also where the cluster calls them as PBS does', () => {
    const limited = (resource: string) => {
      const cluster = instantCluster({ nodes: [{ count: 2, resources: { [resource]: 8 } }] })
      const jobs = ['a', 'b', 'c'].map((id) => job({ id, submit: 0, user: 'ann', demand: { [resource]: 3 }, duration: 10 }))
      return run({ cluster, jobs, policy: pbsPreempting(greedy(fifo()), { preempt_prio: 'normal_jobs', server: { max_run_res: { ncpus: '[u:PBS_GENERIC=6]' } } }) }).recorder.ends.map(({ job: id, started }) => `${id} ${started}`)
    }
    expect(limited('ncpus')).toEqual(['a 0', 'b 0', 'c 10'])
    expect(limited('ncpus')).toEqual(limited('cpu'))
  })

  it('of a user keep his other jobs waiting, and a job of a higher level takes the place of one of his own', () => {
    const server = { max_run: '[u:PBS_GENERIC=1], [u:cy=2]' }
    expect(played({ a: {}, b: { walltime: 30 }, c: { user: 'cy' }, d: { user: 'cy' } }, { server })).toEqual({ ran: { a: '0 to 100', b: '100 to 130', c: '0 to 100', d: '0 to 100' }, why: ['max_run of server'] })
    // bob has started last, but his going would not help
    expect(played({ a: {}, b: { user: 'bob', submit: 1 }, high: high() }, { server }).ran).toEqual({ a: '0 to 5, 15 to 110', b: '1 to 101', high: '5 to 15' })
    expect(played({ a: {}, b: { user: 'bob', submit: 1 }, high: high({ user: 'bob' }) }, { server, preempt_order: 'R' }).ran).toEqual({ a: '0 to 100', b: '1 to 5, 15 to 115', high: '5 to 15' })
  })

  it('count what suspended jobs have asked for no more, and these go on under them', () => {
    // at 15 a comes before b, since it was suspended
    expect(played({ a: {}, high: high(), b: { submit: 6, walltime: 10 } }, { server: { max_run: '[u:ann=1]' } }).ran).toEqual({ a: '0 to 5, 15 to 110', high: '5 to 15', b: '110 to 120' })
  })

  it('of a queue are for jobs in it alone', () => {
    const queues = { workq: { max_run: '[o:PBS_ALL=1]' }, expressq: { Priority: 200, max_run: '[o:PBS_ALL=1]' } }
    const jobs = { a: { walltime: 20 }, b: { user: 'bob', walltime: 20 }, other: { queue: 'otherq', walltime: 20 }, high: high(), higher: high({ submit: 6 }) }
    expect(played(jobs, { queues })).toEqual({ ran: { a: '0 to 20', b: '20 to 40', other: '0 to 20', high: '5 to 15', higher: '15 to 25' }, why: ['max_run of queues.workq', 'max_run of queues.expressq'] })
  })

  it('of amounts count those of all jobs of a group, licences and memory, too', () => {
    const server = { max_run_res: { ncpus: '[g:physics=6]', mem: '[g:PBS_GENERIC=2gb]', foo: '[o:PBS_ALL=1]' } }
    const of = (account: string, change: Asked): Asked => ({ account, walltime: 20, ...change })
    const jobs = {
      a: of('physics', { ncpus: 4 }), b: of('physics', { user: 'bob', ncpus: 3 }), c: of('physics', { ncpus: 2, licenses: { foo: 1 } }), d: of('math', { ncpus: 3, licenses: { foo: 1 } }),
      e: of('math', { mem: 1500 }), f: of('math', { mem: 549 }), g: of('math', { mem: 548 }),
    }
    expect(played(jobs, { server })).toEqual({
      ran: { a: '0 to 20', b: '20 to 40', c: '0 to 20', d: '20 to 40', e: '0 to 20', f: '20 to 40', g: '0 to 20' },
      why: ['max_run_res.ncpus of server', 'max_run_res.foo of server', 'max_run_res.mem of server'],
    })
    // c takes the place of who has the licence, and not of who has started last
    expect(played({ c: { licenses: { foo: 1 }, user: 'bob' }, d: { submit: 1, user: 'bob' }, high: high({ licenses: { foo: 1 } }) }, { server }).ran).toEqual({ c: '0 to 5, 15 to 110', d: '1 to 101', high: '5 to 15' })
  })

  it('are asked for all tasks of a gang together, and refuse who would be over one by himself', () => {
    const server = { max_run_res: { ncpus: '[u:ann=6]' } }
    const found = played({ a: { ncpus: 2, tasks: 3, walltime: 10 }, b: { ncpus: 2, tasks: 4 }, c: { ncpus: 7 }, d: { ncpus: 2, tasks: 4, user: 'bob', walltime: 10 }, e: { submit: 1, walltime: 10 } }, { server })
    expect(found).toEqual({ ran: { a: '0 to 10', d: '0 to 10', e: '10 to 20' }, why: [
      'max_run_res.ncpus of server is 6 and it asks for 8', 'max_run_res.ncpus of server is 6 and it asks for 7', 'max_run_res.ncpus of server',
    ] })
    expect(played({ a: {}, b: { queue: 'closed' } }, { queues: { closed: { max_run: '[o:PBS_ALL=0]' } } })).toEqual({ ran: { a: '0 to 100' }, why: ['max_run of queues.closed is 0 and it asks for 1'] })
  })

  it.each([['strict', strict()], ['easy', easy()]])('keep jobs from starting under %s', (_, policy) => {
    expect(played({ a: { walltime: 20 }, b: { walltime: 20 } }, { server: { max_run: '[u:ann=1]' } }, policy).ran).toEqual({ a: '0 to 20', b: '20 to 40' })
  })
})

describe('jobs of an array', () => {
  it('run as many at once as max_run_subjobs allows, and preempt nobody beyond it (test_max_run_subjobs_preemption)', () => {
    const order = pbsLevels(fifo(), { queues: express })
    for (const policy of [greedy(order), strict(order), easy(order)]) {
      const why = new Set<string>()
      const { recorder } = run({
        cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 8, mem: 1 } }] }), policy: pbsPreempting(policy, { queues: express }),
        observers: [{ onDefer: (_job, _lane, reason, _now, limit) => void (reason === Reason.Limit && why.add(limit ?? '')) }],
        jobs: [jobOf('low', { ncpus: 2, walltime: 50 }), ...Array.from({ length: 7 }, (_, i) => ({ ...jobOf(`array[${i}]`, { queue: 'expressq', submit: 1, ncpus: 2, walltime: 10 }), array: 'array', arrayThrottle: 3 }))],
      })
      expect(recorder.ends.map(({ job: id, started }) => [id, started])).toEqual([[0, 1], [1, 1], [2, 1], [3, 11], [4, 11], [5, 11], [6, 21]].map(([i, at]) => [`array[${i}]`, at]).concat([['low', 0]]))
      expect([...why]).toEqual(['max_run_subjobs'])
    }
  })
})

describe('limits as qmgr takes them', () => {
  const kinds = fc.constantFrom('u', 'g', 'p', 'o')
  const names = fc.constantFrom('ann', 'bob', 'a-b.c', 'constructor', '1', 'PBS_GENERIC')
  const units = fc.constantFrom(...Object.entries({ '': 0n, b: 1n, kb: 1024n, mb: 1024n ** 2n, GB: 1024n ** 3n, k: 1024n, M: 1024n ** 2n, w: 8n, kw: 8192n, mw: 8n * 1024n ** 2n }))
  const limits = fc.array(fc.record({ kind: kinds, name: names, amount: fc.nat({ max: 10_000 }), unit: units, quoted: fc.boolean(), blank: fc.constantFrom('', ' ') }), { minLength: 1, maxLength: 5 })

  it('are of those who are named, else of PBS_GENERIC, the last of several; sizes are bytes or words', () => {
    fc.assert(fc.property(limits, fc.boolean(), (all, isMemory) => {
      const text = all.map(({ kind, name, amount, unit: [unit], quoted, blank }) => `[${kind}:${quoted ? `"${name}"` : name}${blank}=${blank}${amount}${unit}]`).join(', ')
      const found = entityLimits(text, 'x', isMemory)
      const of = (kind: string, name: string) => all.filter((each) => (each.kind === 'o' ? kind === 'o' : (each.kind === 'u') === (kind === 'u') && kind !== 'o' && each.name === name)).at(-1)
      for (const kind of ['u', 'g', 'o'] as const)
        for (const name of ['ann', 'bob', 'a-b.c', 'constructor', '1', 'nobody']) {
          const limit = of(kind, name) ?? of(kind, 'PBS_GENERIC')
          const bytes = limit === undefined ? 0n : limit.unit[1] === 0n ? 1n : limit.unit[1]
          const isSize = limit !== undefined && (isMemory || limit.unit[1] > 0n)
          expect([text, kind, name, found.of(kind, name)]).toEqual([text, kind, name, limit === undefined ? Infinity : isSize ? Number(BigInt(limit.amount) * bytes) / 2 ** 20 : limit.amount])
        }
    }), { seed: 3, numRuns: 1000 })
  })

  it.each(['', 'u:ann=2', '[u:ann]', '[x:ann=2]', '[u:ann=-1]', '[u:ann=2q]', '[u:=2]', '[u:ann=2] and', '[u:ann=2'])('are not %j', (text) => {
    expect(() => entityLimits(text, 'x')).toThrow('found the limit')
  })
})
