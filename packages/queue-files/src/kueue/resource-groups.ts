import type { KubernetesObject } from '@sched/cluster'
import { fieldsOf } from './kueue-file.js'

/** A flavor of a resource group with what it says of resources, and the way to it. */
export interface Flavor {
  /** '' where none is given. */
  readonly name: string
  readonly resources: readonly Readonly<Record<string, unknown>>[]
  readonly path: readonly (string | number)[]
}

/** The flavors of a queue or cohort, by its resource groups. */
export const groupsOf = ({ object }: KubernetesObject): Flavor[][] =>
  listOf(fieldsOf(object['spec'])['resourceGroups']).map((group, g) =>
    listOf(group['flavors']).map(({ name, resources }, f) => ({ name: typeof name === 'string' ? name : '', resources: listOf(resources), path: ['spec', 'resourceGroups', g, 'flavors', f] })),
  )

const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] => (Array.isArray(value) ? value.map(fieldsOf) : [])
