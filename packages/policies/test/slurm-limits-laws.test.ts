// @module-tag long
import { dispatcher } from '@sched/cluster'
import { conservative, easy, fattened, fifo, greedy, replan, slurmLimits, strict, type SlurmLimitsOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const PROCS = 8
interface Asked {
  readonly user: string
  readonly account: string
  readonly qos: string
  readonly procs: number
  readonly isGang: boolean
}
interface Step {
  readonly come: readonly Asked[]
  /** Which of the running jobs ends. */
  readonly end: number
}
type Known = Asked & { readonly id: string }

const count = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })
const amount = fc.option(fc.integer({ min: 3, max: 8 }).map((cpu) => ({ cpu })), { nil: undefined })
const given = <T extends object>(record: T) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
const qos = fc.record({ GrpJobs: count, MaxJobsPerUser: count, MaxJobsPerAccount: count, GrpTRES: amount, MaxTRESPerUser: amount, MaxTRESPerAccount: amount }).map(given)
const association = fc.record({ GrpJobs: count, MaxJobs: count, GrpTRES: amount }).map(given)
const limits = fc.record({ normal: qos, high: qos, part: qos, root: association, a: association, b: association, ann: association, bob: association, isPart: fc.boolean() }).map(
  ({ normal, high, part, root, a, b, ann, bob, isPart }): SlurmLimitsOptions => ({
    qos: { normal, high, part },
    accounts: { root, a: { ...a, users: { ann, bob }, accounts: { b: { ...b, users: { ann: bob } } } } },
    partitions: isPart ? { main: { QOS: 'part' } } : {},
  }),
)
const asked = fc.record({ user: fc.constantFrom('ann', 'bob'), account: fc.constantFrom('a', 'b'), qos: fc.constantFrom('', 'high'), procs: fc.integer({ min: 1, max: 3 }), isGang: fc.boolean() })
const steps = fc.array(fc.record({ come: fc.array(asked, { maxLength: 4 }), end: fc.nat() }), { minLength: 2, maxLength: 12 })

/**
 * Whether limits let a job start beside those that run, by the words of Slurm's documentation, counted anew: QOS of the partition, QOS of
 * the job, user, accounts up to the root, of each kind the first that has it.
 */
function mayStart(next: Known, running: readonly Known[], options: SlurmLimitsOptions): boolean {
  type Limits = Readonly<Record<string, unknown>>
  const all = options.qos as Readonly<Record<string, Limits>>
  const partition = options.partitions?.['main']?.QOS
  const own = next.qos === '' ? 'normal' : next.qos
  const levels = [...(partition === undefined ? [] : [partition]), own]
  const isOf = (name: string) => ({ qos: mine }: Known) => (name === 'part' ? true : (mine === '' ? 'normal' : mine) === name)
  const cpus = (jobs: readonly Known[]) => jobs.reduce((sum, { procs }) => sum + procs, 0)
  const isFull = (jobs: readonly Known[], most: unknown, cpu: unknown) => (most !== undefined && jobs.length >= (most as number)) || (cpu !== undefined && cpus(jobs) + next.procs > (cpu as { cpu: number }).cpu)
  const kinds: readonly [string, string | undefined, (other: Known) => boolean][] = [
    ['GrpJobs', 'GrpTRES', () => true], ['MaxJobsPerUser', 'MaxTRESPerUser', ({ user }) => user === next.user], ['MaxJobsPerAccount', 'MaxTRESPerAccount', ({ account }) => account === next.account],
  ]
  for (const [jobs, tres, same] of kinds) {
    const first = (kind: string | undefined) => levels.find((name) => kind !== undefined && all[name]?.[kind] !== undefined)
    for (const [kind, at] of [[jobs, 0], [tres, 1]] as const) {
      const level = first(kind)
      if (level !== undefined && isFull(running.filter(isOf(level)).filter(same), at === 0 ? all[level]?.[kind] : undefined, at === 1 ? all[level]?.[kind as string] : undefined)) return false
    }
  }
  const has = (...names: string[]) => names.some((kind) => levels.some((name) => all[name]?.[kind] !== undefined))
  const { root, a } = options.accounts as { root: Limits; a: Limits & { users: Record<string, Limits>; accounts: { b: Limits & { users: Record<string, Limits> } } } }
  const accounts = next.account === 'a' ? [a, root] : [a.accounts.b, a, root]
  const user = accounts[0] === root ? {} : ((accounts[0] as typeof a).users[next.user] ?? {})
  const chain: readonly [Limits, (other: Known) => boolean][] = [
    [user, (other) => other.user === next.user && other.account === next.account],
    ...accounts.map((each): [Limits, (other: Known) => boolean] => [each, (other) => each !== a.accounts.b || other.account === 'b']),
  ]
  const maxJobs = chain.map(([{ MaxJobs }]) => MaxJobs).find((most) => most !== undefined)
  if (!has('MaxJobsPerUser', 'MaxJobsPerAccount') && isFull(running.filter((chain[0] as (typeof chain)[number])[1]), maxJobs, undefined)) return false
  return chain.every(([{ GrpJobs, GrpTRES }, same]) => !isFull(running.filter(same), has('GrpJobs') ? undefined : GrpJobs, has('GrpTRES') ? undefined : GrpTRES))
}

