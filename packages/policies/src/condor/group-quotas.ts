import type { Group } from './group-tree.js'

/**
 * Divides a quota among a group and those inside of it: static quotas first, dynamic ones as parts of the rest, and what then remains is the group's own.
 *
 * Source: HTCondor, GroupEntry.cpp (hgq_assign_quotas).
 */
export function assignQuotas(group: Group, quota: number): void {
  if (quota <= 0) return
  group.subtreeQuota = quota
  const asked = (isStatic: boolean) => group.children.reduce((sum, child) => sum + (child.isStatic === isStatic ? child.asked : 0), 0)
  const ofStatic = asked(true)
  const ofDynamic = asked(false)
  const forStatic = Math.min(ofStatic, quota)
  const forDynamic = Math.max(0, quota - forStatic)
  let given = 0
  for (const child of group.children) {
    const part = child.isStatic ? child.asked * (forStatic / (ofStatic > 0 ? ofStatic : 1)) : child.asked * (forDynamic / Math.max(1, ofDynamic))
    assignQuotas(child, part)
    given += part
  }
  group.quota = Math.max(0, quota - given)
}

/**
 * Allocates to each group what it requests, up to its quota, and then what is left to those that accept it; returns what nobody does.
 *
 * Source: HTCondor, GroupEntry.cpp (hgq_fairshare).
 */
export function allocate(group: Group): number {
  group.allocated = Math.min(group.requested, group.quota)
  group.requested -= group.allocated
  group.subtreeRequested = group.requested
  let surplus = group.quota - group.allocated
  for (const child of group.children) {
    surplus += allocate(child)
    if (child.acceptsSurplus) group.subtreeRequested += child.subtreeRequested
  }
  return group.children.length === 0 ? surplus : allocateSurplus(group, surplus)
}

/** One who takes part in a division of surplus: a group with all inside of it, or a group alone beside those inside of it. */
interface Sharer {
  readonly quota: number
  wants: number
  gets: number
}

/** Source: HTCondor, GroupEntry.cpp (hgq_allocate_surplus, hgq_allocate_surplus_loop). */
function allocateSurplus(group: Group, surplus: number): number {
  if (surplus <= 0) return 0
  if (group.subtreeRequested <= 0) return surplus
  const sharers: Sharer[] = group.children.map((child) => ({ quota: child.subtreeQuota, wants: child.acceptsSurplus ? Math.max(0, child.subtreeRequested) : 0, gets: 0 }))
  const own: Sharer = { quota: group.quota, wants: Math.max(0, group.requested), gets: 0 }
  sharers.push(own)
  let left = surplus
  if (surplus >= group.subtreeRequested) {
    for (const each of sharers) each.gets = each.wants
    left -= group.subtreeRequested
    group.subtreeRequested = 0
  } else {
    left = share(sharers, left, ({ quota }) => quota)
    left = share(sharers, left, () => 1)
    group.subtreeRequested -= surplus - left
  }
  for (const [i, child] of group.children.entries()) if ((sharers[i] as Sharer).gets > 0) allocateSurplus(child, (sharers[i] as Sharer).gets)
  group.allocated += own.gets
  group.requested -= own.gets
  return left
}

/** Divides surplus in proportion to weights, again and again, as some get all that they want; returns what is left. */
function share(sharers: readonly Sharer[], surplus: number, weight: (sharer: Sharer) => number): number {
  let left = surplus
  while (left > 0) {
    const wanting = sharers.filter(({ wants }) => wants > 0)
    const total = wanting.reduce((sum, each) => sum + weight(each), 0)
    if (total <= 0) return left
    let areAllShort = true
    let given = 0
    for (const each of wanting) {
      const part = Math.min(left * (weight(each) / total), each.wants)
      if (left * (weight(each) / total) > each.wants) areAllShort = false
      each.gets += part
      each.wants -= part
      given += part
    }
    left = areAllShort ? 0 : Math.max(0, left - given)
  }
  return left
}
