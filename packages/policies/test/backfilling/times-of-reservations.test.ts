import type { Env, JobId, Round } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByBeginning } from '../../src/backfilling/by-beginning.js'
import { bitsFor, hasBit, setBit } from '../../src/backfilling/node-bits.js'
import { NodeReservations } from '../../src/backfilling/node-reservations.js'
import { WholeWindows } from '../../src/backfilling/whole-windows.js'

const NODES = 40
const ASKED = ['', 'a', 'b', 'a,b', 'c', 'c,d']
const cluster = { nodes: NODES, name: (node: number) => `node-${node}` }
const env = { cluster, work: { reservation: (job: number) => ASKED[job] } } as unknown as Env

type Options = ConstructorParameters<typeof NodeReservations>[0]
type One = Options[number]
const one = (of: Partial<One>): One =>
  ({ name: 'a', from: 0, to: 1, nodes: 'all', users: [], accounts: [], qos: [], queues: [], flex: false, maint: false, overlap: false, ...of })

/** The first span of a reservation that ends after a time. */
function spanOf({ from, to, every }: One, time: number): [number, number] {
  let [begin, end] = [from as number, to as number]
  while (end <= time && every !== undefined) [begin, end] = [begin + every, end + every]
  return end <= time ? [Infinity, Infinity] : [begin, end]
}

/** The nodes that are left for a job, and when there may be others: by a look at every reservation. */
function plainLimit(all: Options, asked: string, from: number, length: number): { nodes: number[]; later: number } {
  const mine = all.filter(({ name }) => asked.split(',').includes(name))
  const isFlex = mine.some(({ flex }) => flex)
  const others = all.filter((other) => !mine.some((own) => own.name === other.name || own.maint) && spanOf(other, from)[0] < from + length)
  const own = mine.filter((each) => spanOf(each, from)[0] <= from)
  const isIn = ({ nodes }: One, node: number) => nodes === 'all' || nodes.includes(`node-${node}`)
  const closes = (other: One, node: number) => isIn(other, node) && !mine.some((each) => each.overlap && !other.maint && isIn(each, node))
  const every = Array.from({ length: NODES }, (_, node) => node)
  const nodes = every.filter((node) => mine.length === 0 || isFlex || own.some((each) => isIn(each, node))).filter((node) => !others.some((each) => closes(each, node)))
  const begins = mine.length === 0 || isFlex ? [] : mine.map((each) => spanOf(each, from)[0]).filter((begin) => begin > from)
  return { nodes, later: Math.min(Infinity, ...begins, ...others.filter((each) => every.some((node) => closes(each, node))).map((each) => spanOf(each, from)[1])) }
}

const span = fc.tuple(fc.integer({ min: 0, max: 300 }), fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 200 })))
const time = fc.integer({ min: -5, max: 520 })
const length = fc.oneof(fc.constantFrom(0, Infinity), fc.integer({ min: 0, max: 60 }))

describe('reservations of nodes by the dozen', () => {
  const reservation = fc
    .record({
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), span, every: fc.option(fc.integer({ min: 1, max: 100 })),
      nodes: fc.oneof(fc.constant('all' as const), fc.array(fc.integer({ min: 0, max: NODES - 1 }).map((node) => `node-${node}`), { maxLength: 8 })),
      flex: fc.boolean(), maint: fc.boolean(), overlap: fc.boolean(), isPlain: fc.integer({ min: 0, max: 4 }),
    })
    .map(({ name, span: [from, lasts], every, nodes, flex, maint, overlap, isPlain }) =>
      one({ name, from, to: from + lasts, nodes, ...(isPlain > 0 ? {} : { flex, maint, overlap, ...(every !== null && { every: every + lasts }) }) }))

  it('keep from jobs the nodes that a look at each of them says, and wake as the next of all changes', () => {
    fc.assert(
      fc.property(fc.array(reservation, { minLength: 1, maxLength: 40, size: 'max' }), fc.array(fc.tuple(fc.nat({ max: ASKED.length - 1 }), time, length), { minLength: 10, maxLength: 30 }), (all, looks) => {
        const reservations = new NodeReservations(all, env)
        for (const [job, from, seconds] of looks) {
          const usable = bitsFor(NODES)
          for (let node = 0; node < NODES; node++) setBit(usable, node)
          const later = reservations.limit(usable, job as JobId, from, seconds)
          const nodes = Array.from({ length: NODES }, (_, node) => node).filter((node) => hasBit(usable, node))
          expect({ nodes, later }).toEqual(plainLimit(all, ASKED[job] as string, from, seconds))
          let woken = Infinity
          reservations.wake({ now: from, wakeAt: (at: number) => void (woken = at) } as unknown as Round)
          expect(woken).toBe(Math.min(...all.map((each) => spanOf(each, from)).map(([begin, end]) => (begin > from ? begin : end))))
        }
      }),
      { seed: 21, numRuns: 150 },
    )
  })

  it('are not looked at where they are over or far ahead', () => {
    let looks = 0
    const all = Array.from({ length: 1000 }, (_, i) => ({ to: i * 100 + 50, get from() { return looks++, i * 100 } }))
    const spans = new ByBeginning(all)
    looks = 0
    const met: number[] = []
    for (let now = 0; now < 100_000; now += 500) spans.eachIn(now, now + 120, ({ to }) => void met.push(to))
    expect(met).toEqual(Array.from({ length: 200 }, (_, i) => [i * 500 + 50, i * 500 + 150]).flat())
    for (let now = 0; now < 100_000; now += 500) expect(spans.nextChange(now)).toBe(now + 50)
    expect(looks).toBeLessThanOrEqual(5 * 200) // 1,000 at each of 400 times would be 400,000
  })
})

describe('windows of everything by the dozen', () => {
  it('leave the time that trying one after another finds', () => {
    fc.assert(
      fc.property(fc.array(span, { maxLength: 30, size: 'max' }), fc.array(fc.tuple(time, length), { minLength: 20, maxLength: 40 }), (spans, looks) => {
        const windows = spans.map(([from, lasts], i) => ({ from, to: from + lasts, demand: 'all' as const, field: `windows[${i}]` }))
        const whole = new WholeWindows(windows)
        for (const [from, seconds] of looks) {
          let start = from
          for (let before = NaN; before !== start; ) {
            before = start
            for (const { from: begin, to } of windows) if (begin < start + seconds && start < to) start = to
          }
          expect(whole.clear(from, seconds)).toBe(start)
        }
      }),
      { seed: 22, numRuns: 200 },
    )
  })
})
