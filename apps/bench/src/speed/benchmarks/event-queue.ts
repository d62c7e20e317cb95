import { EventQueue, type EventKind } from '@sched/sim'
import { ObjectHeap } from '../baselines/object-heap.js'
import { cost } from '../harness/figures.js'
import { hold, type Gaps, type Queue } from './hold-model.js'
import type { Benchmark, Goal, Size } from '../harness/benchmark.js'

const goals: Readonly<Record<string, readonly Goal[]>> = {
  '1e3 exponential': [{ of: 'warm', atMost: 90 }],
  '1e5 exponential': [{ of: 'warm', atMost: 180 }, { of: 'ratio', atLeast: 4 }],
}

/** The engine's event queue against what a first version would use. */
export function eventQueue(pending: '1e3' | '1e5' | '1e6', gaps: Gaps): Benchmark {
  const name = `event-queue${gaps === 'ties' ? '-ties' : ''}-${pending}`
  const variant = (name: string, make: () => Queue) => ({ name, prepare: (size: Size) => hold(Number(pending), gaps, size, make) })
  return {
    name,
    summary: `Event queue, hold model, ${pending} pending, ${gaps === 'ties' ? 'whole times with many ties' : 'exponential gaps'}: one pop and one push. Naive: a binary heap of objects with a comparator.`,
    variants: [variant('shipped', () => new EventQueue()), variant('objects', () => new Naive())],
    agree: [['shipped', 'objects']],
    figures: ({ shipped, objects }) => [
      cost(name, 'ns', shipped!, { baseline: objects, goals: goals[`${pending} ${gaps}`] ?? [] }),
      cost(`${name}/objects`, 'ns', objects!),
    ],
  }
}

class Naive implements Queue {
  time = 0
  subject = 0
  readonly #heap = new ObjectHeap()

  push(time: number, kind: EventKind, subject: number): void {
    this.#heap.push(time, kind, subject)
  }
  pop(): boolean {
    const event = this.#heap.pop()
    this.time = event?.time ?? NaN
    this.subject = event?.subject ?? NaN
    return event !== undefined
  }
}
