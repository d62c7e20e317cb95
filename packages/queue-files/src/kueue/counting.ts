import type { KubernetesObject } from '@sched/cluster'
import type { KueueOptions } from '@sched/policies'
import { at, fieldsOf, listAt, textOf, unexpected, where } from '../fields.js'
import type { Findings } from '../finding.js'
import { NOT_OF_NODES, resourceOf, RESOURCES } from '../kubernetes-resources.js'
import type { KueueFile } from './kueue-file.js'
import { groupsOf } from './resource-groups.js'
import { madeBy, transformationsOf } from './transformations.js'

/** Which resources of jobs count against quotas. */
export interface Counting {
  /** Whether jobs may ask for resources that their queue does not cover, which then do not count. */
  readonly ignoresUndeclared: boolean
  /** Whether a resource of Kubernetes counts nowhere. */
  readonly isExcluded: (name: string) => boolean
  /** The resources of nodes that count nowhere. */
  readonly excluded: readonly string[]
  /** Resources that count as others, and the names of those that are made so and that nodes do not have. */
  readonly transformations: NonNullable<KueueOptions['transformations']>
  readonly made: readonly string[]
}

/** Without a Configuration all count. */
export const ALL_COUNT: Counting = { ignoresUndeclared: false, isExcluded: () => false, excluded: [], transformations: [], made: [] }

const STRATEGY = ['resources', 'quotaCheckStrategy']
const PREFIXES = ['resources', 'excludeResourcePrefixes']
/** The gate of `quotaCheckStrategy`, open by default. */
export const STRATEGY_GATE = 'QuotaCheckStrategy'
const strategies: readonly string[] = ['BlockUndeclared', 'IgnoreUndeclared']

/**
 * What a Configuration says of the resources that count, with a finding for each of its settings of resources. Throws `BAD_INPUT` with the line for a strategy
 * that Kueue does not know.
 *
 * Source: Kueue, Resources of configuration_types.go, pkg/workload/resources.go (dropExcludedResources), KEP-8826.
 */
export function countingOf(file: Pick<KueueFile, 'configuration' | 'clusterQueues' | 'cohorts'>, resources: readonly string[], findings: Findings): Counting {
  const found = file.configuration
  if (found === undefined) return ALL_COUNT
  const prefixes = listAt(found, PREFIXES).map(textOf)
  const isExcluded = (name: string): boolean => prefixes.some((prefix) => name.startsWith(prefix))
  const excluded = prefixes.length === 0 ? [] : RESOURCES.filter((resource) => namesOf(resource, file).every(isExcluded))
  if (prefixes.length > 0) findings.add(excluded.length > 0 ? 'honoured' : 'ignored', where(found, PREFIXES), PREFIXES.join('.'), prefixes.join(', '), excluded.length > 0 ? '' : NOT_OF_NODES)
  for (const field of Object.keys(fieldsOf(found.object['resources']))) if (![STRATEGY, PREFIXES, ['resources', 'transformations']].some(([, name]) => name === field)) findings.add('ignored', where(found, ['resources', field]), `resources.${field}`, '', 'not simulated')
  const transformations = transformationsOf(found, { resources, isExcluded }, findings)
  return { ignoresUndeclared: ignoresUndeclared(found, findings), isExcluded, excluded, transformations, made: madeBy(transformations) }
}

function ignoresUndeclared(found: KubernetesObject, findings: Findings): boolean {
  const strategy = at(found.object, STRATEGY) ?? undefined
  if (strategy === undefined) return false
  if (typeof strategy !== 'string' || !strategies.includes(strategy)) throw unexpected(found, STRATEGY, strategies)
  const isClosed = at(found.object, ['featureGates', STRATEGY_GATE]) === false
  findings.add(isClosed ? 'ignored' : 'honoured', where(found, STRATEGY), STRATEGY.join('.'), strategy, isClosed ? `off: the gate ${STRATEGY_GATE} is closed` : '')
  return !isClosed && strategy === 'IgnoreUndeclared'
}

/** What Kubernetes calls a resource of nodes: of GPUs the names by which queues and cohorts have quotas of them. */
function namesOf(resource: string, { clusterQueues, cohorts }: Pick<KueueFile, 'clusterQueues' | 'cohorts'>): readonly string[] {
  if (resource !== 'gpu') return [resource === 'mem' ? 'memory' : resource]
  const names = [...clusterQueues, ...cohorts].flatMap(groupsOf).flat().flatMap(({ resources }) => resources.map(({ name }) => textOf(name ?? '')))
  const own = names.filter((name) => resourceOf(name) === 'gpu')
  return own.length > 0 ? own : ['nvidia.com/gpu']
}
