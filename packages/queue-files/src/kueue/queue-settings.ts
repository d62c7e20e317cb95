import type { KubernetesObject } from '@sched/cluster'
import { fieldsOf, textOf } from '../fields.js'
import { groupsOf, type Flavor } from './resource-groups.js'

/** Settings of a ClusterQueue as written, one text for each field; quotas as `flavor cpu=40 memory=256Gi`. */
export function queueSettings(found: KubernetesObject): Record<string, string> {
  const spec = fieldsOf(found.object['spec'])
  const settings: Record<string, string> = {}
  for (const [field, value] of Object.entries(spec)) if (field !== 'resourceGroups' && value !== null) settings[field === 'cohortName' ? 'cohort' : field] = textOf(value)
  for (const kind of ['nominalQuota', 'borrowingLimit', 'lendingLimit']) {
    const text = groupsOf(found).flat().flatMap((flavor) => quotaText(flavor, kind)).join(', ')
    if (text !== '') settings[kind] = text
  }
  return settings
}

function quotaText({ name, resources }: Flavor, kind: string): string[] {
  const amounts = resources.flatMap((resource) => (resource[kind] === undefined ? [] : [`${textOf(resource['name'])}=${textOf(resource[kind])}`]))
  return amounts.length === 0 ? [] : [`${name} ${amounts.join(' ')}`]
}
