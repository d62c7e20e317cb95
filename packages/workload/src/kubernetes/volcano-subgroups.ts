import { tagsMeet, type NodeRequirement } from '@sched/core'
import type { Fields } from '../json/fields.js'
import { requirementsOf } from './placement-rules.js'
import type { LeastOfKinds } from './subgroups.js'
import { levelsOfNetwork, type AskedLevels, type Member, type Subgroups } from './topology.js'

/** Which pods of a group are in subgroups, and what of these must start together. */
interface Policy {
  readonly name: string
  /** Pods that a subgroup needs before any of it runs. */
  readonly size: number
  /** How many subgroups the group needs. */
  readonly least: number
  /** Labels of the pods that it is about; `undefined` if they could not be read, and it is about none. */
  readonly of: readonly NodeRequirement[] | undefined
  /** Labels of which each combination of values is a subgroup. */
  readonly by: readonly string[]
  readonly levels: AskedLevels | undefined
}

interface Subgroup {
  readonly kind: string
  readonly policy: Policy
  /** Number of its first value, 0 if that is none. */
  readonly number: number
}

const TASK = 'volcano.sh/task-spec'
const PARTITION = 'volcano.sh/partition-id'

/**
 * The subgroups of a pod group of Volcano (`subGroupPolicy`), or of the tasks of a job (`partitionPolicy`). `kindOf` has to be told all pods before
 * anything else is asked.
 *
 * Source: Volcano, sub_job_info.go (getSubJobMatchValues, getSubJobID), job_info.go (CheckSubJobReady), allocate.go (organizeJobWorksheet), and
 * getSubGroupPolicy of its jobs.
 *
 * Deviations: which subgroups the group needs does not depend on what of it has room. A subgroup with fewer pods than it needs starts with all that
 * it has.
 */
export class VolcanoSubgroups implements Subgroups {
  /** Subgroups of which pods are known, by their kind. */
  readonly #subgroups = new Map<string, Subgroup>()

  constructor(private readonly policies: readonly Policy[]) {}

  /** The kind of a pod: its subgroup, or else its task. */
  kindOf({ tags, kind }: Member): string | undefined {
    const labels = kind === undefined ? tags : { [TASK]: kind, ...tags }
    for (const policy of this.policies) {
      const values = policy.by.map((key) => labels[key] ?? '')
      if (values.includes('') || policy.of === undefined || !tagsMeet(labels, { matchExpressions: policy.of })) continue
      const subgroup = `${policy.name}-${values.join('-')}`
      this.#subgroups.set(subgroup, { kind: subgroup, policy, number: /^[+-]?\d+$/.test(values[0] ?? '') ? Number(values[0]) : 0 })
      return subgroup
    }
    return kind
  }

  /** The groups of nodes that the pods of a kind should share. */
  levelsOf(kind: string): AskedLevels | undefined {
    const levels = this.#subgroups.get(kind)?.policy.levels
    return levels && { ...levels, group: `subgroup ${kind}` }
  }

  /**
   * What starts together: of each policy as many subgroups as the group needs, in the order of their numbers and names, those first that have enough
   * pods; of other pods as many as their task needs (`ofTask`); and if that is less than `all`, more pods, subgroups as a whole.
   */
  least(all: number, ofTask: ReadonlyMap<string, number>): LeastOfKinds {
    return (pods) => {
      const inOrder = this.#inOrder(pods)
      const needed = new Set(this.policies.flatMap((policy) => inOrder.filter((each) => each.policy === policy).slice(0, policy.least)))
      const least = new Map([...ofTask].filter(([task]) => pods.has(task)))
      for (const { kind, policy } of needed) least.set(kind, policy.size)
      let missing = Math.max(1, all) - [...least.values()].reduce((sum, each) => sum + each, 0)
      const fill = (kind: string, from: number, to: number) => {
        const more = Math.min(missing, to - from)
        if (more <= 0) return
        least.set(kind, from + more)
        missing -= more
      }
      for (const [kind, count] of pods) if (least.has(kind) || !this.#subgroups.has(kind)) fill(kind, least.get(kind) ?? 0, count)
      for (const each of inOrder) {
        if (missing <= 0 || needed.has(each)) continue
        const { kind, policy: { size } } = each
        needed.add(each)
        least.set(kind, size)
        missing -= size
        fill(kind, size, pods.get(kind) as number)
      }
      return { least, optional: new Map(inOrder.filter((each) => !needed.has(each)).map(({ kind, policy }) => [kind, { group: kind, least: policy.size }])) }
    }
  }

  /** The subgroups of these pods in the order in which they are chosen. */
  #inOrder(pods: ReadonlyMap<string, number>): Subgroup[] {
    const lacks = ({ kind, policy }: Subgroup) => Number((pods.get(kind) as number) < policy.size)
    return [...this.#subgroups.values()].filter(({ kind }) => pods.has(kind)).sort((a, b) => lacks(a) - lacks(b) || a.number - b.number || (a.kind < b.kind ? -1 : 1))
  }
}

/** The subgroups of a pod group, or of a job of Volcano; `undefined` if it has none. Throws `BadLine`. */
export function volcanoSubgroups(object: Fields, isJob: boolean): VolcanoSubgroups | undefined {
  const spec = object.object('spec')
  const policies = isJob ? (spec?.list('tasks') ?? []).flatMap((task) => partitionsOf(task) ?? []) : (spec?.list('subGroupPolicy') ?? []).map(policyOf)
  return policies.length === 0 ? undefined : new VolcanoSubgroups(policies)
}

function policyOf(each: Fields): Policy {
  const selector = each.object('labelSelector')
  const of = selector === undefined ? [] : requirementsOf(selector)
  return {
    name: each.text('name') ?? '', size: each.whole('subGroupSize') ?? 1, least: each.whole('minSubGroups') ?? 0,
    of: of.includes('unread') ? undefined : (of as NodeRequirement[]), by: each.texts('matchLabelKeys'), levels: networkOf(each),
  }
}

function partitionsOf(task: Fields): Policy | undefined {
  const partitions = task.object('partitionPolicy')
  const size = partitions?.whole('partitionSize', 1)
  if (partitions === undefined || size === undefined) return undefined
  const least = partitions.whole('minPartitions') || (partitions.whole('totalPartitions') ?? Infinity)
  const name = task.text('name') ?? ''
  return { name, size, least, of: [{ key: TASK, operator: 'In', values: [name] }], by: [PARTITION], levels: networkOf(partitions) }
}

function networkOf(fields: Fields): AskedLevels | undefined {
  const network = fields.object('networkTopology')
  return network && levelsOfNetwork(network)
}

/** Whether the pods of a task of Volcano are in partitions. */
export const hasPartitions = (task: Fields): boolean => partitionsOf(task) !== undefined

/** The pods of a task of Volcano, of which there are so many: by partition, if it has some, with the label that tells it. */
export function partsOf(task: Fields, tasks: number): { readonly tasks: number; readonly labels: Readonly<Record<string, string>> }[] {
  const { size = Infinity } = partitionsOf(task) ?? {}
  if (size === Infinity) return [{ tasks, labels: {} }]
  return Array.from({ length: Math.ceil(tasks / size) }, (_, partition) => ({ tasks: Math.min(size, tasks - partition * size), labels: { [PARTITION]: `${partition}` } }))
}
