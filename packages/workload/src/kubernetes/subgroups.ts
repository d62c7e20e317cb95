import type { Fields } from '../json/fields.js'

/** How many pods of each kind start together at least, of as many as there are of each. */
export type LeastOfKinds = (pods: ReadonlyMap<string, number>) => ReadonlyMap<string, number>

/** What a subgroup needs before anything of it runs. */
interface Need {
  readonly name: string
  /** Pods by subgroup; none where it does not need any. */
  readonly pods: ReadonlyMap<string, number>
  /** Whether there are so many. */
  readonly isThere: boolean
}

/**
 * The subgroups of a pod group of KAI: of those in the group, and in each subgroup that has others in it, `minSubGroup` must have their pods, by default all. Those
 * that need none count first, then the first by name that have pods enough, as KAI takes them while nothing of the group runs.
 *
 * Source: KAI Scheduler, collectTasksFromSubGroupSet, SubGroupSet.GetMinMembersToSatisfy. Deviations: the group is the same whatever has run of it; where too few
 * subgroups have pods enough KAI starts nothing, and here the others follow with what they have; pods of those that are not needed start one by one, there together.
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
