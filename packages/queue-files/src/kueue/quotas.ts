import { quantityAt, type KubernetesObject } from '@sched/cluster'
import { ownValue, SchedError } from '@sched/core'
import type { Findings } from '../finding.js'
import { inUnits, isFurther, NOT_OF_NODES, notInCluster, RESOURCES } from '../kubernetes-resources.js'
import { beyondCluster, type ClusterFacts } from '../queue-policy.js'
import { fieldsOf, nameOf, textOf, where } from '../fields.js'
import type { Counting } from './counting.js'
import type { KueueFile } from './kueue-file.js'
import { PODS } from './pods.js'
import { checkGroups, groupsOf } from './resource-groups.js'

const kinds = ['nominalQuota', 'borrowingLimit', 'lendingLimit'] as const
type Kind = (typeof kinds)[number]
type Amounts = Record<string, number>
export type Quotas = { [K in Kind]?: Amounts | Record<string, Amounts> } & { resourceGroups?: readonly (readonly string[])[] }

/**
 * Whether quotas must be kept by flavor. They must if a flavor selects nodes by labels, if a resource group has several flavors, or if queues in cohorts
 * have one resource in different flavors, since no flavor lends to another. All cohorts are looked at as one. Otherwise flavors make no difference. `made`:
 * resources that transformations make.
 */
export function isByFlavor({ flavors, clusterQueues, cohorts }: KueueFile, made: readonly string[], known: readonly string[]): boolean {
  if (flavors.some(({ object }) => Object.keys(fieldsOf(fieldsOf(object['spec'])['nodeLabels'])).length > 0)) return true
  const all = [...clusterQueues, ...cohorts]
  if (all.some((each) => groupsOf(each).some((group) => group.length > 1))) return true
  const flavorOf = new Map<unknown, string>()
  return all.filter((each) => each.kind === 'Cohort' || isInside(each)).flatMap(groupsOf).flat().some(({ name, resources }) =>
    resources.some((resource) => {
      const first = flavorOf.get(resource['name'])
      if (first === undefined) flavorOf.set(resource['name'], name)
      return first !== undefined && first !== name && counted(resource['name'], 0, made, known) !== undefined
    }),
  )
}

/** Whether a queue is in a cohort, or a cohort in another: only then can it borrow and lend. */
export function isInside({ kind, object }: KubernetesObject): boolean {
  const spec = fieldsOf(object['spec'])
  return (kind === 'Cohort' ? ['parent', 'parentName'] : ['cohort', 'cohortName']).some((field) => spec[field] !== undefined && spec[field] !== null && spec[field] !== '')
}

/** How quotas are read. */
export interface QuotaRules {
  /** Whether quotas are kept by flavor (`isByFlavor`). */
  readonly byFlavor: boolean
  /** Names of the resources that quotas may be of; those of other resources are ignored. */
  readonly resources: readonly string[]
  /** Which resources of jobs count. */
  readonly counting: Counting
  /** Capacity of the cluster by resource; absent: not known. */
  readonly totals?: ClusterFacts['totals'] | undefined
}

/** Quotas of a queue or cohort, in the units of nodes (`inUnits`). Adds a finding for each. Throws `BAD_INPUT` for what the policy cannot express. */
export function quotasOf(found: KubernetesObject, { byFlavor, resources: known, counting, totals }: QuotaRules, findings: Findings): Quotas {
  checkGroups(found)
  const quotas: Quotas = {}
  const groups = byFlavor && found.kind === 'ClusterQueue' ? countedGroups(found, known, counting) : []
  if (groups.length > 1) quotas.resourceGroups = groups
  for (const { name, resources, path } of groupsOf(found).flat())
    for (const [r, resource] of resources.entries())
      addResource(
        quotas,
        found,
        { flavor: byFlavor ? name : undefined, resource, path: [...path, 'resources', r] },
        { resources: known, counting, totals },
        findings,
      )
  return quotas
}

/**
 * The resources of each resource group, without resources and groups that are not known here. Throws `BAD_INPUT` with the line if GPUs are in two groups:
 * nodes have them as one resource.
 */
function countedGroups(found: KubernetesObject, known: readonly string[], { excluded, made }: Counting): string[][] {
  const groups = groupsOf(found).map((flavors) => [...new Set(flavors.flatMap(({ resources }) => resources.map(({ name }) => counted(name, 0, made, known)?.resource ?? '')))])
  const there = groups.map((names) => names.filter((name) => isThere(name, known) && !excluded.includes(name))).filter((names) => names.length > 0)
  if (there.filter((names) => names.includes('gpu')).length > 1)
    throw new SchedError(
      'BAD_INPUT',
      `${found.kind} "${nameOf(found)}" has GPUs in two resource groups, and nodes have them as one resource.`,
      found.place('spec', 'resourceGroups'),
      'Put them in one group, with a flavor for each kind.',
    )
  return there
}

/** A nominal quota that no jobs use up. */
const UNLIMITED = Number.MAX_SAFE_INTEGER

/**
 * The quotas of a queue, with the nominal quotas of each known resource that the queue does not cover: 0 of one that counts, so that a job that asks for it
 * is not admitted, and no limit of others, of which nothing is lent. `flavor`: the flavor that a queue without quotas gets, if quotas are by flavor.
 */
