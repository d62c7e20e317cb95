import { dispatcher } from '@sched/cluster'
import type { JobSpec, Observer } from '@sched/core'
import { fifo, replan, type ReplanOptions } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startsOf } from './machine.js'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
type Of = Partial<Pick<JobSpec, 'user' | 'account' | 'qos' | 'queue' | 'reservation' | 'submit'>>
const spec = (id: string, tasks: number, minutes: number, of: Of = {}): JobSpec =>
  ({ id, submit: 0, estimate: minutes * MINUTE, ...of, stages: [{ name: 'job', tasks, gang: true, demand: { procs: 1 }, duration: minutes * MINUTE }] })
type Reservations = NonNullable<ReplanOptions['reservations']>
/** Nodes of 4 processors, `node-0` and so on. */
const run = (specs: readonly JobSpec[], reservations: Reservations, { observers, ...options }: ReplanOptions & { observers?: readonly Observer[] } = {}, nodes = 2) =>
  startsOf(specs, [4], replan(fifo(), { nodes: 'named', reservations, ...options }), { nodes, ...(observers && { observers }) })
const starts = (specs: readonly JobSpec[], reservations: Reservations, options: ReplanOptions = {}, nodes = 2) => Object.fromEntries(run(specs, reservations, options, nodes))
const SECOND = 'node-1'
const both = [false, true]

