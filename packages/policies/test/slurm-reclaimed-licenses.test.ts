import { randomStream, Reason, type JobSpec, type Plug } from '@sched/core'
import { easy, greedy, multifactor, pbsPreempting, replan, slurmLimits, slurmPreempting, strict, type SlurmPreemptingOptions } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

const tiers = { high: 2 }
const licenses = { fluent: 2 }
const jobOf = (id: string, queue: string, submit: number, cpu: number, fluent: number, duration = 100): JobSpec => job({ id, queue, submit, demand: { cpu }, duration, estimate: duration, licenses: { fluent } })
/** From when to when each runs, piece by piece, on one node of 8 processors. */
const played = (jobs: readonly JobSpec[], policy: Plug<'policy'>, cpus = 8) => {
  const { recorder } = run({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: cpus } }] }), jobs, policy })
  const pieces: Record<string, string[]> = {}
  for (const { job: id, started, stopped } of recorder.ends) (pieces[id] ??= []).push(`${started} to ${stopped}`)
  return Object.fromEntries(Object.entries(pieces).map(([id, of]) => [id, of.join(', ')]))
}
const order = multifactor({ tiers })
const policies: readonly [string, () => Plug<'policy'>][] = [['strict', () => strict(order)], ['greedy', () => greedy(order)], ['replan', () => replan(order)], ['replan with named nodes', () => replan(order, { nodes: 'named', twoPass: true })]]

describe.each(policies)('slurm-preempting with licences around %s', (_, policy) => {
  const around = (options: SlurmPreemptingOptions = {}) => slurmPreempting(policy(), { tiers, licenses, ...options })
  const low = (id: string, submit: number, fluent: number, cpu = 1) => jobOf(id, 'low', submit, cpu, fluent)

  it('lets jobs take licences from those whom they may preempt (reclaim_licenses)', () => {
    const jobs = [low('a', 0, 1), low('b', 1, 1), low('c', 2, 0), jobOf('h', 'high', 5, 1, 1, 10)]
    // a comes before b, which start on one node each
    expect(played(jobs, around())).toEqual({ a: '0 to 5, 15 to 115', b: '1 to 101', c: '2 to 102', h: '5 to 15' })
    expect(played(jobs, around({ youngestFirst: true }))).toMatchObject({ a: '0 to 100', b: '1 to 5, 15 to 115' })
    expect(played(jobs, around({ mode: 'cancel' }))).toEqual({ a: '0 to 5', b: '1 to 101', c: '2 to 102', h: '5 to 15' })
    // without, a job waits for the first that is given back
    expect(played(jobs, slurmLimits(slurmPreempting(policy(), { tiers }), { licenses })).h).toBe('100 to 110')
  })

  it('takes room as well where that is missing, too, and nobody where it would not help', () => {
    const jobs = [low('a', 0, 2, 2), low('b', 1, 0, 4), jobOf('h', 'high', 5, 6, 1, 10)]
    expect(played(jobs, around())).toEqual({ a: '0 to 5, 15 to 115', b: '1 to 5, 15 to 115', h: '5 to 15' })
    const taken = [jobOf('own', 'high', 0, 1, 2, 30), low('b', 1, 0), jobOf('h', 'high', 5, 1, 1, 10)]
    expect(played(taken, around())).toEqual({ own: '0 to 30', b: '1 to 101', h: '30 to 40' })
  })

  it('keeps nobody else waiting, and refuses who asks for more than there are', () => {
    const jobs = [jobOf('a', 'high', 0, 1, 2, 30), low('b', 1, 1), low('c', 2, 0), jobOf('d', 'high', 3, 1, 3)]
    expect(played(jobs, around())).toEqual({ a: '0 to 30', b: '30 to 130', c: '2 to 102' })
  })
})

it('a job that waits for licences says so', () => {
  const reasons: unknown[] = []
  run({
    cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 8 } }] }),
    jobs: [jobOf('a', 'low', 0, 1, 2), jobOf('b', 'low', 5, 1, 1), jobOf('c', 'low', 5, 8, 0)],
    policy: slurmPreempting(greedy(order), { tiers, licenses }),
    observers: [{ onDefer: (id, _lane, reason, now, limit) => void (now === 5 && reasons.push([id, reason, limit])) }],
  })
  expect(reasons).toEqual(expect.arrayContaining([[1, Reason.Limit, 'Licenses of fluent']]))
  expect(reasons).not.toEqual(expect.arrayContaining([[2, Reason.Limit, 'Licenses of fluent']]))
})

it('licences are not taken from jobs that are suspended', () => {
  expect(() => played([], slurmPreempting(greedy(order), { tiers, licenses, modes: { low: 'suspend' } }))).toThrow('suspended jobs keep their licences')
})

it.each([
  ...policies.map(([name, policy]) => [`slurm-preempting around ${name}`, () => slurmPreempting(policy(), { tiers, licenses, requeueDelay: 3 })] as const),
  ['slurm-preempting around easy', () => slurmPreempting(easy(order), { tiers, licenses, mode: 'cancel' })],
  ['pbs-preempting that suspends', () => pbsPreempting(easy(order), { queues: { high: { Priority: 200 } }, resources_available: licenses })],
  ['pbs-preempting that requeues', () => pbsPreempting(strict(order), { queues: { high: { Priority: 200 } }, resources_available: { ...licenses, ncpus: 6 }, preempt_order: 'R' })],
] as const)('never are more licences held than there are, and all jobs end, under %s', (_, make) => {
  let preempted = 0
  for (let seed = 0; seed < 40; seed++) {
    const random = randomStream(seed, 'licences')
    const draw = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
    const jobs = Array.from({ length: 20 }, (_, i) => jobOf(`j${i}`, draw(0, 2) === 0 ? 'high' : 'low', draw(0, 60), draw(1, 4), draw(0, 2), draw(5, 40)))
    const { recorder } = run({ cluster: instantCluster({ nodes: [{ count: 2, resources: { cpu: 4 } }] }), jobs, policy: make() })
    const held = new Map(jobs.map(({ id, licenses: asked }) => [id, asked?.['fluent'] ?? 0]))
    for (const { started } of recorder.ends) {
      const sum = recorder.ends.filter((end) => end.started <= started && started < end.stopped).reduce((all, end) => all + (held.get(end.job) as number), 0)
      expect(sum).toBeLessThanOrEqual(licenses.fluent)
    }
    expect(new Set(recorder.ends.map((end) => end.job)).size).toBe(jobs.length)
    preempted += recorder.evictions.length
  }
  expect(preempted).toBeGreaterThan(20)
})
