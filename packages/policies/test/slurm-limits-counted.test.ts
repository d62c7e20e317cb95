import { randomStream } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { amountLimit, Counted, jobsLimit, type Piece } from '../src/slurm-limits/counted.js'

const asking = (...amounts: number[]): Piece => ({ isFirst: true, amount: (resource) => amounts[resource] ?? 0, whole: (resource) => amounts[resource] ?? 0, estimate: 1, mostNodes: Infinity })

describe('Counted', () => {
  it('says that its jobs may hold others back where one that waits asks for more than is left', () => {
    const group = new Counted('QOS normal', 3)
    amountLimit(group, 0, 10, 'QOSGrpCpuLimit')
    group.holds(0, 6, Infinity, 1)
    group.show(1, asking(4, 100))
    expect(group.isLimiting).toBe(false)
    group.show(1, asking(5, 100)) // its next piece
    expect(group.isLimiting).toBe(true)
    group.hide(1)
    expect(group.isLimiting).toBe(false)
  })

  it('says so whenever any of them is over a limit, in random groups', () => {
    let quiet = 0
    for (let seed = 1; seed <= 50; seed++) {
      const draw = randomStream(seed, 'group')
      const below = (count: number) => Math.floor(count * draw())
      const group = new Counted('QOS normal', 3)
      const limits = [amountLimit(group, 0, 20, 'a'), amountLimit(group, 0, 15 + below(10), 'b'), amountLimit(group, 1, 30, 'c'), jobsLimit(group, 5, 'd')]
      if (draw() < 0.2) limits.push(amountLimit(group, 2, 40, 'billing'))
      const waiting = new Map<number, Piece>()
      for (let i = 0; i < 200; i++) {
        const entry = below(8)
        if (draw() < 0.6) waiting.set(entry, asking(below(8), below(8), below(8)))
        else if (waiting.delete(entry)) group.hide(entry)
        const piece = waiting.get(entry)
        if (piece !== undefined) group.show(entry, piece)
        for (let resource = 0; resource < 3; resource++) group.holds(resource, below(18) - (group.used[resource] ?? NaN), Infinity, 1)
        group.running = below(6)
        const isOver = [...waiting.values()].some((each) => limits.some((limit) => limit.isOver(each)))
        if (isOver) expect([seed, i, group.isLimiting]).toEqual([seed, i, true])
        else if (!group.isLimiting) quiet++
      }
    }
    expect(quiet).toBeGreaterThan(500)
  })
})
