import type { KubernetesObject } from '@sched/cluster'
import { fieldsOf, textOf } from './kueue-file.js'

/** Settings of a ClusterQueue as written, one text each: quotas as `flavor cpu=40 memory=256Gi`. */
export function queueSettings({ object }: KubernetesObject): Record<string, string> {
  const spec = fieldsOf(object['spec'])
  const settings: Record<string, string> = {}
  for (const [field, value] of Object.entries(spec)) if (field !== 'resourceGroups' && value !== null) settings[field === 'cohortName' ? 'cohort' : field] = textOf(value)
  for (const kind of ['nominalQuota', 'borrowingLimit', 'lendingLimit']) {
    const text = flavorsOf(spec).flatMap((flavor) => quotaText(flavor, kind)).join(', ')
    if (text !== '') settings[kind] = text
  }
  return settings
}

const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] => (Array.isArray(value) ? value.map(fieldsOf) : [])
const flavorsOf = (spec: Readonly<Record<string, unknown>>) => listOf(spec['resourceGroups']).flatMap((group) => listOf(group['flavors']))

function quotaText(flavor: Readonly<Record<string, unknown>>, kind: string): string[] {
  const amounts = listOf(flavor['resources']).flatMap((resource) => (resource[kind] === undefined ? [] : [`${textOf(resource['name'])}=${textOf(resource[kind])}`]))
  return amounts.length === 0 ? [] : [`${textOf(flavor['name'])} ${amounts.join(' ')}`]
}
