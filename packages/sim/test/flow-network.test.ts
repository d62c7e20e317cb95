import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FlowNetwork } from '../src/index.js'

/** Water-filling as one would write it on a board: all flows grow at one pace, those on a full link stop. */
function waterFilling(capacity: readonly number[], flows: readonly (readonly number[])[]): number[] {
  const rates = flows.map(() => 0)
  let growing = new Set(flows.keys())
  while (growing.size > 0) {
    const left = capacity.map((all, link) => all - flows.reduce((sum, links, f) => sum + (links.includes(link) ? (rates[f] as number) : 0), 0))
    const counts = capacity.map((_, link) => [...growing].filter((f) => flows[f]?.includes(link)).length)
    const step = Math.min(...left.map((each, link) => (counts[link] === 0 ? Infinity : each / (counts[link] as number))))
    const full = capacity.map((_, link) => (counts[link] as number) > 0 && (left[link] as number) / (counts[link] as number) <= step * (1 + 1e-12))
    for (const f of growing) rates[f] = (rates[f] as number) + step
    growing = new Set([...growing].filter((f) => !flows[f]?.some((link) => full[link])))
  }
  return rates
}

describe('rates of flows', () => {
  const ratesOf = (capacity: readonly number[], flows: readonly (readonly number[])[]) => {
    const network = new FlowNetwork(capacity)
    const ids = flows.map((links) => network.add(links, 100))
    network.share(0)
    return ids.map((id) => network.rate(id))
  }

  it('are an equal part of a link that they share', () => {
    expect(ratesOf([9], [[0], [0], [0]])).toEqual([3, 3, 3])
  })

  it('give what a flow cannot use, for it is held up elsewhere, to the others', () => {
    // link 1 gives its two flows 1 each; of link 0 that leaves 10 - 1 = 9 for the third
    expect(ratesOf([10, 2], [[0, 1], [1], [0]])).toEqual([1, 1, 9])
  })

  it('of a long path are those of its most crowded link, and its neighbours on another link get the rest', () => {
    // links of 1: the long one and two more share the second, 1/3 each; the third has 1 - 1/3 left beside it
    const rates = ratesOf([1, 1, 1], [[0, 1, 2], [1], [1], [2]])
    expect(rates.map((rate) => rate * 3)).toEqual([1, 1, 1, 2])
  })
})

const world = fc.integer({ min: 2, max: 8 }).chain((links) =>
  fc.record({
    capacity: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: links, maxLength: links }),
    steps: fc.array(
      fc.record({
        add: fc.array(fc.record({ links: fc.uniqueArray(fc.integer({ min: 0, max: links - 1 }), { minLength: 1, maxLength: 4 }), bytes: fc.integer({ min: 1, max: 50 }) }), { maxLength: 4 }),
        remove: fc.array(fc.nat(1000), { maxLength: 2 }),
        wait: fc.double({ min: 0, max: 2, noNaN: true }),
      }),
      { minLength: 1, maxLength: 12 },
    ),
  }),
)

const lastBits = {
  capacity: [5, 7, 5, 1],
  steps: [
    { add: [[2, 1], [0]], remove: [] }, { add: [[0]], remove: [] }, { add: [[0, 2]], remove: [58] }, { add: [[0, 2]], remove: [] }, { add: [], remove: [398] },
  ].map(({ add, remove }) => ({ add: add.map((links) => ({ links, bytes: 1 })), remove, wait: 0 })),
}

describe('flows that come and go', () => {
  it('have the rates of a filling from scratch after each change, whatever was kept of the last one', () => {
    fc.assert(
      fc.property(world, ({ capacity, steps }) => {
        const network = new FlowNetwork(capacity)
        const live: { id: number; links: readonly number[] }[] = []
        let now = 0
        for (const { add, remove, wait } of steps) {
          for (const at of remove) if (live.length > 0) for (const { id } of live.splice(at % live.length, 1)) network.remove(id)
          for (const { links, bytes } of add) live.push({ id: network.add(links, bytes), links })
          network.share(now)
          const expected = waterFilling(capacity, live.map(({ links }) => links))
          for (const [i, { id }] of live.entries()) expect(network.rate(id)).toBeCloseTo(expected[i] as number, 9)
          for (const [link, all] of capacity.entries())
            expect(live.reduce((sum, { id, links }) => sum + (links.includes(link) ? network.rate(id) : 0), 0)).toBeLessThanOrEqual(all * (1 + 1e-9))
          now += wait
        }
      }),
      // in the last, the flows that share link 0 after two others have left it had rates that differed by their last bits
      { seed: 6, numRuns: 150, examples: [[lastBits]] },
    )
  })

  it('move all their bytes by the time they end, at the rates they had', () => {
    fc.assert(
      fc.property(world, ({ capacity, steps }) => {
        const network = new FlowNetwork(capacity)
        const live = new Map<number, { bytes: number; moved: number }>()
        let now = 0
        for (const { add, wait } of [...steps, { add: [], wait: Infinity }]) {
          for (const { links, bytes } of add) live.set(network.add(links, bytes), { bytes, moved: 0 })
          const until = now + wait
          for (let next = network.share(now); next <= until && next < Infinity; next = network.share(now)) {
            for (const [id, flow] of live) flow.moved += network.rate(id) * (next - now)
            now = next
            const ended: number[] = []
            network.ended(now, ended)
            expect(ended.length).toBeGreaterThan(0)
            for (const id of ended) {
              const { bytes, moved } = live.get(id) as { bytes: number; moved: number }
              expect(moved).toBeCloseTo(bytes, 6)
              live.delete(id)
              network.remove(id)
            }
          }
          for (const [id, flow] of live) flow.moved += network.rate(id) * (until - now)
          now = until
        }
        expect([live.size, network.flows]).toEqual([0, 0])
      }),
      { seed: 6, numRuns: 150 },
    )
  })

  it('leave flows alone that share nothing with a change: their ends do not move by a bit', () => {
    const network = new FlowNetwork([3, 7, 1])
    const alone = network.add([0], 1)
    const slow = network.add([1, 2], 5)
    network.share(0.1)
    const ends = [network.end(alone), network.end(slow)]
    const fast = network.add([1], 9) // link 1 has 6 left beside the slow one
    network.share(0.3)
    expect([network.rate(slow), network.rate(fast)]).toEqual([1, 6])
    expect([network.end(alone), network.end(slow)]).toEqual(ends)
  })
})
