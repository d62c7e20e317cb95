import type { Fields } from '../json/fields.js'

/** Fewest pods of each kind that start together, from the number of pods of each kind. */
export type LeastOfKinds = (pods: ReadonlyMap<string, number>) => ReadonlyMap<string, number>

/** What a subgroup needs before any of it runs. */
interface Need {
  readonly name: string
  /** Number of pods by subgroup; empty if it needs none. */
  readonly pods: ReadonlyMap<string, number>
  /** Whether there are that many pods. */
  readonly isThere: boolean
}

/**
 * The fewest pods by subgroup for a pod group of KAI. In the group, and in each subgroup that contains others, `minSubGroup` subgroups must have
 * their pods; default: all. Those that need no pods count first, then by name those that have enough pods, as KAI takes them while nothing of the
 * group runs.
 *
 * Source: KAI Scheduler, collectTasksFromSubGroupSet, SubGroupSet.GetMinMembersToSatisfy.
 *
 * Deviations: the choice does not depend on what of the group has run. If too few subgroups have enough pods, KAI starts nothing, while here the
 * others are chosen with the pods they have. Pods of subgroups that are not needed start one by one here, in KAI together.
 */
export function leastOfSubgroups(spec: Fields): LeastOfKinds {
  const inside = new Map<string | undefined, Fields[]>()
  for (const each of spec.list('subGroups')) {
    const around = each.text('parent')?.toLowerCase() || undefined
    inside.set(around, [...(inside.get(around) ?? []), each])
  }
  const needOf = (group: Fields, name: string, members: readonly Fields[], pods: ReadonlyMap<string, number>): Need => {
    const needs = members.map((each) => memberNeed(each, pods)).sort(byName)
    const least = group.whole('minSubGroup') ?? needs.length
    const wanting = needs.filter((each) => each.pods.size > 0)
    const more = Math.max(0, least - (needs.length - wanting.length))
    const first = [...wanting.filter(({ isThere }) => isThere), ...wanting.filter(({ isThere }) => !isThere)].slice(0, more)
    return { name, pods: new Map(first.flatMap((each) => [...each.pods])), isThere: first.every(({ isThere }) => isThere) }
  }
  const memberNeed = (each: Fields, pods: ReadonlyMap<string, number>): Need => {
    const name = each.text('name') ?? ''
    const members = inside.get(name)
    if (members !== undefined) return needOf(each, name, members, pods)
    const least = each.whole('minMember') ?? 1
    return { name, pods: new Map(least > 0 ? [[name, least]] : []), isThere: (pods.get(name) ?? 0) >= least }
  }
  return (pods) => needOf(spec, '', inside.get(undefined) ?? [], pods).pods
}

const byName = (a: Need, b: Need): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
