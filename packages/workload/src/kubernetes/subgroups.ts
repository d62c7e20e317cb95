import type { Fields } from '../json/fields.js'

/** What starts together of the kinds of pods of a group. */
interface KindsTogether {
  /** Fewest pods of each kind that start together. */
  readonly least: ReadonlyMap<string, number>
  /** Kinds that the gang does without: the name of their group, and the fewest pods of each that start together. Default: none. */
  readonly optional?: ReadonlyMap<string, { readonly group: string; readonly least: number }>
  /** Pods of each kind that may not be preempted where only those beyond the minimum may be. Default: `least`. */
  readonly nonPreemptible?: ReadonlyMap<string, number>
}

/** What starts together, from the number of pods of each kind. */
export type LeastOfKinds = (pods: ReadonlyMap<string, number>) => KindsTogether

/** What a subgroup needs before any of it runs. */
interface Need {
  readonly name: string
  /** Number of pods by subgroup; empty if it needs none. */
  readonly pods: ReadonlyMap<string, number>
  /** Whether there are that many pods. */
  readonly isThere: boolean
  /** Of subgroups inside it that it does without: the pods that each needs. */
  readonly optional: NonNullable<KindsTogether['optional']>
  /** Number of pods by subgroup that may not be preempted. */
  readonly kept: ReadonlyMap<string, number>
}

/**
 * The fewest pods by subgroup for a pod group of KAI. In the group, and in each subgroup that contains others, `minSubGroup` subgroups must have
 * their pods; default: all. Those that need no pods count first, then by name those that have enough pods, as KAI takes them while nothing of the
 * group runs. Each of the others starts as a whole. `minNonPreemptible` pods of a subgroup, or subgroups in another, may not be preempted, if that is
 * more.
 *
 * Source: KAI Scheduler, collectTasksFromSubGroupSet, SubGroupSet.GetMinMembersToSatisfy, coreMembers.
 *
 * Deviations: the choice does not depend on what of the group has run. If too few subgroups have enough pods, KAI starts nothing, while here the
 * others are chosen with the pods they have.
 */
export function leastOfSubgroups(spec: Fields): LeastOfKinds {
  checkTree(spec)
  const inside = new Map<string | undefined, Fields[]>()
  for (const each of spec.list('subGroups')) {
    const around = parentOf(each)
    inside.set(around, [...(inside.get(around) ?? []), each])
  }
  const needOf = (group: Fields, name: string, members: readonly Fields[], pods: ReadonlyMap<string, number>): Need => {
    const needs = members.map((each) => memberNeed(each, pods)).sort(byName)
    const least = group.whole('minSubGroup') ?? needs.length
    const [idle, wanting] = [needs.filter((each) => each.pods.size === 0), needs.filter((each) => each.pods.size > 0)]
    const inOrder = [...wanting.filter(({ isThere }) => isThere), ...wanting.filter(({ isThere }) => !isThere)]
    const more = Math.max(0, least - idle.length)
    const [first, rest] = [inOrder.slice(0, more), inOrder.slice(more)]
    return {
      name,
      pods: new Map(first.flatMap((each) => [...each.pods])),
      isThere: first.every(({ isThere }) => isThere),
      optional: new Map([...needs.flatMap((each) => [...each.optional]), ...rest.flatMap((each) => Array.from(each.pods, ([kind, pods]) => [kind, { group: each.name, least: pods }] as const))]),
      kept: new Map([...idle, ...inOrder].slice(0, Math.max(least, group.whole('minNonPreemptible') ?? 0)).flatMap((each) => [...each.kept])),
    }
  }
  const memberNeed = (each: Fields, pods: ReadonlyMap<string, number>): Need => {
    const name = each.text('name') ?? ''
    const members = inside.get(name.toLowerCase())
    if (members !== undefined) return needOf(each, name, members, pods)
    const least = each.whole('minMember') ?? 1
    const kept = Math.max(least, each.whole('minNonPreemptible') ?? 0)
    return { name, pods: new Map(least > 0 ? [[name, least]] : []), isThere: (pods.get(name) ?? 0) >= least, optional: new Map(), kept: new Map([[name, kept]]) }
  }
  return (pods) => {
    const { pods: least, optional, kept } = needOf(spec, '', inside.get(undefined) ?? [], pods)
    return { least, optional, nonPreemptible: kept }
  }
}

const parentOf = (subgroup: Fields): string | undefined => subgroup.text('parent')?.toLowerCase() || undefined

/**
 * Throws for subgroups that are no tree, and for minima that KAI refuses.
 *
 * Source: KAI Scheduler, validatePodGroupSpec. Deviation: a subgroup of pods may leave its minimum out, as in earlier releases, and one that contains
 * others may have `minMember`, which has no effect.
 */
function checkTree(spec: Fields): void {
  const subgroups = new Map<string, Fields>()
  for (const each of spec.list('subGroups')) {
    const name = each.text('name') ?? ''
    if (subgroups.has(name.toLowerCase())) throw each.bad('name', `subgroup "${name}" was given before.`, 'Give every one once.')
    subgroups.set(name.toLowerCase(), each)
  }
  const parents = new Set(Array.from(subgroups.values(), parentOf))
  if (spec.whole('minSubGroup', 1) !== undefined && spec.has('minMember')) throw spec.bad('minSubGroup', 'is given beside minMember.', EITHER)
  for (const [name, each] of subgroups) {
    if (each.whole('minSubGroup') !== undefined && each.has('minMember')) throw each.bad('minSubGroup', 'is given beside minMember.', EITHER)
    if (each.has('minSubGroup') && !parents.has(name)) throw each.bad('minSubGroup', `there is no subgroup in "${name}".`, 'Give minMember, the fewest pods.')
    const above = new Set<string>()
    for (let around = parentOf(each); around !== undefined; around = parentOf(subgroups.get(around) as Fields)) {
      if (!subgroups.has(around)) throw each.bad('parent', `there is no subgroup "${around}".`)
      if (around === name) throw each.bad('parent', `the subgroup "${name}" is in itself.`)
      if (above.has(around)) break
      above.add(around)
    }
  }
}

const EITHER = 'Give one of them: the fewest subgroups, or the fewest pods.'

const byName = (a: Need, b: Need): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
