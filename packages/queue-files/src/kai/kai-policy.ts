import { knownWords, SchedError } from '@sched/core'
import type { KaiOptions } from '@sched/policies'
import { Findings, notSimulated } from '../finding.js'
import { fieldsOf, textOf } from '../kueue/kueue-file.js'
import { beyondCluster, type ClusterFacts, type QueuePolicy } from '../queue-policy.js'
import type { KaiFile, KaiQueue } from './kai-file.js'

/** What queues of KAI Scheduler come to. */
export interface KaiPolicy extends QueuePolicy {
  /** Tells the policies of files apart. */
  readonly kind: 'kai'
  /** Of `kai-preempting`. */
  readonly options: KaiOptions
  /** Of each queue that holds jobs, by its name, its path. */
  readonly leaves: ReadonlyMap<string, string>
}

type Settings = NonNullable<KaiOptions['queues']>[string]
type Amounts = NonNullable<Settings['resources']>[string]

/** Jobs of this priority and above are not preempted, and stay within the quota of their queue. */
const NON_PREEMPTIBLE = 100

/** Amounts of KAI in those of nodes of Kubernetes: thousandths of a GPU, millicores, MiB of 10^6 bytes. */
const units: Readonly<Record<string, { readonly resource: string; readonly per: number; readonly unit: string }>> = {
  gpu: { resource: 'gpu', per: 1000, unit: 'thousandths' }, cpu: { resource: 'cpu', per: 1, unit: 'millicores' }, memory: { resource: 'mem', per: 1e6 / 2 ** 20, unit: 'MiB' },
}
const RESOURCES = ['cpu', 'mem', 'gpu']
const kinds = ['quota', 'limit', 'overQuotaWeight'] as const
const why = knownWords<string>({
  displayName: '', preemptMinRuntime: 'nobody has a least time to run', reclaimMinRuntime: 'nobody has a least time to run',
})

/**
 * The policy `kai-preempting` with the queues of the file. What a queue does not give, a limit among it, is 0, as KAI's scheduler reads it: jobs that ask for
 * some of that resource never start there. Throws `BAD_INPUT` with the line for an amount that KAI does not take.
 *
 * Source: KAI Scheduler, API scheduling.run.ai/v2 (`QueueSpec`), `getQueueQuota`, `resultsOverLimit`.
 */
export function kaiPolicy(file: KaiFile, cluster: ClusterFacts): KaiPolicy {
  const findings = new Findings(file.file)
  const queues = Object.fromEntries(file.queues.map((queue) => [queue.path, settingsOf(queue, cluster, findings)]))
  for (const kind of new Set(file.others.map((each) => each.kind))) {
    const [first, ...more] = file.others.filter((each) => each.kind === kind)
    findings.add(
      'ignored',
      { line: first?.place().line ?? 1 },
      kind === '' ? 'an object' : kind,
      '',
      `not of the scheduling here${more.length === 0 ? '' : ` (${more.length + 1} of them)`}`,
    )
  }
  const options: KaiOptions = { queues, nonPreemptiblePriority: NON_PREEMPTIBLE }
  const leaves = new Map(file.queues.filter(({ isParent }) => !isParent).map(({ name, path }) => [name, path]))
  return { kind: 'kai', policy: { 'kai-preempting': options }, options, leaves, findings: findings.all.sort((a, b) => a.line - b.line) }
}

/** What KAI makes of a limit or weight that is not given. */
const zero = (kind: string, resource: string) => (kind === 'limit' ? `a limit of 0, so no job that asks for ${resource} starts (-1 is no limit)` : 'nothing beyond the quota')

function settingsOf({ name, found }: KaiQueue, cluster: ClusterFacts, findings: Findings): Settings {
  const { priority, resources, parentQueue, ...others } = fieldsOf(found.object['spec'])
  const lineOf = (...path: string[]) => ({ line: found.place('spec', ...path).line ?? 1 })
  if (parentQueue !== undefined && parentQueue !== null && parentQueue !== '') findings.add('honoured', lineOf('parentQueue'), `${name} parentQueue`, textOf(parentQueue))
  for (const [field, value] of Object.entries(others)) if (why[field] !== '')
    findings.add(
      'ignored',
      lineOf(field),
      `${name} ${field}`,
      typeof value === 'object' ? '' : textOf(value),
      why[field] ?? notSimulated(field, ['priority', 'resources', 'parentQueue']),
    )
  if (priority !== undefined && priority !== null) {
    if (typeof priority !== 'number' || !Number.isInteger(priority))
      throw new SchedError('BAD_INPUT', `found ${JSON.stringify(priority)}, expected a whole number.`, found.place('spec', 'priority'))
    findings.add('honoured', lineOf('priority'), `${name} priority`, String(priority))
  }
  const known = RESOURCES.some((each) => cluster.resources.includes(each)) ? cluster.resources : RESOURCES
  const amounts: Record<string, Amounts> = {}
  for (const [resource, given] of Object.entries(fieldsOf(resources))) {
    const unit = Object.hasOwn(units, resource) ? units[resource] : undefined
    const each = fieldsOf(given)
    const own: Record<string, number> = {}
    for (const kind of kinds) {
      const value = each[kind]
      if (value === undefined || value === null) continue
      if (typeof value !== 'number' || !(value >= (kind === 'overQuotaWeight' ? 0 : -1)) || (value < 0 && value !== -1))
        throw new SchedError(
          'BAD_INPUT',
          `found ${JSON.stringify(value)}, expected a number of at least 0${kind === 'overQuotaWeight' ? '' : ', or -1 for all there is'}.`,
          found.place('spec', 'resources', resource, kind),
        )
      const there = unit !== undefined && known.includes(unit.resource)
      const amount = kind === 'overQuotaWeight' || value === -1 || unit === undefined ? value : Math.floor(value * unit.per + 1e-9)
      const note = unit === undefined
        ? 'jobs ask for CPU, memory and GPUs'
        : !there
          ? `the cluster has no ${unit.resource} (in ${unit.unit})`
          : kind === 'quota' ? beyondCluster(unit.resource, amount, unit.unit, cluster) : ''
      findings.add(there ? 'honoured' : 'ignored', lineOf('resources', resource, kind), `${name} ${kind} of ${resource}`, textOf(value), note)
      if (there) own[kind] = amount
    }
    for (const kind of Object.keys(each)) if (!kinds.some((other) => other === kind))
      findings.add('ignored', lineOf('resources', resource, kind), `${name} ${kind} of ${resource}`, textOf(each[kind]), notSimulated(kind, kinds))
    if (unit === undefined || !known.includes(unit.resource)) continue
    const absent = kinds.filter((kind) => kind !== 'quota' && own[kind] === undefined)
    if (absent.length > 0)
      findings.add(
        'honoured',
        lineOf('resources', resource),
        `${name} ${resource}`,
        '',
        `without ${absent.join(' and ')}: ${absent.map((kind) => zero(kind, resource)).join(', and ')}`,
      )
    for (const kind of absent) own[kind] = 0
    amounts[unit.resource] = own
  }
  const silent = Object.entries(units).filter(([, { resource }]) => known.includes(resource) && amounts[resource] === undefined)
  if (silent.length > 0)
    findings.add(
      'honoured',
      lineOf('resources'),
      `${name} resources`,
      '',
      `without ${silent.map(([each]) => each).join(' and ')}: ${zero('limit', silent.map(([each]) => each).join(' or '))}`,
    )
  for (const [, { resource }] of silent) amounts[resource] = { quota: 0, limit: 0, overQuotaWeight: 0 }
  return { ...(typeof priority === 'number' && { priority }), resources: amounts }
}
