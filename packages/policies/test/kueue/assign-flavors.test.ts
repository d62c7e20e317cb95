import { dispatcher } from '@sched/cluster'
import type { StageSpec } from '@sched/core'
import { kueue, type KueueOptions } from '@sched/policies'
import { instantCluster, job } from '@sched/testkit'
import { describe, expect, it } from 'vitest'

// The cases of Kueue's TestAssignFlavors that no other file here has (flavorassigner_test.go): queue a is the one under test, b the secondary one. What is in
// use there is held here by workloads that are pinned to a flavor, those of priority -1 where it may be preempted. Where the table there has an oracle say that
// preemption would do, somebody is there who gives way (c borrows, where b there would not).

type Queue = NonNullable<KueueOptions['queues']>[string]
type Amounts = Readonly<Record<string, number>>
type Constraints = NonNullable<StageSpec['constraints']>
/** By flavor: what a queue has of each resource, CPUs where it is a number. */
type Quotas = Readonly<Record<string, number | Amounts>>
type Held = readonly [id: string, asks: number | Amounts, pinned: Readonly<Record<string, string>> | string, priority?: number]

const cpu = (amounts: number | Amounts): Amounts => (typeof amounts === 'number' ? { cpu: amounts } : amounts)
const byFlavor = (quotas: Quotas) => Object.fromEntries(Object.entries(quotas).map(([flavor, amounts]) => [flavor, cpu(amounts)]))
const FLAVORS = { one: { type: 'one' }, two: { type: 'two' }, b_one: { b_type: 'one' }, b_two: { b_type: 'two' } }

/** Who is preempted, `-id`, and the kind of node on which the last one starts; or why it is refused. */
function assigned(queues: Readonly<Record<string, Queue>>, held: readonly Held[], asks: number | Amounts, constraints?: Constraints): readonly string[] | string {
  const nodes = ['one', 'two'].flatMap((type) => ['one', 'two'].map((b) => ({ name: `${type}+b_${b}`, count: 1, resources: { cpu: 300, mem: 300, gpu: 300 }, labels: { type, b_type: b, ignored1: 'foo', ignored2: 'bar' } })))
  const master = dispatcher({ cluster: instantCluster({ nodes }), policy: kueue({ flavors: FLAVORS, queues }) })
  const submit = (id: string, demand: Amounts, priority: number, now: number, where?: Constraints) => {
    const { stages, ...spec } = job({ id, queue: id.charAt(0), priority, demand })
    master.submit({ ...spec, stages: stages.map((stage) => ({ ...stage, ...(where && { constraints: where }) })) }, now)
  }
  for (const [i, [id, amounts, pinned, priority = 0]] of held.entries()) {
    submit(id, cpu(amounts), priority, i, { require: typeof pinned === 'string' ? { type: pinned } : pinned })
    expect(master.pass(i).start.map((each) => each.job)).toEqual([id])
  }
  try {
    submit('a_in', cpu(asks), 0, held.length, constraints)
  } catch (error) {
    return (error as Error).message
  }
  const { start, kill } = master.pass(held.length)
  return [...kill.map((each) => `-${each.job}`).sort(), ...start.map((each) => `+${each.job} ${each.node.replace(/-\d+$/, '')}`)]
}

const of = (quotas: Quotas, more: Queue = {}): Queue => ({ nominalQuota: byFlavor(quotas), ...more })
const both = (quotas: Quotas, more: Queue = {}): Queue => of(quotas, { cohort: 'c', ...more })
const lower = { withinClusterQueue: 'LowerPriority' } as const
const own = { preemption: lower } as const
const any = { preemption: { ...lower, reclaimWithinCohort: 'Any' } } as const
const borrowing = { reclaimWithinCohort: 'LowerPriority', borrowWithinCohort: { policy: 'LowerPriority' } } as const
const stop = { whenCanBorrow: 'Borrow', whenCanPreempt: 'Preempt' } as const
const next = { whenCanBorrow: 'TryNextFlavor', whenCanPreempt: 'TryNextFlavor' } as const
const terms = (...all: readonly (readonly [key: string, value: string])[]): Constraints => ({ nodeSelectorTerms: all.map(([key, value]) => ({ matchExpressions: [{ key, operator: 'In', values: [value] }] })) })
const groups = { resourceGroups: [['cpu', 'mem'], ['gpu']] }

