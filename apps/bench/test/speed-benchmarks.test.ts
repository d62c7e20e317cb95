import { EventQueue } from '@sched/sim'
import { describe, expect, it } from 'vitest'
import { ObjectHeap, type HeapEvent } from '../src/speed/baselines/object-heap.js'
import { hold } from '../src/speed/benchmarks/hold-model.js'
import { benchmarkNames, loadBenchmark } from '../src/speed/benchmarks/index.js'
import { DecisionHash } from '../src/speed/harness/decision-hash.js'
import type { Measurement, Variant } from '../src/speed/harness/benchmark.js'

const benchmarks = await Promise.all(benchmarkNames.map(loadBenchmark))

/** What a variant did in one small run. */
async function decisions(variant: Variant) {
  const prepared = await variant.prepare('small')
  prepared.setUp?.()
  const hash = new DecisionHash()
  const { work, check } = await prepared.run(hash)
  return { work, check, digest: hash.digest }
}

describe.each(benchmarks)('benchmark $name', (benchmark) => {
  const missing = benchmark.missing?.()

  it.skipIf(missing !== undefined)(`decides alike in all variants that must${missing === undefined ? '' : ` (${missing})`}`, { tags: 'long' }, async () => {
    const made = new Map<string, Awaited<ReturnType<typeof decisions>>>()
    for (const variant of benchmark.variants) made.set(variant.name, await decisions(variant))
    for (const group of benchmark.agree ?? []) {
      const [first, ...others] = group.map((name) => made.get(name))
      for (const other of others) expect(other).toEqual(first)
    }
    for (const { work, digest } of made.values()) {
      expect(work).toBeGreaterThan(0)
      expect(digest).not.toBe(new DecisionHash().digest)
    }
  })

  it('has rows with unique ids under its name, and goals for figures that exist', () => {
    const facts = { columns: 1, heap: 1, resident: 1, waiting: 1 }
    const measured: Measurement = { work: 10, cold: 2, warm: 1, peak: 1e6, hash: 'aa', facts }
    const figures = benchmark.figures(Object.fromEntries(benchmark.variants.map(({ name }) => [name, measured])))
    expect(new Set(figures.map(({ id }) => id)).size).toBe(figures.length)
    for (const figure of figures) {
      expect(figure.id.split('/')[0]).toBe(benchmark.name)
      expect(figure.value).toBeTypeOf('number')
      for (const goal of figure.goals) expect(figure[goal.of]).toBeTypeOf('number')
    }
  })

  it('names only its variants in what must agree', () => {
    const names = benchmark.variants.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const name of (benchmark.agree ?? []).flat()) expect(names).toContain(name)
  })
})

describe('the hold model', () => {
  class Unfair extends EventQueue {
    readonly #heap = new ObjectHeap((a: HeapEvent, b: HeapEvent) => a.time - b.time || b.sequence - a.sequence)
    override push(time: number, kind: number, subject: number): number {
      this.#heap.push(time, kind, subject)
      return 0
    }
    override pop(): boolean {
      const event = this.#heap.pop()
      this.time = event?.time ?? NaN
      this.subject = event?.subject ?? NaN
      return event !== undefined
    }
  }

  it('refuses a queue that is not first in, first out among equal times', () => {
    const prepared = hold(100, 'ties', 'small', () => new Unfair())
    prepared.setUp?.()
    expect(() => prepared.run(new DecisionHash())).toThrow(/event \d+ at \d+ came out after event \d+ at \d+/)
  })
})
