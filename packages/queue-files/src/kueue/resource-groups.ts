import type { KubernetesObject } from '@sched/cluster'
import { SchedError } from '@sched/core'
import { at, fieldsOf, listAt, textOf } from '../fields.js'

/** A flavor in a resource group. */
export interface Flavor {
  /** Empty if none is given. */
  readonly name: string
  /** Its resources: objects with a name and quotas. */
  readonly resources: readonly Readonly<Record<string, unknown>>[]
  /** Its path in the queue's object. */
  readonly path: readonly (string | number)[]
}

/** The flavors of each resource group of a queue or cohort. */
export const groupsOf = ({ object }: KubernetesObject): Flavor[][] =>
  listOf(fieldsOf(object['spec'])['resourceGroups']).map((group, g) =>
    listOf(group['flavors']).map(({ name, resources }, f) => ({
      name: typeof name === 'string' ? name : '',
      resources: listOf(resources),
      path: ['spec', 'resourceGroups', g, 'flavors', f],
    })),
  )

const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

/**
 * Checks the resource groups of a queue or cohort. Throws `BAD_INPUT` with the line for a value that is no list or has no fields, for a resource without a
 * name or a nominal quota, for flavors of one group with different resources or with others than its `coveredResources`, and for a flavor or a resource
 * that is given twice.
 *
 * Source: Kueue, clusterqueue_webhook.go (validateResourceGroups).
 */
export function checkGroups(found: KubernetesObject): void {
  const { object, place } = found
  const check = (value: unknown, path: readonly (string | number)[], inside: readonly string[]): void => {
    if (value === undefined || value === null) return
    if (!Array.isArray(value)) throw new SchedError('BAD_INPUT', `found ${JSON.stringify(value)}, expected a list.`, place(...path))
    for (const [i, each] of (value as unknown[]).entries()) {
      if (typeof each !== 'object' || each === null || Array.isArray(each))
        throw new SchedError(
          'BAD_INPUT',
          `found ${JSON.stringify(each)}, expected fields.`,
          place(...path, i),
          'Write `- name: ...` and what belongs to it.',
        )
      const [field, ...further] = inside
      if (field === undefined && typeof fieldsOf(each)['name'] !== 'string')
        throw new SchedError(
          'BAD_INPUT',
          'a resource has no name.',
          place(...path, i),
          'Write `- name: cpu`, memory or nvidia.com/gpu, and its quotas.',
        )
      if (field === undefined && (fieldsOf(each)['nominalQuota'] ?? undefined) === undefined)
        throw new SchedError('BAD_INPUT', `resource "${textOf(fieldsOf(each)['name'])}" has no nominalQuota.`, place(...path, i), 'Kueue wants one: 0 where there is none.')
      if (field !== undefined) check(fieldsOf(each)[field], [...path, i, field], further)
    }
  }
  check(fieldsOf(object['spec'])['resourceGroups'], ['spec', 'resourceGroups'], ['flavors', 'resources'])
  checkCovered(found)
  for (const [first, ...others] of groupsOf(found))
    for (const { name, resources, path } of others) {
      const [here, there] = [resources, first?.resources ?? []].map(namesOf)
      if (here !== there)
        throw new SchedError(
          'BAD_INPUT',
          `flavor "${name}" is of ${here}, and "${first?.name}" in the same group of ${there}.`,
          place(...path),
          'Give both the same resources, as Kueue wants them, with 0 where there is no quota.',
        )
    }
  checkOnce(found)
}

/**
 * Throws `BAD_INPUT` with the line if `coveredResources` is given and a flavor has other resources, or the same in another order.
 *
 * Source: Kueue, clusterqueue_types.go (ResourceGroup: as many in each flavor), clusterqueue_webhook.go (validateFlavorQuotas: one by one the same names).
 */
function checkCovered(found: KubernetesObject): void {
  for (const [g, flavors] of groupsOf(found).entries()) {
    const path = ['spec', 'resourceGroups', g, 'coveredResources']
    if (at(found.object, path) === undefined) continue
    const covered = listAt(found, path).map(textOf)
    for (const { name, resources, path: here } of flavors) {
      const own = resources.map((each) => textOf(each['name']))
      if (own.length === covered.length && own.every((resource, r) => resource === covered[r])) continue
      const [has, wants] = [own, covered].map((names) => names.join(', ') || 'none')
      throw new SchedError('BAD_INPUT', `flavor "${name}" has quotas of ${has}, and coveredResources of its group are ${wants}.`, found.place(...here), 'Kueue wants both to be the same, in the same order: 0 where there is no quota.')
    }
  }
}

/** Throws `BAD_INPUT` with the line for a flavor that comes twice, and for a resource that comes twice in a flavor or in two groups. */
function checkOnce(found: KubernetesObject): void {
  const groupOf = new Map<unknown, number>()
  const flavors = new Set<string>()
  const refuse = (what: string, path: readonly (string | number)[]) => {
    throw new SchedError('BAD_INPUT', `${what} was given before.`, found.place(...path), 'Kueue wants each flavor, and each resource, in one place.')
  }
  for (const [g, group] of groupsOf(found).entries())
    for (const { name, resources, path } of group) {
      if (flavors.has(name)) refuse(`flavor "${name}"`, [...path, 'name'])
      flavors.add(name)
      for (const [r, resource] of resources.entries()) {
        const isTwice = resources.findIndex((other) => other['name'] === resource['name']) < r
        if (isTwice || (groupOf.get(resource['name']) ?? g) !== g) refuse(`resource "${String(resource['name'])}"`, [...path, 'resources', r, 'name'])
        groupOf.set(resource['name'], g)
      }
    }
}

const namesOf = (resources: Flavor['resources']): string => resources.map(({ name }) => String(name)).sort().join(', ')
