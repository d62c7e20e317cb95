import type { ClusterView } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KeyRows } from '../../src/orders/ranked-ids.js'
import { WaterFill } from '../../src/shares/water-fill.js'
import { boundBy, deserve } from '../../src/volcano/deserved.js'
import { volcanoOptions, type VolcanoOptions } from '../../src/volcano/options.js'
import type { Session } from '../../src/volcano/plugin.js'
import type { Queue } from '../../src/volcano/queue.js'
import { Queues } from '../../src/volcano/queues.js'

const names = ['cpu', 'mem']
function opened(settings: NonNullable<VolcanoOptions['queues']>): { session: Session; all: readonly Queue[] } {
  const queues = new Queues(volcanoOptions.parse({ queues: settings }), { resources: names } as unknown as ClusterView, new KeyRows(1))
  const total = Float64Array.of(0, 0)
  return { session: { queues, resources: [0, 1], names, total, whole: total, zones: undefined }, all: queues.all }
}

/** What each queue deserves of a resource, with all that it follows from computed for one queue after the other. */
function plainDeserved(r: number, total: number, queues: readonly Queue[]): number[] {
  const weightOf = ({ settings }: Queue): number => settings.weight ?? 1
  const weights = queues.reduce((sum, queue) => sum + weightOf(queue), 0)
  const most = queues.map(({ realCapability, allocated, pending }) => Math.min(realCapability[r] as number, (allocated[r] as number) + (pending[r] as number)))
  const isGuaranteed = queues.some(({ guarantee }) => guarantee[r] !== 0)
  const first = queues.map((queue, i) => (isGuaranteed ? Math.max(Math.min((total * weightOf(queue)) / weights, most[i] as number), queue.guarantee[r] as number) : 0))
  const filling = new WaterFill()
  filling.begin(queues.length)
  for (const [i, queue] of queues.entries()) filling.add(weightOf(queue), 0, Math.max(0, (most[i] as number) - (first[i] as number)))
  filling.fill(Math.max(0, total - first.reduce((sum, amount) => sum + amount, 0)))
  return first.map((amount, i) => amount + filling.share(i))
}

const amounts = (most: number) => fc.record({ cpu: fc.nat({ max: most }), mem: fc.nat({ max: most }) })
const settings = fc.record({ weight: fc.constantFrom(1, 1, 2, 5), guarantee: fc.constantFrom({}, {}, { cpu: 3 }, { cpu: 1, mem: 8 }), capability: fc.constantFrom({}, {}, { cpu: 10 }, { mem: 4 }) })

describe('what queues deserve', () => {
  const change = fc.record({ queue: fc.nat(), asks: amounts(12), total: fc.constantFrom(undefined, undefined, 10, 40, 200) })

  it('is computed as for one queue after the other, and answers count as others where bounds allow something else', () => {
    let [told, fired] = [0, 0]
    fc.assert(
      fc.property(fc.array(settings, { minLength: 1, maxLength: 9, size: 'max' }), fc.array(change, { maxLength: 30, size: 'max' }), (drawn, changes) => {
        const { session, all } = opened(Object.fromEntries(drawn.map((each, i) => [`q${i}`, each])))
        const plain = opened(Object.fromEntries(drawn.map((each, i) => [`q${i}`, each]))).all // of these each looks at its bounds every time
        for (const { queue, asks, total } of [{ queue: 0, asks: { cpu: 0, mem: 0 }, total: 40 }, ...changes]) {
          if (total !== undefined) {
            session.total.fill(total)
            for (const queues of [all, plain]) boundBy(session, queues, session.queues.guaranteed)
          }
          for (const queues of [all, plain]) for (const [r, name] of names.entries()) (queues[queue % all.length] as Queue).pending[r] = asks[name as 'cpu']
          const before = all.map(({ deserved }) => [...deserved])
          const changed = new Set<Queue>()
          deserve(session, all, (each) => changed.add(each))
          for (const r of [0, 1]) {
            const expected = plainDeserved(r, session.total[r] as number, plain)
            for (const [i, each] of plain.entries()) each.deserved[r] = expected[i] as number
          }
          expect(all.map(({ deserved }) => [...deserved])).toEqual(plain.map(({ deserved }) => [...deserved]))
          expect(all.filter((each) => changed.has(each))).toEqual(all.filter(({ deserved }, i) => deserved.some((amount, r) => amount !== before[i]?.[r])))
          told += changed.size
          for (const [i, each] of all.entries()) {
            const other = plain[i] as Queue
            other.areBoundsOther = true
            const changesBefore = each.changes
            each.noteBounds()
            other.noteBounds()
            expect(each.changes).toBe(other.changes)
            fired += each.changes - changesBefore
            for (const bound of ['deserved', 'realCapability'] as const) for (const more of [1, 5]) expect(each.isWithin(bound, i % 2, more)).toBe(other.isWithin(bound, i % 2, more))
          }
        }
      }),
      { seed: 31, numRuns: 200 },
    )
    expect(told).toBeGreaterThan(1000)
    expect(fired).toBeGreaterThan(300)
  })

  it('is told of queues alone that deserve something else', () => {
    const { session, all } = opened(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`q${i}`, {}])))
    session.total.fill(10_000)
    boundBy(session, all, [])
    let told = 0
    for (const queue of all) {
      queue.pending[0] = 3
      deserve(session, all, () => told++)
    }
    expect(told).toBe(300)
  })
})
