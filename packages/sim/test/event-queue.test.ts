import { randomStream } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventKind, EventQueue } from '../src/index.js'

const kinds = Object.values(EventKind)

interface Pending {
  readonly time: number
  readonly kind: EventKind
  readonly sequence: number
}

/** The queue as a sorted list: earliest time first, then kind, then order of scheduling. */
const inOrder = (a: Pending, b: Pending) => a.time - b.time || a.kind - b.kind || a.sequence - b.sequence

/** Takes everything out, as [time, kind, subject]. */
function drain(queue: EventQueue): number[][] {
  const events: number[][] = []
  while (queue.pop()) events.push([queue.time, queue.kind, queue.subject])
  return events
}

type Step = { readonly push: number; readonly kind: EventKind } | { readonly pop: true } | { readonly cancel: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  // few distinct times, so that most events tie with another
  { weight: 5, arbitrary: fc.record({ push: fc.constantFrom(0, 0.1, 0.2, 1, 1.5, 3, 1e9), kind: fc.constantFrom(...kinds) }) },
  { weight: 3, arbitrary: fc.record({ pop: fc.constant(true as const) }) },
  { weight: 1, arbitrary: fc.record({ cancel: fc.nat() }) },
)

describe('EventQueue', () => {
  it('fires by time, then kind, then order of scheduling', () => {
    const queue = new EventQueue()
    queue.push(2, EventKind.TaskEnd, 10)
    queue.push(1, EventKind.Wake, 11)
    queue.push(1, EventKind.Submit, 12)
    queue.push(1, EventKind.TaskEnd, 13)
    queue.push(1, EventKind.TaskEnd, 14)
    expect(drain(queue)).toEqual([
      [1, EventKind.TaskEnd, 13],
      [1, EventKind.TaskEnd, 14],
      [1, EventKind.Submit, 12],
      [1, EventKind.Wake, 11],
      [2, EventKind.TaskEnd, 10],
    ])
  })

  it('agrees with a sorted list over any interleaving of scheduling, firing and cancelling', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const queue = new EventQueue()
        const list: (Pending & { readonly id: number })[] = []
        let sequence = 0
        for (const each of steps) {
          if ('push' in each) {
            const event = { time: each.push, kind: each.kind, sequence: sequence++ }
            list.push({ ...event, id: queue.push(event.time, event.kind, event.sequence) })
          } else if ('cancel' in each) {
            const [event] = list.splice(each.cancel % Math.max(1, list.length), 1)
            if (event !== undefined) queue.cancel(event.id)
          } else {
            const earliest = list.sort(inOrder).shift()
            expect(queue.pop()).toBe(earliest !== undefined)
            if (earliest !== undefined) expect([queue.time, queue.kind, queue.subject]).toEqual([earliest.time, earliest.kind, earliest.sequence])
          }
        }
        expect(drain(queue)).toEqual(list.sort(inOrder).map(({ time, kind, sequence: subject }) => [time, kind, subject]))
      }),
      { seed: 1, numRuns: 400 },
    )
  })

  it('agrees with a sorted list with many pending, whatever the gaps between them', () => {
    const gaps: Record<string, (u: number, v: number) => number> = {
      exponential: (u) => -Math.log(1 - u),
      'few distinct times': (u) => Math.floor(4 * u),
      'one time and outliers': (u) => (u < 0.99 ? 5 : 1e6 * u),
      'short and long': (u, v) => (v < 0.7 ? u : 1e5 * u),
    }
    for (const [name, gap] of Object.entries(gaps)) {
      const draw = randomStream(1, name)
      const queue = new EventQueue()
      const list: (Pending & { readonly id: number })[] = []
      const fired: (number | undefined)[][] = []
      const expected: (number | undefined)[][] = []
      let now = 0
      for (let sequence = 0; sequence < 6000; sequence++) {
        // grows to 1,600, stays, and shrinks to few
        const grows = sequence < 2000 ? 0.9 : sequence < 3500 ? 0.5 : 0.1
        if (draw() < grows) {
          const event = { time: now + gap(draw(), draw()), kind: EventKind.Ready, sequence }
          list.splice(list.findLastIndex((other) => inOrder(other, event) < 0) + 1, 0, { ...event, id: queue.push(event.time, event.kind, sequence) })
        } else if (draw() < 0.1 && list.length > 0) queue.cancel((list.splice(Math.floor(draw() * list.length), 1)[0] as { id: number }).id)
        else {
          const earliest = list.shift()
          expected.push([earliest?.time, earliest?.sequence])
          fired.push(queue.pop() ? [queue.time, queue.subject] : [undefined, undefined])
          now = queue.time
        }
      }
      expect(fired, name).toEqual(expected)
      expect(drain(queue).map(([time, , subject]) => [time, subject]), name).toEqual(list.map(({ time, sequence }) => [time, sequence]))
    }
  })

  it('keeps its order when it grows past its first 64 events, with every size of a last family of children', () => {
    for (const size of [63, 64, 65, 66, 67, 68, 69, 127, 128, 129, 1000]) {
      const queue = new EventQueue()
      const times = Array.from({ length: size }, (_, i) => (i * 7919) % 101)
      for (const [i, time] of times.entries()) queue.push(time, EventKind.TaskEnd, i)
      const sorted = times.map((time, i) => [time, EventKind.TaskEnd, i]).sort((a, b) => (a[0] as number) - (b[0] as number) || (a[2] as number) - (b[2] as number))
      expect(drain(queue)).toEqual(sorted)
    }
  })

  it('is empty again after the last event, and tells the time of the next', () => {
    const queue = new EventQueue()
    expect([queue.next, queue.length, queue.pop()]).toEqual([Infinity, 0, false])
    queue.push(4, EventKind.Wake, 0)
    queue.push(3, EventKind.Wake, 0)
    expect([queue.next, queue.length]).toEqual([3, 2])
    expect([queue.pop(), queue.next, queue.pop(), queue.next, queue.length, queue.pop()]).toEqual([true, 4, true, Infinity, 0, false])
  })

  it('leaves the others alone when an event is cancelled whose id was used before', () => {
    const queue = new EventQueue()
    queue.push(1, EventKind.Wake, 1)
    queue.pop()
    const again = queue.push(2, EventKind.Wake, 2)
    queue.push(3, EventKind.Wake, 3)
    queue.cancel(again)
    expect(drain(queue)).toEqual([[3, EventKind.Wake, 3]])
  })

  it('never tells of a cancelled event as the next one', () => {
    const queue = new EventQueue()
    const soon = queue.push(5, EventKind.TaskEnd, 0)
    queue.push(10, EventKind.TaskEnd, 1)
    queue.cancel(soon)
    expect(queue.next).toBe(10) // who fires all events of `next` would fire this one five seconds early
  })
})
