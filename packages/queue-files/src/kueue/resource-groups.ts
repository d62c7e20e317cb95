import { isQualifiedName, type KubernetesObject } from '@sched/cluster'
import { SchedError, type Place } from '@sched/core'
import { at, fieldsOf, listAt, textOf, unexpected, type Path } from '../fields.js'

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
 * Checks the resource groups of a queue or cohort. Throws `BAD_INPUT` with the line for a value that is no list or has no fields, for a resource without a name
 * that it may have or a nominal quota, for flavors of one group with different resources or with others than its `coveredResources`, and for a flavor or a
 * resource that is given twice.
 *
 * Source: Kueue, clusterqueue_webhook.go (validateResourceGroups).
 */
export function checkGroups(found: KubernetesObject): void {
  checkLists(found, ['spec', 'resourceGroups'], ['flavors', 'resources'])
  checkCovered(found)
  checkAlike(found)
  checkOnce(found)
}

/**
 * Checks the list at a path and the lists inside its items, which are under the names in `inside`, the outermost first. The innermost items are resources.
 * Throws `BAD_INPUT` with the line for a value that is no list, an item without fields, and a resource without a name or a nominal quota.
 */
function checkLists(found: KubernetesObject, path: Path, [field, ...further]: readonly string[]): void {
  for (const [i, each] of listAt(found, path).entries()) {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) throw unexpected(found, [...path, i], 'fields', 'Write `- name: ...` and what belongs to it.')
    if (field === undefined) checkResource(fieldsOf(each), found.place(...path, i))
    else checkLists(found, [...path, i, field], further)
  }
}

function checkResource({ name, nominalQuota }: Readonly<Record<string, unknown>>, place: Place): void {
  if (typeof name !== 'string') throw new SchedError('BAD_INPUT', 'a resource has no name.', place, 'Write `- name: cpu`, memory or nvidia.com/gpu, and its quotas.')
  if (!isQualifiedName(name)) throw new SchedError('BAD_INPUT', `no resource can be called "${name}".`, place, 'Write cpu, memory or a name such as nvidia.com/gpu.')
  if (nominalQuota === undefined || nominalQuota === null) throw new SchedError('BAD_INPUT', `resource "${name}" has no nominalQuota.`, place, 'Kueue wants one: 0 where there is none.')
}

/** Throws `BAD_INPUT` with the line for flavors of one group with different resources. */
function checkAlike(found: KubernetesObject): void {
  for (const [first, ...others] of groupsOf(found))
    for (const { name, resources, path } of others) {
      const [here, there] = [resources, first?.resources ?? []].map(namesOf)
      if (here !== there)
        throw new SchedError(
          'BAD_INPUT',
          `flavor "${name}" is of ${here}, and "${first?.name}" in the same group of ${there}.`,
          found.place(...path),
          'Give both the same resources, as Kueue wants them, with 0 where there is no quota.',
        )
    }
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
