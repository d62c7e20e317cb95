import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventQueue } from '../src/event-queue.js'
import { TaskEnds } from '../src/task-ends.js'

type Step = { readonly kind: 'add' | 'cancel' | 'fire'; readonly of: number }

/** The order in which runs end; a run that has ended or was cancelled may be added again. */
function play(steps: readonly Step[], isShared: boolean) {
  const queue = new EventQueue()
  const ends = new TaskEnds(queue, isShared)
  const pending: number[] = []
  const free = Array.from({ length: 200 }, (_, i) => 199 - i)
  const ended: string[] = []
  let [now, events] = [0, 0]
  const fire = () => {
    now = queue.next
    while (queue.next === now && queue.pop()) {
      events++
      ends.fired(now)
      for (let run = queue.subject; run >= 0; ) {
        const next = ends.after(run)
        pending.splice(pending.indexOf(run), 1)
        ended.push(`${run} at ${now}`)
        free.push(run)
        run = next
      }
    }
  }
  for (const { kind, of } of steps)
    if (kind === 'add') {
      const run = free.pop() as number
      ends.add(run, now + of)
      pending.push(run)
    } else if (pending.length === 0) continue
    else if (kind === 'fire') fire()
    else {
      const [run] = pending.splice(of % pending.length, 1) as [number]
      ends.cancel(run)
      free.push(run)
    }
  while (queue.next < Infinity) fire()
  return { ended, events }
}

const kind = fc.constantFrom('add' as const, 'add' as const, 'add' as const, 'cancel' as const, 'fire' as const)

describe('ends of tasks', () => {
  it('in one event come in the order of events of their own, whatever is cancelled', () => {
    let saved = 0
    fc.assert(
      fc.property(fc.array(fc.record({ kind, of: fc.nat({ max: 2 }) }), { minLength: 60, maxLength: 120 }), (steps) => {
        const [own, shared] = [play(steps, false), play(steps, true)]
        expect(shared.ended).toEqual(own.ended)
        saved += own.events - shared.events
      }),
      { seed: 3, numRuns: 300 },
    )
    expect(saved).toBeGreaterThan(1000)
  })
})
