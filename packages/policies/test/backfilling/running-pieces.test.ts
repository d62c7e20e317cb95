import type { TaskId } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RunningPieces } from '../../src/backfilling/running-pieces.js'

const WIDTH = 2

/** Pieces with what they hold, and beside them a plain list of the same. */
class Both {
  readonly running = new RunningPieces(WIDTH)
  readonly plain: { piece: number; end: number; held: number[]; tasks: TaskId[] }[] = []
  #tasks = 0

  begin(end: number): void {
    this.plain.push({ piece: this.running.begin(0, end), end, held: [0, 0], tasks: [] })
    this.join(this.plain.length - 1)
  }

  join(which: number): void {
    const one = this.#pick(which)
    if (one === undefined) return
    const task = this.#tasks++ as TaskId
    one.tasks.push(task)
    this.running.join(task, one.piece)
    this.#hold(one, 1 + (task % 3), task % 2)
  }

  leave(which: number): void {
    const one = this.#pick(which)
    const task = one?.tasks.pop()
    if (one === undefined || task === undefined) return
    this.#hold(one, -1 - (task % 3), -(task % 2))
    this.running.leave(task, one.piece)
    if (one.tasks.length === 0) this.plain.splice(this.plain.indexOf(one), 1)
  }

  move(which: number, end: number): void {
    const one = this.#pick(which)
    if (one !== undefined) this.running.move(one.piece, (one.end = end))
  }

  /** By resource, the amounts and what the pieces give back that end by a time. */
  by(time: number, amounts: readonly number[]): number[] {
    return this.plain.reduce((sum, { end, held }) => (end <= time ? sum.map((amount, r) => amount + (held[r] as number)) : sum), [...amounts])
  }

  #pick(which: number) {
    return this.plain[which % Math.max(1, this.plain.length)]
  }

  #hold({ piece, held }: { piece: number; held: number[] }, ...amounts: number[]): void {
    for (const [r, amount] of amounts.entries()) {
      held[r] = (held[r] as number) + amount
      this.running.held[piece * WIDTH + r] = held[r]
    }
  }
}

describe('what running pieces give back', () => {
  const end = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9000 }), fc.constant(Infinity))
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ begin: fc.array(end, { minLength: 1, maxLength: 120, size: 'max' }) }) },
    { weight: 2, arbitrary: fc.record({ leave: fc.array(fc.nat(), { maxLength: 60, size: 'max' }) }) },
    { weight: 2, arbitrary: fc.record({ join: fc.array(fc.nat(), { maxLength: 20 }) }) },
    { weight: 1, arbitrary: fc.record({ move: fc.array(fc.tuple(fc.nat(), end), { maxLength: 20 }) }) },
  )

  it('is, also by whole chunks, what a sum over all of them says', () => {
    let most = 0
    let passed = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), fc.array(fc.nat({ max: 1500 }), { minLength: WIDTH, maxLength: WIDTH }), (steps, lacking) => {
        const both = new Both()
        for (const each of steps) {
          if ('begin' in each) each.begin.forEach((time) => both.begin(time))
          else if ('leave' in each) each.leave.forEach((which) => both.leave(which))
          else if ('join' in each) each.join.forEach((which) => both.join(which))
          else each.move.forEach(([which, time]) => both.move(which, time))
          for (const time of [0, 4, 9, 500, 5000, Infinity]) {
            const amounts = Float64Array.from(lacking, (amount) => -amount)
            both.running.addUntil(amounts, time)
            expect([...amounts]).toEqual(both.by(time, lacking.map((amount) => -amount)))
          }
          const amounts = Float64Array.from(lacking, (amount) => -amount)
          const at = both.running.addWhileLacking(amounts)
          if (at > 0) expect(Math.min(...amounts)).toBeLessThan(0)
          both.running.addUntil(amounts, Infinity, at)
          expect([...amounts]).toEqual(both.by(Infinity, lacking.map((amount) => -amount)))
          most = Math.max(most, both.plain.length)
          passed = Math.max(passed, at)
        }
      }),
      { seed: 12, numRuns: 40 },
    )
    expect(most).toBeGreaterThan(1000)
    expect(passed).toBeGreaterThan(0)
  })
})
