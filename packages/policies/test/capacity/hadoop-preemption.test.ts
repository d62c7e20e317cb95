import { idealAllocation, type QueueLoads } from '@sched/policies'
import { describe, expect, it } from 'vitest'

type Vector = number | readonly number[]
/** A queue: the place of its parent in the list (-1: root), guaranteed, used and pending. */
type Line = readonly [parent: number, guaranteed: Vector, used: Vector, pending?: Vector, change?: { readonly most?: Vector; readonly priority?: number; readonly reserved?: number }]
interface Look {
  readonly lines: readonly Line[]
  /** Queues with `disablePreemption`, which those inside inherit. */
  readonly closed?: readonly number[]
  readonly naturalTerminationFactor?: number
  readonly balances?: boolean
}

/** What is taken from each queue in one look, after the first line, in units of the amounts given, which are counted in so many parts; vectors as lists. */
function taken({ lines, closed = [], naturalTerminationFactor = 1, balances = false }: Look, parts = 1): Vector[] {
  const list = (vector: Vector): readonly number[] => (typeof vector === 'number' ? [vector * parts] : vector)
  const root = list(lines[0]?.[1] ?? 0)
  const width = root.length
  const none = root.map(() => 0)
  const isClosed = (queue: number): boolean => queue >= 0 && (closed.includes(queue) || isClosed(lines[queue]?.[0] ?? -1))
  const pending = lines.map(([, , , each]) => (each === undefined ? none : list(each)))
  const loads: QueueLoads = {
    count: lines.length, width, total: root,
    parent: lines.map(([parent]) => parent),
    guaranteed: lines.flatMap(([, guaranteed]) => list(guaranteed)),
    most: lines.flatMap(([, , , , change]) => list(change?.most ?? root)),
    used: lines.flatMap(([, , used]) => list(used)),
    pending: pending.flat(),
    unreserved: lines.flatMap(([, , , , change], at) => (pending[at] ?? []).map((each) => Math.max(0, each - (change?.reserved ?? 0) * parts))),
    isProtected: lines.map((_, at) => (isClosed(at) ? 1 : 0)),
    priority: lines.map(([, , , , change]) => change?.priority ?? 0),
  }
  const { toObtain } = idealAllocation(loads, { maxIgnoredOverCapacity: 0.1, naturalTerminationFactor, balances }, root)
  return lines.slice(1).map((_, i) => (width === 1 ? Math.round((toObtain[i + 1] ?? 0) / parts) : [...toObtain.slice((i + 1) * width, (i + 2) * width)]))
}

// Situations of Hadoop 3's TestProportionalCapacityPreemptionPolicy and its variants in numbers of our own: what is taken, to the container.

const flat = (...lines: readonly (readonly [guaranteed: number, used: number, pending?: number])[]): readonly Line[] => [
  [-1, lines.reduce((sum, [own]) => sum + own, 0), lines.reduce((sum, [, uses]) => sum + uses, 0)],
  ...lines.map(([own, uses, wants = 0]): Line => [0, own, uses, wants]),
]
/** A of B and C, D of E and F, G of H and I; F wants 40 and gets them from B, whose queue has too much, and from E beside it. */
const broad: readonly Line[] = [[-1, 900, 900], [0, 300, 348], [1, 120, 168], [1, 180, 180], [0, 360, 360], [4, 160, 220], [4, 200, 140, 40], [0, 240, 192], [7, 100, 150], [7, 140, 42]]
/** A of B and C, D of E and F; F wants 15. What B and C have reserved. */
const pair = (b = 0, c = 0): readonly Line[] => [[-1, 300, 300], [0, 150, 165], [1, 75, 90, 0, { reserved: b }], [1, 75, 75, 0, { reserved: c }], [0, 150, 135], [4, 15, 135], [4, 135, 0, 15]]
/** A of B, C and D, E of F, G and H; F wants its guarantee. */
const wide = (a: readonly [number, number][], e: readonly [number, number, number?][]): readonly Line[] => [
  [-1, [...a, ...e].reduce((sum, [own]) => sum + own, 0), 0],
  [0, a.reduce((sum, [own]) => sum + own, 0), a.reduce((sum, [, uses]) => sum + uses, 0)],
  ...a.map(([own, uses]): Line => [1, own, uses]),
  [0, e.reduce((sum, [own]) => sum + own, 0), e.reduce((sum, [, uses]) => sum + uses, 0)],
  ...e.map(([own, uses, wants = 0]): Line => [2 + a.length, own, uses, wants]),
]