describe('a flavor for each resource (TestAssignFlavors)', () => {
  it.each<[string, Readonly<Record<string, Queue>>, readonly Held[], number | Amounts, readonly string[] | string, Constraints?]>([
    ['single flavor, fits', { a: of({ one: { cpu: 1, mem: 2 } }) }, [], { cpu: 1, mem: 1 }, ['+a_in one+b_one']],
    ['single flavor, used resources, doesn\'t fit', { a: of({ one: 4 }, own) }, [['a_1', 3, 'one', -1]], 2, ['-a_1', '+a_in one+b_one']],
    ['multiple resource groups, fits', { a: of({ one: 2, two: 4, b_one: { mem: 10 }, b_two: { mem: 50 } }, { resourceGroups: [['cpu'], ['mem']] }) }, [], { cpu: 3, mem: 10 }, ['+a_in two+b_one']],
    ['multiple resource groups, one could fit with preemption, other doesn\'t fit', { a: of({ one: 3, b_one: { mem: 1 } }, { ...own, resourceGroups: [['cpu'], ['mem']] }) }, [['a_1', 1, { type: 'one', b_type: 'one' }, -1]], { cpu: 3, mem: 10 }, 'queue a: 10 mem of at most 1'],
    ['multiple resource groups with multiple resources, fits', { a: of({ one: { cpu: 2, mem: 100 }, two: { cpu: 4, mem: 15 }, b_one: { gpu: 4 }, b_two: { gpu: 2 } }, groups) }, [], { cpu: 3, mem: 10, gpu: 3 }, ['+a_in two+b_one']],
    [
      'multiple resource groups with multiple resources, fits with different modes',
      { a: both({ one: { cpu: 2, mem: 100 }, two: { cpu: 4, mem: 15 }, b_one: { gpu: 4 } }, { ...any, ...groups }), b: both({ one: { cpu: 0, mem: 0 }, two: { cpu: 0, mem: 0 }, b_one: { gpu: 0 } }, groups) },
      [['a_1', { mem: 10 }, 'two', -1], ['b_1', { gpu: 2 }, { b_type: 'one' }]],
      { cpu: 3, mem: 10, gpu: 3 },
      ['-a_1', '-b_1', '+a_in two+b_one'],
    ],
    ['multiple resources in a group, doesn\'t fit', { a: of({ one: { cpu: 2, mem: 100 }, two: { cpu: 4, mem: 5 } }) }, [], { cpu: 3, mem: 10 }, 'queue a: 3 cpu of at most 2'],
    ['multiple flavors, fits a node selector', { a: of({ one: 4, two: 4 }) }, [], 1, ['+a_in two+b_one'], { require: { type: 'two', ignored1: 'foo' }, ...terms(['ignored2', 'bar']) }],
    ['multiple flavors, fits with node affinity', { a: of({ one: { cpu: 4, mem: 10 }, two: { cpu: 4, mem: 10 } }) }, [], { cpu: 1, mem: 1 }, ['+a_in two+b_one'], { require: { ignored1: 'foo' }, ...terms(['type', 'two']) }],
    ['multiple flavors, node affinity fits any flavor', { a: of({ one: 4, two: 4 }) }, [], 1, ['+a_in one+b_one'], terms(['ignored2', 'bar'], ['type', 'two'])],
    ['multiple flavors, doesn\'t fit node affinity', { a: of({ one: 4, two: 4 }) }, [], 1, 'requires type = three, which no node of cluster has', terms(['type', 'three'])],
    ['not enough space to borrow', { a: both({ one: 1 }), b: both({ one: 10 }, { lendingLimit: { one: { cpu: 0 } } }) }, [['b_1', 9, 'one']], 2, 'queue a: 2 cpu of at most 1'],
    ['past max, but can preempt in ClusterQueue', { a: both({ one: 2 }, { ...own, borrowingLimit: { one: { cpu: 8 } } }), b: both({ one: 98 }) }, [['b_1', 9, 'one'], ['a_1', 7, 'one'], ['a_2', 2, 'one', -1]], 2, ['-a_2', '+a_in one+b_one']],
    ['past min, but can preempt in ClusterQueue', { a: of({ one: 2 }, own) }, [['a_1', 1, 'one', -1]], 2, ['-a_1', '+a_in one+b_one']],
    ['past min, but can preempt in cohort and ClusterQueue', { a: both({ one: 3 }, any), b: both({ one: 7 }) }, [['b_1', 7, 'one'], ['a_1', 2, 'one', -1], ['b_2', 1, 'one']], 2, ['-a_1', '+a_in one+b_one']],
    ['past min, but can preempt in cohort and ClusterQueue: more than either gives', { a: both({ one: 3 }, any), b: both({ one: 7 }) }, [['b_1', 7, 'one'], ['a_1', 2, 'one', -1], ['b_2', 1, 'one']], 3, ['-a_1', '-b_2', '+a_in one+b_one']],
    ['can only preempt flavors that match affinity', { a: of({ one: 4, two: 4 }, own) }, [['a_1', 3, 'one', -1], ['a_2', 3, 'two', -1]], 2, ['-a_2', '+a_in two+b_one'], { require: { type: 'two' } }],
    ['lend try next flavor, found the second flavor', { a: both({ one: 10, two: 10 }, { flavorFungibility: next, lendingLimit: { one: { cpu: 1 }, two: { cpu: 0 } } }), b: both({ one: 1 }) }, [['a_1', 2, 'one']], 9, ['+a_in two+b_one']],
    ['lend try next flavor, found the first flavor', { a: both({ one: 10, two: 1 }, { flavorFungibility: next, lendingLimit: { one: { cpu: 1 }, two: { cpu: 0 } } }), b: both({ one: 1 }) }, [['a_1', 2, 'one']], 9, ['+a_in one+b_one']],
    ['quota exhausted, but can preempt in cohort and ClusterQueue', { a: both({ one: 10 }, { ...any, lendingLimit: { one: { cpu: 0 } } }), b: both({ one: 0 }) }, [['a_1', 2, 'one', -1]], 9, ['-a_1', '+a_in one+b_one']],
    ['when borrowing while preemption is needed for flavor one; WhenCanBorrow=Borrow', { a: both({ one: 0, two: 12 }, { preemption: borrowing, flavorFungibility: stop, borrowingLimit: { one: { cpu: 12 } } }), b: both({ one: 12 }), c: both({ one: 0 }) }, [['c_1', 10, 'one', -1]], 12, ['-c_1', '+a_in one+b_one']],
    ['when borrowing while preemption is needed for flavor one, no borrowingLimit; WhenCanBorrow=Borrow', { a: both({ one: 0, two: 12 }, { preemption: borrowing, flavorFungibility: stop }), b: both({ one: 12 }), c: both({ one: 0 }) }, [['c_1', 10, 'one', -1]], 12, ['-c_1', '+a_in one+b_one']],
    ['when borrowing while preemption is needed for flavor one; WhenCanBorrow=TryNextFlavor', { a: both({ one: 0, two: 12 }, { preemption: borrowing, flavorFungibility: { ...stop, whenCanBorrow: 'TryNextFlavor' }, borrowingLimit: { one: { cpu: 12 } } }), b: both({ one: 12 }) }, [['b_1', 10, 'one', -1]], 12, ['+a_in two+b_one']],
    ['when borrowing while preemption is needed, but borrowingLimit exceeds the quota available in the cohort', { a: both({ one: 0 }, { preemption: borrowing, borrowingLimit: { one: { cpu: 12 } } }), b: both({ one: 11 }) }, [['b_1', 10, 'one', -1]], 12, 'queue a: 12 cpu of at most 11'],
    ['preferPreemption; preempt without borrowing is preferred over fit with borrowing; preempt within cohort', { a: both({ one: 10, two: 5 }, { ...any, flavorFungibility: { ...next, preference: 'PreemptionOverBorrowing' } }), b: both({ one: 5, two: 5 }) }, [['b_1', 5, 'one'], ['b_2', 5, 'one']], 10, ['-b_2', '+a_in one+b_one']],
    ['preferPreemption; preempt without borrowing is preferred over fit with borrowing; preempt in own CQ', { a: both({ one: 10, two: 5 }, { ...own, flavorFungibility: { ...next, preference: 'PreemptionOverBorrowing' } }), b: both({ one: 5, two: 5 }) }, [['a_1', 10, 'one', -1]], 10, ['-a_1', '+a_in one+b_one']],
    ['preferPreemption; fit without borrowing is preferred over fit with borrowing', { a: both({ one: 5, two: 10 }, { ...own, flavorFungibility: { ...next, preference: 'PreemptionOverBorrowing' } }), b: both({ one: 5, two: 5 }) }, [], 10, ['+a_in two+b_one']],
  ])('%s', (_, queues, held, asks, expected, constraints) => {
    const found = assigned(queues, held, asks, constraints)
    if (typeof expected === 'string') expect(found).toContain(expected)
    else expect(found).toEqual(expected)
  })
})
