import type { Submitter } from './accountant.js'
import { allocate, assignQuotas } from './group-quotas.js'
import { usedBy, usedInside, type Group, type GroupTree } from './group-tree.js'
import type { NegotiatorSettings } from './options.js'
import type { Pie } from './pie.js'

/** Most times that slots are allocated to groups in a cycle. */
const ROUNDS = 3
/** Amounts of slot weight that differ by less are equal: sums of parts of quotas are not exact. */
const CLOSE = 1e-6

/** Lets members negotiate; without a group nobody limits them. */
type NegotiateWith = (members: readonly Submitter[], group?: Pie['group']) => void

/**
 * Lets the members of one group after the other negotiate, least served for its quota first, those of no group last. What a group could not use is
 * allocated again.
 *
 * Source: HTCondor, GroupEntry.cpp (hgq_prepare_for_matchmaking, hgq_negotiate_with_all_groups, strict_enforce_quota), with the default GROUP_SORT_EXPR.
 * Deviations: names of groups differ by case; equally served groups go by level and name.
 */
export function negotiateByGroups(tree: GroupTree, asking: readonly Submitter[], pool: number, demand: (submitter: Submitter) => number, settings: NegotiatorSettings, negotiateWith: NegotiateWith): void {
  const membersOf = prepare(tree, new Set(asking), demand)
  assignQuotas(tree.root, pool)
  for (let round = 0; round < ROUNDS; round++) {
    allocate(tree.root)
    if (settings.GROUP_AUTOREGROUP) tree.root.quota = tree.root.allocated = pool
    const allocated = tree.all.reduce((sum, group) => sum + group.allocated, 0)
    for (const group of inOrder(tree, settings.GROUP_AUTOREGROUP)) {
      const isOpen = settings.GROUP_AUTOREGROUP && group === tree.root // to everybody
      const members = isOpen ? asking : (membersOf.get(group) as Submitter[])
      const isFull = group.usage > group.allocated - CLOSE && !settings.NEGOTIATOR_CONSIDER_PREEMPTION
      if (group.allocated > CLOSE && !isFull && members.length > 0) negotiateWith(members, isOpen ? undefined : { used: () => usedBy(group), quota: limitOf(group) })
    }
    if (settle(tree) > allocated - CLOSE) return
  }
}

function prepare(tree: GroupTree, asking: ReadonlySet<Submitter>, demand: (submitter: Submitter) => number): ReadonlyMap<Group, readonly Submitter[]> {
  return new Map(tree.all.map((group) => {
    const members = group.members.filter((each) => asking.has(each))
    Object.assign(group, { quota: 0, subtreeQuota: 0, allocated: 0, usage: usedBy(group), requested: members.reduce((sum, each) => sum + demand(each), 0) })
    return [group, members]
  }))
}

/** By the part of the quota that is used; the root last, and before it groups without a quota. */
function inOrder({ all, root }: GroupTree, rootIsLast: boolean): Group[] {
  const served = (group: Group) => (group === root ? (rootIsLast ? Infinity : 3.4e38) : group.quota > 0 ? usedBy(group) / group.quota : 3.3e38)
  const keys = new Map(all.map((group, i) => [group, { served: served(group), i }] as const))
  const key = (group: Group) => keys.get(group) as { served: number; i: number }
  return [...all].sort((a, b) => (key(a).served === key(b).served ? key(a).i - key(b).i : key(a).served - key(b).served))
}

/** What the members of a group may use, in whole units: what is allocated, or its quota, as far as groups around it that accept no surplus have room. */
function limitOf(group: Group): number {
  let more = Math.max(group.allocated, group.quota) - group.usage
  for (let around: Group | undefined = group; around !== undefined; around = around.parent)
    if (!around.acceptsSurplus) more = Math.min(more, Math.max(0, (around.isStatic ? around.asked : around.subtreeQuota) - usedInside(around)))
  return Math.trunc(more + group.usage + CLOSE)
}

/** Notes what groups use by now, of which none gives another what it could not use itself; returns how much of what was allocated is used. */
function settle({ all }: GroupTree): number {
  let total = 0
  for (const group of all) {
    group.usage = usedBy(group)
    total += Math.min(group.usage, group.allocated)
    group.requested = group.usage < group.allocated - CLOSE ? group.usage : group.requested + group.allocated
  }
  return total
}
