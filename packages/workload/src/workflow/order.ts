import type { StageSpec } from '@sched/core'

/**
 * The stages in an order in which each comes after those that it waits for, with these waits (`before`, by index). Of several stages that are ready,
 * the first comes first. `undefined` if some wait for each other in a circle. Takes n log n for n stages, plus the number of waits.
 */
export function stagesInOrder(stages: readonly StageSpec[], before: readonly (readonly number[])[]): StageSpec[] | undefined {
  const order = inOrder(before)
  if (order === undefined) return undefined
  const places = new Int32Array(stages.length)
  order.forEach((stage, place) => (places[stage] = place))
  return order.map((stage) => {
    const after = before[stage]!.map((each) => ({ stage: places[each]!, fraction: 1 }))
    return { ...stages[stage]!, ...(after.length > 0 && { after }) }
  })
}

function inOrder(before: readonly (readonly number[])[]): number[] | undefined {
  const { waits, behind } = links(before)
  const order: number[] = []
  const ready = new Smallest()
  waits.forEach((count, i) => void (count === 0 && ready.add(i)))
  for (let next = ready.take(); next !== undefined; next = ready.take()) {
    order.push(next)
    for (const each of behind[next]!) if (--waits[each]! === 0) ready.add(each)
  }
  return order.length === before.length ? order : undefined
}

/** Indices of some that wait for each other in a circle, each for the next and the last for the first; for what `stagesInOrder` cannot order. */
export function circleIn(before: readonly (readonly number[])[]): number[] {
  const { waits, behind } = links(before)
  const free = waits.flatMap((count, i) => (count === 0 ? [i] : []))
  for (let next = free.pop(); next !== undefined; next = free.pop()) for (const each of behind[next]!) if (--waits[each]! === 0) free.push(each)
  const path = new Set<number>()
  let at = waits.findIndex((count) => count > 0)
  for (; !path.has(at); at = before[at]!.find((each) => waits[each]! > 0)!) path.add(at)
  return [...path].slice([...path].indexOf(at))
}

/** How many others each waits for, and which wait for it. */
function links(before: readonly (readonly number[])[]): { readonly waits: number[]; readonly behind: readonly number[][] } {
  const behind: number[][] = before.map(() => [])
  before.forEach((each, i) => each.forEach((one) => behind[one]!.push(i)))
  return { waits: before.map(({ length }) => length), behind }
}

/** A binary heap of numbers, from which the smallest is taken. */
class Smallest {
  readonly #heap: number[] = []

  add(value: number): void {
    const heap = this.#heap
    let at = heap.push(value) - 1
    for (let up = (at - 1) >> 1; at > 0 && heap[up]! > value; up = (at - 1) >> 1) {
      heap[at] = heap[up]!
      at = up
    }
    heap[at] = value
  }

  take(): number | undefined {
    const heap = this.#heap
    const [smallest] = heap
    const last = heap.pop()
    if (heap.length === 0 || last === undefined) return smallest
    let at = 0
    for (let down = 1; down < heap.length; down = 2 * at + 1) {
      if (down + 1 < heap.length && heap[down + 1]! < heap[down]!) down++
      if (heap[down]! >= last) break
      heap[at] = heap[down]!
      at = down
    }
    heap[at] = last
    return smallest
  }
}
