import { isQualifiedName, type KubernetesObject } from '@sched/cluster'
import { SchedError } from '@sched/core'
import { at, fieldsOf, listAt, textOf, unexpected, wholeAt, type Path } from '../fields.js'

/** Default of podMaxBackoffSeconds. */
const LONGEST = 10

/**
 * Throws `BAD_INPUT` with the line for what kube-scheduler refuses among settings that have no effect here.
 *
 * Source: Kubernetes, pkg/scheduler/apis/config/validation (validation.go, validation_pluginargs.go), runtime/framework.go.
 */
export function checkConfiguration(configuration: KubernetesObject): void {
  wholeAt(configuration, ['parallelism'], 1)
  const first = wholeAt(configuration, ['podInitialBackoffSeconds'], 1) ?? 1
  if (wholeAt(configuration, ['podMaxBackoffSeconds'], first) === undefined && first > LONGEST)
    throw unexpected(configuration, ['podInitialBackoffSeconds'], `at most ${LONGEST}, the default of podMaxBackoffSeconds`, 'Give podMaxBackoffSeconds, too.')
  checkProfiles(configuration)
  checkExtenders(configuration)
}

/** Throws for the second of equal values. `what`: what they are, for the message. */
function once(configuration: KubernetesObject, values: readonly (readonly [value: string, path: Path])[], what: string): void {
  const seen = new Set<string>()
  for (const [value, path] of values) {
    if (seen.has(value)) throw new SchedError('BAD_INPUT', `${what} "${value}" was given before.`, configuration.place(...path), 'Give every one once.')
    seen.add(value)
  }
}

function checkProfiles(configuration: KubernetesObject): void {
  const profiles = listAt(configuration, ['profiles'])
  const nameOf = (i: number) => textOf(at(profiles[i], ['schedulerName']) ?? '')
  if (profiles.length > 1) for (const i of profiles.keys()) if (nameOf(i) === '') throw new SchedError('BAD_INPUT', 'has no schedulerName, beside others.', configuration.place('profiles', i), 'Give each profile a name.')
  once(configuration, [...profiles.keys()].map((i) => [nameOf(i), ['profiles', i, 'schedulerName']]), 'profile')
  for (const i of profiles.keys()) {
    const path = ['profiles', i]
    wholeAt(configuration, [...path, 'percentageOfNodesToScore'], 0, 100)
    if (sortOf(profiles[i]) !== sortOf(profiles[0])) throw new SchedError('BAD_INPUT', 'has other queueSort plug-ins than the first one, and all share a queue.', configuration.place(...path), 'Give all profiles the same.')
    for (const point of Object.keys(fieldsOf(at(profiles[i], ['plugins'])))) {
      const enabled = [...path, 'plugins', point, 'enabled']
      once(configuration, listAt(configuration, enabled).map((each, p) => [textOf(fieldsOf(each)['name']), [...enabled, p, 'name']]), 'plug-in')
    }
    const given = listAt(configuration, [...path, 'pluginConfig']).map((each, p) => [textOf(fieldsOf(each)['name']), [...path, 'pluginConfig', p]] as const)
    once(configuration, given, 'configuration of')
    for (const [name, here] of given) checkArguments(configuration, name, [...here, 'args'])
  }
}

const sortOf = (profile: unknown): string => textOf(at(profile, ['plugins', 'queueSort']) ?? '')

function checkArguments(configuration: KubernetesObject, name: string, path: Path): void {
  if (name === 'InterPodAffinity') wholeAt(configuration, [...path, 'hardPodAffinityWeight'], 0, 100)
  if (name === 'PodTopologySpread') checkSpread(configuration, path)
  if (name === 'NodeResourcesFit') {
    for (const [i, each] of listAt(configuration, [...path, 'ignoredResources']).entries()) if (!isQualifiedName(textOf(each))) throw unexpected(configuration, [...path, 'ignoredResources', i], 'a resource', 'Write its name, for example example.com/gpu.')
    for (const [i, each] of listAt(configuration, [...path, 'ignoredResourceGroups']).entries())
      if (textOf(each).includes('/') || !isQualifiedName(textOf(each))) throw unexpected(configuration, [...path, 'ignoredResourceGroups', i], 'what stands before the slash of resources', 'Write for example example.com.')
  }
  if (name === 'NodeResourcesBalancedAllocation')
    once(configuration, listAt(configuration, [...path, 'resources']).map((each, i) => [textOf(fieldsOf(each)['name']), [...path, 'resources', i, 'name']]), 'resource')
}

function checkSpread(configuration: KubernetesObject, path: Path): void {
  const type = at(configuration.object, [...path, 'defaultingType']) ?? 'System'
  const list: Path = [...path, 'defaultConstraints']
  const constraints = listAt(configuration, list).map(fieldsOf)
  if (type !== 'System' && type !== 'List') throw unexpected(configuration, [...path, 'defaultingType'], ['System', 'List'])
  if (type === 'System' && constraints.length > 0) throw new SchedError('BAD_INPUT', 'stand without defaultingType: List.', configuration.place(...list), 'Write it, or leave them out.')
  for (const [i, { topologyKey, whenUnsatisfiable, labelSelector }] of constraints.entries()) {
    wholeAt(configuration, [...list, i, 'maxSkew'], 1)
    if (!isQualifiedName(textOf(topologyKey ?? ''))) throw unexpected(configuration, [...list, i, 'topologyKey'], 'a label of nodes', 'Write for example topologyKey: topology.kubernetes.io/zone.')
    if (whenUnsatisfiable !== 'DoNotSchedule' && whenUnsatisfiable !== 'ScheduleAnyway') throw unexpected(configuration, [...list, i, 'whenUnsatisfiable'], ['DoNotSchedule', 'ScheduleAnyway'])
    if ((labelSelector ?? undefined) !== undefined) throw unexpected(configuration, [...list, i, 'labelSelector'], 'none, since it is that of each pod', 'Leave it out.')
  }
  once(configuration, constraints.map(({ topologyKey, whenUnsatisfiable }, i) => [`${textOf(topologyKey)} ${textOf(whenUnsatisfiable)}`, [...list, i]]), 'a constraint of')
}

function checkExtenders(configuration: KubernetesObject): void {
  const extenders = listAt(configuration, ['extenders']).map(fieldsOf)
  for (const [i, { prioritizeVerb }] of extenders.entries()) if ((prioritizeVerb ?? '') !== '') wholeAt(configuration, ['extenders', i, 'weight'], 1)
  const binding = extenders.flatMap(({ bindVerb }, i) => ((bindVerb ?? '') === '' ? [] : [i]))
  if (binding.length > 1) throw new SchedError('BAD_INPUT', 'binds pods beside another one.', configuration.place('extenders', binding[1] as number, 'bindVerb'), 'Let one extender bind.')
}
