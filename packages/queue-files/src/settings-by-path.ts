import type { KubernetesObject } from '@sched/cluster'
import { at, fieldsOf, nameOf, textOf } from './fields.js'

/** The values inside a value by their paths, as written: `profiles[0].percentageOfNodesToScore`. */
function settingsByPath(value: unknown, path = ''): Record<string, string> {
  if (Array.isArray(value)) return Object.assign({}, ...value.map((each, i) => settingsByPath(each, `${path}[${i}]`))) as Record<string, string>
  if (typeof value !== 'object' || value === null) return { [path]: textOf(value) }
  return Object.assign({}, ...Object.entries(fieldsOf(value)).map(([name, each]) => settingsByPath(each, path === '' ? name : `${path}.${name}`))) as Record<string, string>
}

/** The settings of a configuration by path, without the fields that every Kubernetes object has; none if there is no configuration. */
export function configurationSettings(configuration: KubernetesObject | undefined): Record<string, string> {
  const { apiVersion: _, kind: __, metadata: ___, ...settings } = configuration?.object ?? {}
  return settingsByPath(settings)
}

/** The settings in the `spec` of objects by kind, name and path: `Cohort all parentName`; names of objects in a namespace as `namespace/name`. */
export const specSettings = (objects: readonly KubernetesObject[]): Record<string, string> =>
  Object.fromEntries(objects.flatMap((each) => {
    const namespace = at(each.object, ['metadata', 'namespace'])
    const name = `${each.kind} ${typeof namespace === 'string' ? `${namespace}/` : ''}${nameOf(each)}`
    return Object.entries(settingsByPath(each.object['spec'] ?? {})).map(([path, value]) => [`${name} ${path}`, value])
  }))