describe('reservations of nodes', () => {
  it.each(both)('keep off jobs that would still run when they begin, with twoPass %s', (twoPass) => {
    // L is on node 1; of the others 10 minutes end with the beginning of the reservation at 600 s, and 11 do not
    const all = [spec('L', 4, 60), spec('A', 4, 10), spec('B', 1, 11)]
    expect(starts(all, [{ name: 'r', from: 600, to: 1800, nodes: [SECOND] }], { twoPass })).toEqual({ L: 0, A: 0, B: 1800 })
    expect(starts(all, [], { twoPass })).toEqual({ L: 0, A: 0, B: 600 })
  })

  it.each(both)('have jobs that name them on their nodes alone, from their beginning on, also beyond their end, with twoPass %s', (twoPass) => {
    const r: Reservations = [{ name: 'r', from: 600, to: 1200, nodes: [SECOND] }]
    // X ends 5 minutes after the reservation; Y comes after that, and finds it over
    expect(starts([spec('X', 4, 15, { reservation: 'r' }), spec('A', 4, 5)], r, { twoPass })).toEqual({ X: 600, A: 0 })
    expect(starts([spec('X', 8, 5, { reservation: 'r' }), spec('A', 4, 5), spec('Z', 4, 5, { reservation: 'r', submit: 1300 })], r, { twoPass })).toEqual({ A: 0 })
  })

  it('come before all other jobs, whatever the order, and keep back at events only those of the same reservation', () => {
    const r: Reservations = [{ name: 'r', from: 0, to: 6000, nodes: [SECOND] }, { name: 's', from: 0, to: 6000, nodes: ['node-2'] }]
    // V fits only when Q has ended, and so W waits behind it; A is behind them in the queue of all, and not kept back
    const jobs = [spec('B', 4, 20), spec('A', 4, 20, { submit: 1 }), spec('Q', 3, 10, { reservation: 'r', submit: 1 }), spec('V', 2, 5, { reservation: 'r', submit: 2 }), spec('W', 1, 20, { reservation: 'r', submit: 2 }), spec('S', 1, 1, { reservation: 's', submit: 2 })]
    expect(starts(jobs, r, { twoPass: true, bf_interval: 10_000 }, 3)).toMatchObject({ B: 0, A: 1200, Q: 1, V: 601, W: 601, S: 2 })
    expect(starts([spec('L', 4, 10), spec('F', 4, 30, { submit: 1 }), spec('R', 4, 30, { submit: 2, reservation: 'all' })], [{ name: 'all', from: 0, to: 900, nodes: ['node-0'] }], {}, 1)).toMatchObject({ R: 2 })
  })

  it('keep back nobody at events by a job to which they leave too few nodes (ESLURM_RESERVATION_BUSY of Slurm)', () => {
    // of 30 minutes W would meet the reservation of node 1; of 10 it waits for F, and A for W
    const r: Reservations = [{ name: 'r', from: 1200, to: 2400, nodes: [SECOND] }]
    const jobs = (minutes: number) => [spec('F', 1, 10), spec('W', 8, minutes, { submit: 1 }), spec('A', 1, 1, { submit: 2 })]
    expect(starts(jobs(30), r, { twoPass: true, bf_interval: 10_000 })).toMatchObject({ F: 0, A: 2 })
    expect(starts(jobs(10), r, { twoPass: true, bf_interval: 10_000 })).toMatchObject({ F: 0, W: 600, A: 1200 })
  })

  it('may be used before, after and outside by jobs of one that is flexible, which have its nodes first', () => {
    const flex: Reservations = [{ name: 'r', from: 600, to: 1200, nodes: [SECOND], flex: true }]
    const on: string[] = []
    const observers: Observer[] = [{ onTaskStart: (_task, job, _lane, node) => void on.push(`${job} on ${node}`) }]
    run([spec('X', 1, 5, { reservation: 'r' }), spec('Y', 7, 5, { reservation: 'r' }), spec('N', 4, 5)], flex, { observers })
    expect(new Set(on)).toEqual(new Set(['0 on 1', '1 on 0', '1 on 1', '2 on 0']))
  })

  it('are not closed to each other where one is for maintenance or says so', () => {
    const of = (more: Partial<Reservations[number]>, other: Partial<Reservations[number]> = {}): Reservations =>
      [{ name: 'mine', from: 0, to: 3000, nodes: [SECOND], ...more }, { name: 'other', from: 600, to: 1200, nodes: 'all', ...other }]
    const start = (reservations: Reservations) => starts([spec('X', 1, 20, { reservation: 'mine' })], reservations)['X']
    expect([start(of({})), start(of({ maint: true })), start(of({ overlap: true })), start(of({ overlap: true }, { maint: true }))]).toEqual([1200, 0, 0, 1200])
  })

  it('come again', () => {
    const daily: Reservations = [{ name: 'r', from: 0, to: HOUR, every: DAY, nodes: 'all' }]
    const jobs = [spec('A', 1, 60, { submit: 10 }), spec('B', 1, 23 * 60 + 30, { submit: 10 }), spec('X', 1, 10, { reservation: 'r', submit: 2 * HOUR })]
    // B is too long for the time between two of them but by half an hour: it may not start at 3600 + 1 s; A may
    expect(starts(jobs.filter(({ id }) => id !== 'B'), daily)).toEqual({ A: HOUR, X: DAY })
    expect(starts([spec('B', 1, 22 * 60, { submit: 10 }), spec('C', 1, 23 * 60, { submit: 2 * HOUR + 1 })], daily)).toEqual({ B: HOUR, C: DAY + HOUR })
  })

  it('are for their users and accounts: others are refused', () => {
    const of = (more: Partial<Reservations[number]>, job: Of) => starts([spec('X', 1, 1, { reservation: 'r', ...job })], [{ name: 'r', from: 0, to: 600, nodes: 'all', ...more }])['X']
    expect(of({ users: ['ann'] }, { user: 'ann' })).toBe(0)
    expect(of({ users: ['ann'] }, { user: 'bob' })).toBeUndefined()
    expect(of({ users: ['-bob'] }, { user: 'ann' })).toBe(0)
    expect(of({ users: ['-bob'] }, { user: 'bob' })).toBeUndefined()
    expect(of({ users: ['ann'], accounts: ['physics'] }, { user: 'ann', account: 'physics' })).toBe(0)
    expect(of({ users: ['ann'], accounts: ['physics'] }, { user: 'ann', account: 'chemistry' })).toBeUndefined()
  })

  it('are all to be for a job that names several (_get_resv_list of Slurm), since it may run in any of them', () => {
    const r: Reservations = [{ name: 'r', from: 0, to: 600, nodes: ['node-0'], users: ['ann'] }, { name: 's', from: 0, to: 600, nodes: [SECOND], users: ['bob', 'eve'] }, { name: 't', from: 0, to: 600, nodes: [SECOND], users: ['ann', 'eve'] }]
    const start = (user: string, reservation: string) => starts([spec('X', 4, 1, { reservation, user })], r)['X']
    expect([start('ann', 'r,t'), start('ann', 'r,s'), start('bob', 'r,s'), start('ann', 'r,gone,t')]).toEqual([0, undefined, undefined, 0])
  })

  it('that are not there are told one by one', () => {
    const warnings: string[] = []
    const policy = replan(fifo(), { nodes: 'named', reservations: [{ name: 'r', from: 0, to: 600, nodes: [SECOND] }] })
    const master = dispatcher({ cluster: { nodes: [{ count: 2, resources: { procs: 4 } }] }, policy, warn: (text) => void warnings.push(text) })
    for (const job of [spec('X', 1, 1, { reservation: 'r' }), spec('Y', 1, 1, { reservation: 'r,gone' }), spec('Z', 1, 1, { reservation: 'lost,gone' })]) master.submit(job, 0)
    expect(warnings).toEqual([
      'job Y names reservation "gone", which is not among those of replan: it runs in the others that it names',
      ...['lost', 'gone'].map((name) => `job Z names reservation "${name}", which is not among those of replan: such jobs run outside of all reservations`),
    ])
  })

  it('are for their QOS, a job without one having normal (test_123_5 of Slurm)', () => {
    const of = (qos: readonly string[], job: Of) => starts([spec('X', 1, 1, { reservation: 'r', ...job })], [{ name: 'r', from: 0, to: 600, nodes: 'all', qos: [...qos] }])['X']
    expect([of(['own'], {}), of(['own'], { qos: 'normal' }), of(['own'], { qos: 'own' })]).toEqual([undefined, undefined, 0])
    expect([of(['normal'], {}), of(['-own'], { qos: 'own' }), of(['-own'], {})]).toEqual([0, undefined, 0])
  })

  it('are for jobs of their queues, of several in any of them (test_123_6 of Slurm)', () => {
    const partitions = ['p0', 'p1', 'p2']
    const of = (queues: readonly string[], asked: readonly string[]) => {
      const { stages: [stage], ...job } = spec('X', 1, 1, { reservation: 'r', queue: asked[0] as string })
      const alike = asked.map((each) => `partition:${each}|*`)
      const stages = [{ ...(stage as JobSpec['stages'][number]), ...(asked.length > 1 && { constraints: { alike } }) }]
      return starts([{ ...job, stages }], [{ name: 'r', from: 0, to: 600, nodes: 'all', queues: [...queues] }])['X']
    }
    const admitted = (queues: readonly string[]) => partitions.filter((each) => of(queues, [each]) === 0)
    expect([admitted(['p0']), admitted(['p0', 'p1']), admitted(['-p0']), admitted(['-p0', '-p1'])]).toEqual([['p0'], ['p0', 'p1'], ['p1', 'p2'], ['p2']])
    expect([of(['p0'], ['p0', 'p1']), of(['p0'], ['p2', 'p0']), of(['p0'], ['p1', 'p2'])]).toEqual([0, 0, undefined])
  })

  it('that a job names and nobody knows count as none', () => {
    expect(starts([spec('X', 1, 1, { reservation: 'gone' })], [{ name: 'r', from: 0, to: 600, nodes: ['node-0'] }])).toEqual({ X: 0 })
  })

  it('are never entered by others, on any queue', { tags: 'long' }, () => {
    const reservations: Reservations = [{ name: 'r', from: 300, to: 900, every: 1500, nodes: [SECOND] }, { name: 's', from: 600, to: 1500, nodes: ['node-2', SECOND] }]
    const job = fc.record({ tasks: fc.integer({ min: 1, max: 8 }), minutes: fc.integer({ min: 1, max: 9 }), submit: fc.integer({ min: 0, max: 1200 }), reservation: fc.constantFrom('', '', 'r', 's') })
    fc.assert(fc.property(fc.array(job, { minLength: 1, maxLength: 12 }), fc.boolean(), fc.constantFrom('linear' as const, 'cons_tres' as const), (all, twoPass, select) => {
      const specs = all.sort((a, b) => a.submit - b.submit).map(({ tasks, minutes, submit, reservation }, i) => spec(`J${i}`, reservation === '' ? tasks : Math.min(tasks, 4), minutes, { submit, ...(reservation !== '' && { reservation }) }))
      const of: JobSpec[] = []
      const bad: string[] = []
      const observer: Observer = {
        onSubmit: (id, each) => void (of[id] = each),
        onTaskStart: (_task, id, _lane, node, _level, now) => {
          const { id: name, reservation = '', estimate = 0 } = of[id] as JobSpec
          for (const { name: other, from, to, every = Infinity, nodes } of reservations as readonly { name: string; from: number; to: number; every?: number; nodes: readonly string[] }[])
            for (let shift = 0; shift <= 20 * HOUR; shift += every) {
              const isOn = nodes.includes(`node-${node}`)
              const isIn = now >= from + shift && now < to + shift
              if (other === reservation && isIn && isOn) return
              if (other !== reservation && isOn && now < to + shift && now + estimate > from + shift) bad.push(`${name} on ${node} at ${now}, against ${other}`)
            }
          if (reservation !== '') bad.push(`${name} on ${node} at ${now}, outside of ${reservation}`)
        },
      }
      startsOf(specs, [4], replan(fifo(), { nodes: 'named', reservations, twoPass, select }), { nodes: 3, observers: [observer] })
      expect(bad).toEqual([])
    }))
  })

  it('with any flags, beside windows, are entered only by those that may, and every other job runs in the end', { tags: 'long' }, () => {
    const flag = fc.constantFrom(false, false, false, true)
    const span = { from: fc.integer({ min: -600, max: 3000 }), length: fc.integer({ min: 1, max: 1200 }) }
    const reservation = fc.record({ name: fc.constantFrom('r', 's', 't'), ...span, nodes: fc.subarray(['node-0', SECOND, 'node-2'], { minLength: 1 }), flex: flag, maint: flag, overlap: flag }).map(({ length, ...rest }) => ({ ...rest, to: rest.from + length }))
    const window = fc.record(span).map(({ from, length }) => ({ from: Math.max(0, from), to: Math.max(0, from) + length, demand: 'all' as const }))
    const job = fc.record({ tasks: fc.integer({ min: 1, max: 12 }), minutes: fc.integer({ min: 1, max: 9 }), submit: fc.integer({ min: 0, max: 1200 }), reservation: fc.constantFrom('', '', 'r', 's', 'r,t') })
    fc.assert(fc.property(fc.array(job, { minLength: 1, maxLength: 9 }), fc.array(reservation, { minLength: 1, maxLength: 4 }), fc.array(window, { maxLength: 2 }), fc.boolean(), (all, reservations, windows, twoPass) => {
      const specs = all.sort((a, b) => a.submit - b.submit).map(({ tasks, minutes, submit, reservation: named }, i) => spec(`J${i}`, tasks, minutes, { submit, ...(named !== '' && { reservation: named }) }))
      const of: JobSpec[] = []
      const bad: string[] = []
      const onTaskStart: Observer['onTaskStart'] = (_task, id, _lane, node, _level, now) => {
        const { reservation: named = '', estimate = 0 } = of[id] as JobSpec
        const mine = reservations.filter(({ name }) => named.split(',').includes(name))
        const meets = ({ from, to }: { from: number; to: number }) => from < now + estimate && now < to
        const isKept = (other: (typeof reservations)[number]) => other.nodes.includes(`node-${node}`) && meets(other) && !mine.some((own) => own.name === other.name || own.maint || (own.overlap && !other.maint && own.nodes.includes(`node-${node}`)))
        const isOnOwn = mine.length === 0 || mine.some(({ flex, nodes, from, to }) => flex || (nodes.includes(`node-${node}`) && from <= now && now < to))
        if (reservations.some(isKept) || windows.some(meets) || !isOnOwn) bad.push(`${id} on ${node} at ${now}`)
      }
      const started = run(specs, reservations, { twoPass, windows, observers: [{ onSubmit: (id, each) => void (of[id] = each), onTaskStart }] }, 3)
      expect(bad).toEqual([])
      for (const { id, reservation: named = '' } of specs) if (!reservations.some(({ name }) => named.split(',').includes(name))) expect(started.has(id)).toBe(true)
    }), { seed: 20_261_130, numRuns: 300 })
  })

  it('are refused where they cannot be', () => {
    const refused = (change: Partial<Reservations[number]>, options: ReplanOptions = {}) => () => starts([spec('X', 1, 1)], [{ name: 'r', from: 0, to: 600, nodes: 'all', ...change }], options)
    expect(refused({}, { nodes: 'counted' })).toThrow('nodes are kept for some jobs, but reservations are of amounts.')
    expect(refused({ to: 0 })).toThrow('reservation r ends at 0 and begins at 0.')
    expect(refused({ every: 500 })).toThrow('reservation r lasts 600 s and comes every 500 s.')
    expect(refused({ nodes: ['node-9'] })).toThrow('the cluster has no node "node-9".')
    expect(refused({ from: '2026-03-01T08:00:00', to: '2026-03-01T09:00' })).toThrow('it is 2026-03-01T08:00:00, and the workload does not say when it began.')
  })
})