describe('one look of preemption (TestProportionalCapacityPreemptionPolicy)', () => {
  it.each<[string, Look, readonly number[]]>([
    ['testProportionalPreemption: for the one below its guarantee alone, whatever the others want', { lines: flat([30, 72, 50], [70, 104, 8], [40, 24, 40], [60, 0]) }, [16, 0, 0, 0]],
    ['testIgnore: nothing where nobody wants any', { lines: flat([60, 0], [60, 90], [30, 60]) }, [0, 0, 0]],
    ['testMaxCap: nothing for one at its maximum', { lines: [[-1, 200, 200], [0, 80, 110, 20], [0, 80, 90, 20, { most: 90 }], [0, 40, 0]] }, [0, 0, 0]],
    ['testPreemptCycle: all from the one that has most of its guarantee', { lines: flat([120, 0, 30], [120, 180], [60, 120]) }, [0, 0, 30]],
    ['testDeadzone: nothing from those that have a tenth too much', { lines: flat([80, 78, 20], [80, 86], [40, 42, 10]) }, [0, 0, 0]],
    ['testOverCapacityImbalance: nothing between queues that have more than their guarantees', { lines: flat([80, 110, 20], [80, 90, 20], [40, 0]) }, [0, 0, 0]],
    ['testNaturalTermination: nor a part of it', { lines: flat([80, 110, 20], [80, 90, 20], [40, 0]), naturalTerminationFactor: 0.1 }, [0, 0, 0]],
    ['testPerQueueDisablePreemption: by their guarantees', { lines: flat([110, 0, 20], [50, 108], [40, 92]) }, [0, 8, 12]],
    ['the same, B closed', { lines: flat([110, 0, 20], [50, 108], [40, 92]), closed: [2] }, [0, 0, 20]],
    ['testHierarchical: from B, whose queue has too much, not from E, which has far more', { lines: pair() }, [0, 15, 0, 0, 0, 0]],
    ['testHierarchicalWithReserved: reservations of others change nothing', { lines: pair(22, 15) }, [0, 15, 0, 0, 0, 0]],
    ['testPerQueueDisablePreemptionHierarchical: from E beside it, where B is closed', { lines: pair(), closed: [2] }, [0, 0, 0, 0, 15, 0]],
    ['testPerQueueDisablePreemptionBroadHierarchical', { lines: broad }, [0, 26, 0, 0, 14, 0, 0, 0, 0]],
    ['the same, B closed', { lines: broad, closed: [2] }, [0, 0, 0, 0, 40, 0, 0, 0, 0]],
    ['the same, B and E closed: H has too much in a queue that has not', { lines: broad, closed: [2, 5] }, [0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['testPerQueueDisablePreemptionInheritParent: most from D, which has most of its guarantee', { lines: wide([[150, 0], [170, 280], [80, 280]], [[160, 0, 150], [160, 160], [80, 80]]) }, [0, 0, 1, 149, 0, 0, 0, 0]],
    ['the same, A closed', { lines: wide([[150, 0], [170, 280], [80, 280]], [[160, 0, 150], [160, 160], [80, 80]]), closed: [1] }, [0, 0, 0, 0, 0, 0, 0, 0]],
    ['testPerQueuePreemptionNotAllUntouchable: C has far more, but is closed', { lines: wide([[400, 150], [50, 370], [50, 120]], [[250, 260], [150, 0, 140], [100, 100]]), closed: [3] }, [0, 0, 0, 70, 0, 0, 0, 0]],
    ['testPerQueueDisablePreemptionRootDisablesAll', { lines: broad, closed: [0] }, [0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['testPerQueueDisablePreemptionOverAbsMaxCapacity: E is closed by D, though above its maximum', { lines: [[-1, 600, 600], [0, 440, 446], [1, 210, 230], [1, 230, 216, 20], [0, 160, 154, 0, { most: 330 }], [4, 10, 66, 20, { most: 60 }], [4, 150, 88]], closed: [4] }, [0, 0, 0, 0, 0, 0]],
    ['testZeroGuar: who has no guarantee loses nothing while its queue is within its own', { lines: [[-1, 300, 255], [0, 150, 125], [1, 0, 95], [1, 148, 30], [0, 150, 130], [4, 20, 130], [4, 130, 0, 15]] }, [0, 0, 0, 0, 0, 0]],
    ['testZeroGuarOverCap: nor do two take from each other', { lines: [[-1, 300, 255], [0, 150, 255], [1, 0, 90, 40], [1, 150, 30, 15], [1, 0, 135, 20], [0, 150, 0], [5, 150, 0, 20]] }, [0, 0, 0, 0, 0, 0]],
    ['testHierarchicalLarge: from B as far as A has too much, then from H beside it', { lines: [[-1, 800, 800], [0, 400, 421], [1, 120, 141], [1, 280, 280], [0, 200, 200], [4, 140, 100], [4, 60, 100], [0, 200, 179], [7, 20, 179], [7, 180, 0, 35]] }, [0, 21, 0, 0, 0, 0, 0, 14, 0]],
    ['testHierarchicalLarge3Levels: of E on the third level no more than A has too much on the first', { lines: [[-1, 600, 600], [0, 300, 314], [1, 90, 88], [1, 210, 226], [3, 150, 148], [3, 60, 78], [0, 150, 150], [6, 105, 75], [6, 45, 75], [0, 150, 136], [9, 15, 15], [9, 135, 121, 14]] }, [0, 0, 0, 0, 14, 0, 0, 0, 0, 0, 0]],
    ['testPreemptionNotHappenForSingleReservedQueue: it has reserved more than it wants', { lines: [[-1, 100, 80], [0, 40, 80, 25, { reserved: 45 }], [0, 60, 0]] }, [0, 0]],
    ['testPreemptionToBalanceDisabled: no more than for the guarantee', { lines: flat([36, 14, 40], [36, 46, 40], [36, 60, 40], [12, 0]) }, [0, 4, 18, 0]],
    ['the same, where less is wanted', { lines: flat([36, 14, 8], [36, 46, 40], [36, 60, 40], [12, 0]) }, [0, 0, 8, 0]],
    ['testPreemptionToBalanceEnabled: to equal parts', { lines: flat([36, 14, 40], [36, 46, 40], [36, 60, 40], [12, 0]), balances: true }, [0, 6, 20, 0]],
    ['testPreemptionToBalanceUsedPlusPendingLessThanGuaranteed', { lines: flat([36, 14, 8], [36, 46, 40], [36, 60, 40], [12, 0]), balances: true }, [0, 0, 11, 0]],
    ['testNodePartitionNonAccessibleQueuesSharePartitionedResource: of a lent partition, those without a guarantee give equally', { lines: flat([60, 0, 40], [60, 36], [0, 42, 60], [0, 42, 60]) }, [0, 0, 20, 20]],
  ])('takes as Hadoop does: %s', (_, look, expected) => {
    expect(taken(look)).toEqual(expected)
    expect(taken(look, 1024)).toEqual(expected) // as in MB, in which Hadoop counts
  })

  it.each([10, 30, 45])('brings a queue to its guarantee of %i in units as large as tasks, however small the part it is offered at a time', (own) => {
    expect(taken({ lines: flat([100 - own, 100], [own, 0, own]) })).toEqual([own, 0])
  })

  it('hands parts out that are rounded up while there is something: of two equal queues one keeps less, and the third gets what it is due', () => {
    // 9 for three queues of 3: of the 2 that are left C gets the 1 that it wants; half of the other is rounded up for A, and there is none for B
    expect(taken({ lines: flat([3, 4], [3, 4], [3, 1, 1]) })).toEqual([0, 1, 0])
  })
})

describe('one look with priorities of queues (TestPreemptionForQueueWithPriorities)', () => {
  const by = (priorities: readonly number[], lines: readonly Line[]): readonly Line[] => lines.map(([parent, own, uses, wants = 0], i) => [parent, own, uses, wants, { priority: priorities[i - 1] ?? 0 }])
  const three = flat([60, 77, 90], [60, 118, 90], [80, 5, 60])
  const five = flat([20, 71, 90], [30, 52, 90], [40, 75, 90], [50, 0], [60, 2, 190])
  it.each<[string, Look, readonly number[]]>([
    ['testPreemptionForHighestPriorityUnderutilizedQueue: all above their guarantee are brought to it', { lines: by([1, 2, 2], three) }, [17, 43, 0]],
    ['testPreemptionForLowestPriorityUnderutilizedQueue: the same for one of low priority', { lines: by([1, 2, 0], three) }, [17, 43, 0]],
    ['testPreemptionWontHappenBetweenSatisfiedQueues', { lines: by([1, 1, 2], flat([60, 0], [60, 85, 90], [80, 115, 60])) }, [0, 0, 0]],
    ['testPreemptionForMultipleQueuesInTheSamePriorityBuckets: the high ones keep what they have, the low ones divide the rest', { lines: by([1, 1, 2, 2, 2], five) }, [45, 13, 0, 0, 0]],
    ['testPreemptionForPriorityAndDisablePreemption: a high one gives where a low one is closed', { lines: by([1, 1, 2, 2, 2], five), closed: [1] }, [0, 22, 35, 0, 0]],
    ['testPriorityPreemptionForHierarchicalOfQueues: first between parents, then by priority in each', { lines: by([1, 1, 1, 1, 1, 2, 1], [[-1, 200, 200], [0, 60, 80], [1, 24, 42, 90], [1, 36, 38, 90], [0, 60, 116], [4, 33, 60, 90], [4, 27, 56, 90], [0, 80, 4, 60]]) }, [0, 12, 0, 0, 27, 21, 0]],
  ])('takes as Hadoop does: %s', (_, look, expected) => {
    expect(taken(look)).toEqual(expected)
    expect(taken(look, 1024)).toEqual(expected) // as in MB, in which Hadoop counts
  })
})

describe('one look over several resources (TestProportionalCapacityPreemptionPolicyInterQueueWithDRF)', () => {
  const none = [0, 0]
  it('takes both for a queue that lacks both (testInterQueuePreemptionWithMultipleResource)', () => {
    expect(taken({ lines: [[-1, [120, 240], [120, 240]], [0, [60, 120], [48, 96], [40, 80]], [0, [60, 120], [72, 144], [40, 60]]] })).toEqual([none, [12, 24]])
  })

  it('balances both, not below a guarantee that is wanted (testPreemptionToBalanceWithVcoreResource; the one container more that is marked is in the tests of whole looks)', () => {
    expect(taken({ lines: [[-1, [120, 120], [120, 120]], [0, [72, 72], [48, 48], [84, 48]], [0, [48, 48], [72, 72], [60, 120]]], balances: true })).toEqual([none, [24, 24]])
  })

  it('takes at least one of what lacks, however small the part (testInterQueuePreemptionWithNaturalTerminationFactor)', () => {
    // 40 of 80 memory are free, no core is; B wants one core, a fifth of it is rounded up
    expect(taken({ lines: [[-1, [80, 40], [40, 40]], [0, [40, 20], [40, 40]], [0, [40, 20], none, [2, 1]]], naturalTerminationFactor: 0.2 })).toEqual([[0, 1], none])
  })

  it('takes of the third resource what one of two equal queues has too much (test3ResourceTypesInterQueuePreemption)', () => {
    // of 10 devices A and B use 5 each and are due 3; C wants 2 and is due 4
    const lines: Line[] = [[-1, [60, 36, 10], [24, 24, 10]], [0, [20, 12, 3], [12, 12, 5]], [0, [20, 12, 3], [12, 12, 5]], [0, [20, 12, 4], [0, 0, 0], [2, 2, 2]]]
    const [a, b] = taken({ lines }) as [number[], number[]]
    expect([a.slice(0, 2), b.slice(0, 2), (a[2] ?? 0) + (b[2] ?? 0)]).toEqual([none, none, 2])
  })

  it('keeps nothing for a queue of what it does not use of its guarantee, where it has too much of another resource', () => {
    // A uses 90 of 100 cores and 10 memory, C 80 memory: B's 10 and 10 are free. 40 of 40 kept for each would leave 20 and 20
    expect(taken({ lines: [[-1, [100, 100], [90, 90]], [0, [40, 40], [10, 90]], [0, [20, 20], none, [10, 10]], [0, [40, 40], [80, 0]]] })).toEqual([none, none, none])
  })
})