export function covered(quotas: Quotas, { byFlavor, resources, counting }: QuotaRules, { flavor, isInCohort }: { flavor: string; isInCohort: boolean }): Quotas {
  const { nominalQuota = {}, lendingLimit = {}, resourceGroups = [] } = quotas
  const known = [...RESOURCES.filter((name) => resources.includes(name)), ...resources.filter((name) => isFurther(name) && !counting.made.includes(name)), ...(counting.ignoresUndeclared ? [] : counting.made)] // what is made counts nowhere unless a queue names it
  const unlimited = known.filter((name) => counting.ignoresUndeclared || counting.excluded.includes(name))
  const all = (names: readonly string[], amount: number): Amounts => Object.fromEntries(names.map((name) => [name, amount]))
  const nominal = (own: readonly string[], amounts: Amounts): Amounts => ({ ...all(own, 0), ...all(own.filter((name) => unlimited.includes(name)), UNLIMITED), ...amounts })
  const lent = (own: readonly string[], amounts: Amounts, limits: Amounts = {}): Amounts => ({ ...all(own.filter((name) => unlimited.includes(name) && !Object.hasOwn(amounts, name)), 0), ...limits })
  const lends = isInCohort && unlimited.length > 0
  if (!byFlavor) return { ...quotas, nominalQuota: nominal(known, nominalQuota as Amounts), ...(lends && { lendingLimit: lent(known, nominalQuota as Amounts, lendingLimit as Amounts) }) }
  const [first, ...others] = resourceGroups
  const ownOf = (amounts: Amounts): readonly string[] => others.find((group) => group.some((name) => Object.hasOwn(amounts, name))) ?? known.filter((name) => first?.includes(name) === true || !others.flat().includes(name))
  const named = Object.entries(nominalQuota as Record<string, Amounts>)
  const flavors = named.length > 0 ? named : [[flavor, {}] as const]
  const limits = lendingLimit as Record<string, Amounts>
  return {
    ...quotas,
    nominalQuota: Object.fromEntries(flavors.map(([name, amounts]) => [name, nominal(ownOf(amounts), amounts)])),
    ...(lends && { lendingLimit: Object.fromEntries(flavors.map(([name, amounts]) => [name, lent(ownOf(amounts), amounts, ownValue(limits, name))])) }),
  }
}

/** Adds the quota and the limits of one resource to the quotas of a queue or cohort, with a finding for each amount. */
function addResource(
  quotas: Quotas,
  found: KubernetesObject,
  at: { flavor: string | undefined; resource: Readonly<Record<string, unknown>>; path: readonly (string | number)[] },
  { resources, counting, totals }: Omit<QuotaRules, 'byFlavor'>,
  findings: Findings,
): void {
  const given = at.resource
  const name = typeof given['name'] === 'string' ? given['name'] : ''
  for (const kind of kinds) {
    if (given[kind] === undefined || given[kind] === null) continue
    const path = [...at.path, kind]
    const line = where(found, path)
    const setting = `${nameOf(found)} ${kind} of ${at.flavor === undefined ? '' : `${at.flavor} `}${name}`
    const text = textOf(given[kind])
    const amount = quantityAt(found, ...path)
    const known = counted(name, amount, counting.made, resources)
    if (known === undefined || !isThere(known.resource, resources)) {
      findings.add('ignored', line, setting, text, known === undefined ? NOT_OF_NODES : notInCluster(known))
      continue
    }
    if (counting.isExcluded(name) && !counting.made.includes(name)) {
      findings.add('ignored', line, setting, text, 'excludeResourcePrefixes leaves it out')
      continue
    }
    if (kind !== 'nominalQuota' && !isInside(found)) {
      findings.add('ignored', line, setting, text, `it is in no ${found.kind === 'Cohort' ? 'other ' : ''}cohort, with which it could share; Kueue refuses that`)
      continue
    }
    const all = (quotas[kind] ??= {})
    const amounts = at.flavor === undefined ? (all as Amounts) : (ownValue(all as Record<string, Amounts>, at.flavor) ?? ((all as Record<string, Amounts>)[at.flavor] = {}))
    const isOther = known.resource === 'gpu' && amounts['gpu'] !== undefined // GPUs of another maker were read before
    amounts[known.resource] = known.amount + (isOther ? (amounts['gpu'] as number) : 0)
    const isBeyond = kind === 'lendingLimit' && found.kind === 'ClusterQueue' && amount > quantityAt(found, ...at.path, 'nominalQuota')
    const note = kind === 'nominalQuota'
      ? beyondCluster(known.resource, amounts[known.resource] as number, known.unit, { totals: totals ?? {} })
      : isBeyond ? 'more than its nominal quota: Kueue refuses that' : ''
    findings.add(isOther ? 'approximated' : 'honoured', line, setting, text, isOther ? 'together with the other GPUs: nodes have them as one resource' : note)
  }
}

const isThere = (name: string, resources: readonly string[]): boolean => name === PODS || resources.includes(name)

/** An amount of a resource that quotas may be of: a resource of nodes, in their unit, pods, or what is made of others; undefined for any other name. */
function counted(name: unknown, amount: number, made: readonly string[], resources: readonly string[]): ReturnType<typeof inUnits> {
  if (name === PODS) return { resource: PODS, amount, unit: '' }
  return inUnits(name, amount, resources) ?? (typeof name === 'string' && made.includes(name) ? { resource: name, amount: Math.ceil(amount), unit: '' } : undefined)
}
