import type { NodeId } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bitsFor, hasBit, setBit } from '../../src/backfilling/node-bits.js'
import { ReservedSlots } from '../../src/backfilling/reserved-slots.js'

interface Reserved {
  readonly nodes: readonly NodeId[]
  readonly start: number
  readonly end: number
}

const END = 40
const range = (count: number) => Array.from({ length: count }, (_, i) => i)
const bitsOf = (count: number, nodes: readonly number[]) => {
  const bits = bitsFor(count)
  for (const node of nodes) setBit(bits, node)
  return bits
}

/** More nodes than a word has bits, of which some may be used, with reservations; and who asks for how many of them for how long. */
const worlds = fc.integer({ min: 1, max: 70 }).chain((count) => {
  const some = fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }), { minLength: 1, maxLength: 40 }) as fc.Arbitrary<NodeId[]>
  const most = fc.oneof(some, fc.constant(range(count) as NodeId[]))
  const reserved = fc.record({ nodes: most, start: fc.integer({ min: -2, max: END }), length: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(Infinity)) })
  return fc.record({
    count: fc.constant(count),
    allowed: most,
    reserved: fc.array(reserved.map(({ length, ...rest }): Reserved => ({ ...rest, end: rest.start + length })), { maxLength: 14 }),
    least: fc.integer({ min: 0, max: count }),
    from: fc.integer({ min: 0, max: END }),
    length: fc.oneof(fc.integer({ min: 1, max: 15 }), fc.constant(Infinity)),
    ready: fc.array(fc.integer({ min: -5, max: END }), { minLength: count, maxLength: count }),
    latest: fc.integer({ min: 0, max: END }),
  })
})

const slotsOf = (count: number, reserved: readonly Reserved[], isClosed = true) => {
  const slots = new ReservedSlots(count, isClosed)
  slots.clear(0)
  for (const { nodes, start, end } of reserved) if (end > 0) slots.reserve(nodes, start, end)
  return slots
}
const inForce = (reserved: readonly Reserved[]) => reserved.filter(({ end }) => end > 0)

describe('ReservedSlots', () => {
  it('finds the first time at which enough nodes are not reserved, and these nodes', { tags: 'long' }, () => {
    fc.assert(
      fc.property(worlds, fc.boolean(), ({ count, allowed, reserved, least, from, length }, isClosed) => {
        const freeFrom = (time: number) => allowed.filter((node) => !inForce(reserved).some(({ nodes, start, end }) => nodes.includes(node) && (isClosed ? start <= time + length : start < time + length) && end > time))
        const usable = bitsFor(count)
        const found = slotsOf(count, reserved, isClosed).earliest(usable, bitsOf(count, allowed), least, from, length)
        const expected = range(2 * END).find((time) => time >= from && freeFrom(time).length >= least) ?? Infinity
        expect(found).toBe(expected)
        if (found < Infinity) expect(range(count).filter((node) => hasBit(usable, node))).toEqual([...freeFrom(found)].sort((a, b) => a - b))
      }),
      { seed: 5, numRuns: 1000 },
    )
  })

  it('finds the nodes that a run from a time on may have, and how many they are', () => {
    fc.assert(
      fc.property(worlds, fc.boolean(), ({ count, allowed, reserved, from, length }, isClosed) => {
        const isMet = ({ start, end }: Reserved) => (isClosed ? start <= from + length : start < from + length) && end > from
        const free = allowed.filter((node) => !inForce(reserved).some((each) => each.nodes.includes(node) && isMet(each)))
        const usable = bitsFor(count)
        const found = slotsOf(count, reserved, isClosed).during(usable, bitsOf(count, allowed), from, length)
        expect(range(count).filter((node) => hasBit(usable, node))).toEqual([...free].sort((a, b) => a - b))
        expect(found).toBe(free.length)
      }),
      { seed: 7, numRuns: 500 },
    )
  })

  it('is after a reservation was taken back as if it had never been made', () => {
    fc.assert(
      fc.property(worlds, ({ count, allowed, reserved, least, from, length }) => {
        const taken = { start: 3, end: 3 + Math.min(length, END) }
        const nodes = allowed.filter((node) => !inForce(reserved).some((each) => each.nodes.includes(node) && each.start < taken.end && each.end > taken.start))
        const slots = slotsOf(count, reserved)
        slots.reserve(nodes, taken.start, taken.end)
        slots.release(nodes, taken.start, taken.end)
        const [usable, expected] = [bitsFor(count), bitsFor(count)]
        const asked = [bitsOf(count, allowed), least, from, length] as const
        expect(slots.earliest(usable, ...asked)).toBe(slotsOf(count, reserved).earliest(expected, ...asked))
        expect([...usable]).toEqual([...expected])
      }),
      { seed: 8, numRuns: 500 },
    )
  })

  it('tells when the slot after a time begins', () => {
    const slots = slotsOf(3, [{ nodes: [0 as NodeId], start: 4, end: 9 }])
    expect([0, 3.5, 4, 8, 9, 50].map((time) => slots.after(time))).toEqual([4, 4, 9, 9, Infinity, Infinity])
  })

  it('comes to that time, too, when it goes from one time at which other nodes may be free to the next', () => {
    fc.assert(
      fc.property(worlds, ({ count, allowed, reserved, least, from, length }) => {
        const slots = slotsOf(count, reserved)
        const [all, usable] = [bitsOf(count, allowed), bitsFor(count)]
        const enough = slots.earliest(usable, all, least, from, length)
        let time = from
        while (time < enough) time = slots.later(all, time, time + length)
        expect(time).toBe(enough)
      }),
      { seed: 6, numRuns: 1000 },
    )
  })

  it('says of no search that it is in vain if nodes that are ready are free for long enough', () => {
    let vain = 0
    fc.assert(
      fc.property(worlds, ({ count, allowed, reserved, least, length, ready, latest }) => {
        const isReady = (time: number) => allowed.filter((node) => (ready[node] ?? 0) <= time && !inForce(reserved).some(({ nodes, start, end }) => nodes.includes(node) && start < time + length && end > time))
        if (!slotsOf(count, reserved).lacks(bitsOf(count, allowed), Float64Array.from(ready), least, latest, length)) return
        vain++
        expect(range(2 * latest + 1).map((half) => half / 2).filter((time) => isReady(time).length >= least)).toEqual([])
      }),
      { seed: 7, numRuns: 1000 },
    )
    expect(vain).toBeGreaterThan(200)
  })

  it('tells whether nodes are reserved at a time', () => {
    fc.assert(
      fc.property(worlds, ({ count, allowed, reserved, from, length }) => {
        const isReserved = inForce(reserved).some(({ nodes, start, end }) => start < from + length && end > from && nodes.some((node) => allowed.includes(node)))
        expect(slotsOf(count, reserved).overlaps(allowed, from, from + length)).toBe(isReserved)
      }),
      { seed: 8, numRuns: 500 },
    )
  })
})
