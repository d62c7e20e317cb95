import { randomStream } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { amountLimit, Counted, jobsLimit, type Piece } from '../src/slurm-limits/counted.js'

const asking = (...amounts: number[]): Piece => ({ isFirst: true, amount: (resource) => amounts[resource] ?? 0, whole: (resource) => amounts[resource] ?? 0, estimate: 1, mostNodes: Infinity, leastNodes: 1 })
const ENDLESS = { start: 0, end: Infinity, tick: 0 }

describe('Counted', () => {
  it('says that its jobs may hold others back where one that waits asks for more than is left', () => {
    const group = new Counted('QOS normal', 3)
    amountLimit(group, 0, 10, 'QOSGrpCpuLimit')
    group.holds(0, 6, ENDLESS, 1)
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
        for (let resource = 0; resource < 3; resource++) group.holds(resource, below(18) - (group.used[resource] ?? NaN), ENDLESS, 1)
        group.running = below(6)
        const isOver = [...waiting.values()].some((each) => limits.some((limit) => limit.isOver(each)))
        if (isOver) expect([seed, i, group.isLimiting]).toEqual([seed, i, true])
        else if (!group.isLimiting) quiet++
      }
    }
    expect(quiet).toBeGreaterThan(500)
  })

  it('has left what its tasks had at the end of a period, in random groups', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const draw = randomStream(seed, 'left')
      const below = (count: number) => Math.floor(count * draw())
      const group = new Counted('QOS normal', 1)
      const running: { readonly amount: number; readonly start: number; readonly end: number }[] = []
      for (let now = 0; now < 400; now += below(25)) {
        const tick = now - (now % 60)
        if (draw() < 0.6) {
          const task = { amount: 1 + below(9), start: now, end: now + 400 + below(600) }
          running.push(task)
          group.holds(0, task.amount, { ...task, tick }, 1)
        } else {
          const [task] = running.splice(below(running.length), 1)
          if (task !== undefined) group.holds(0, -task.amount, { ...task, tick }, 1)
        }
        expect([seed, now, group.leftAtTick(0, tick)]).toEqual([seed, now, running.reduce((sum, { amount, start, end }) => sum + amount * (end - Math.max(start, tick)), 0)])
        expect(group.leftAtTick(0, tick + 60)).toBe(running.reduce((sum, { amount, end }) => sum + amount * (end - tick - 60), 0))
        expect(group.left(0, now)).toBe(running.reduce((sum, { amount, end }) => sum + amount * (end - now), 0))
      }
    }
  })
})