/** Plays the steps; `see` is told after every pass of who started, who runs and who waits. */
function play(script: readonly Step[], options: SlurmLimitsOptions, policy: Parameters<typeof slurmLimits>[0], see: (started: string[], before: readonly Known[], waiting: readonly Known[]) => void): void {
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { procs: PROCS } }] }), policy: slurmLimits(policy, options) })
  const tasks = new Map<string, ReturnType<typeof master.pass>['start'][number][]>()
  let running: Known[] = []
  let waiting: Known[] = []
  let n = 0
  for (const [now, { come, end }] of script.entries()) {
    const ended = running[end % Math.max(1, running.length)]
    for (const task of (ended && tasks.get(ended.id)) ?? []) master.taskEnded(task, now)
    running = running.filter((each) => each !== ended)
    for (const each of come) {
      const id = `J${n++}`
      const { procs, isGang, ...whose } = each
      master.submit(job({ ...whose, id, queue: 'main', estimate: 10 + (n % 3), demand: { procs: isGang ? 1 : procs }, tasks: isGang ? procs : 1, ...(isGang && { gang: true }) }), now)
      waiting.push({ ...each, id })
    }
    const { start } = master.pass(now)
    for (const task of start) tasks.set(task.job, [...(tasks.get(task.job) ?? []), task])
    const started = [...new Set(start.map((task) => task.job))]
    see(started, running, waiting)
    running = [...running, ...waiting.filter(({ id }) => started.includes(id))]
    waiting = waiting.filter(({ id }) => !started.includes(id))
  }
}

const fits = (next: Known, running: readonly Known[]) => running.reduce((sum, { procs }) => sum + procs, 0) + next.procs <= PROCS

describe("Slurm's limits on random worlds", () => {
  it('start what a plain reading of the rules starts, job by job, where the first that may and fits goes next', () => {
    fc.assert(
      fc.property(steps, limits, (script, options) => {
        play(script, options, greedy(fifo()), (started, before, waiting) => {
          const running = [...before]
          for (const each of waiting) if (fits(each, running) && mayStart(each, running, options)) running.push(each)
          expect(started).toEqual(running.slice(before.length).map(({ id }) => id))
        })
      }),
      { seed: 41, numRuns: 200 },
    )
  })

  it('of what jobs cost hold as those of the processors that it is for', () => {
    const cost = (text: string): SlurmLimitsOptions => JSON.parse(text.replaceAll(/\{"cpu":(\d)\}/g, (_, cpu: string) => `{"billing":${3 * Number(cpu) + 2}}`)) as SlurmLimitsOptions
    fc.assert(
      fc.property(steps, limits, fc.constantFrom(greedy(fifo()), conservative(), replan(fifo(), { twoPass: true })), (script, options, policy) => {
        const starts = (given: SlurmLimitsOptions) => {
          const all: string[][] = []
          play(script, given, policy, (started) => all.push(started))
          return all
        }
        expect(starts({ ...cost(JSON.stringify(options)), billing: { procs: 3 } })).toEqual(starts(options))
      }),
      { seed: 43, numRuns: 150 },
    )
  })

  // conservative backfilling keeps the starts of later jobs, so that there it is the only one that may
  it.each(Object.entries({ strict: strict(), easy: easy(), 'easy 3': easy(fifo(), { reservations: 3 }), conservative: conservative(), fattened: fattened(), replan: replan(), 'two passes': replan(fifo(), { twoPass: true }) }))(
    'are never exceeded under %s, and the first job that may start does as soon as it fits', (name, policy) => {
      const keeps = name === 'conservative'
      fc.assert(
        fc.property(steps, limits, (script, options) => {
          play(script, options, policy, (started, before, waiting) => {
            const running = [...before]
            for (const id of started) {
              const next = waiting.find((each) => each.id === id) as Known
              expect(mayStart(next, running, options) && fits(next, running)).toBe(true)
              running.push(next)
            }
            const [first, ...others] = waiting.filter((each) => !started.includes(each.id) && mayStart(each, running, options))
            if (first !== undefined && !(keeps && others.length > 0)) expect(fits(first, running)).toBe(false)
          })
        }),
        { seed: 42, numRuns: 60 },
      )
    },
  )

  it.each(Object.entries({ easy: easy(), 'easy 2': easy(fifo(), { reservations: 2 }), fattened: fattened() }))('who is held back by a limit since one behind it started keeps nothing under %s', (_, policy) => {
    // at 1 s J4 waits for 6 of 8 processors, J5 starts as the second of `high`, and J4 may not start any more: J6, which it would have kept from its 2, goes at once
    const of = (qos: string, procs: number): Asked => ({ user: 'ann', account: 'a', qos, procs, isGang: false })
    const script: Step[] = [{ come: [of('', 3), of('high', 1), of('', 2), of('', 1)], end: 0 }, { come: [of('high', 6), of('high', 1), of('', 2)], end: 2 }]
    const all: string[][] = []
    play(script, { qos: { high: { GrpJobs: 2 } } }, policy, (started) => all.push(started))
    expect(all).toEqual([['J0', 'J1', 'J2', 'J3'], ['J5', 'J6']])
  })
})
