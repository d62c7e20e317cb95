import type { Config } from '@sched/core'
import type { VolcanoOptions } from '@sched/policies'
import { fieldsOf, textOf } from '../fields.js'
import { byPlace, Findings } from '../finding.js'
import { tellOthers } from '../other-objects.js'
import { neverOf } from '../priority-classes.js'
import type { ClusterFacts, QueuePolicy } from '../queue-policy.js'
import { NodeScores } from './node-scores.js'
import { queueSettings, type Plugins } from './queue-settings.js'
import { schedulerConf } from './scheduler-conf.js'
import { DEFAULT, ROOT, type VolcanoFile } from './volcano-file.js'

/** What Queues of Volcano and the configuration of its scheduler come to. */
export interface VolcanoPolicy extends QueuePolicy {
  /** Tells the policies of files apart. */
  readonly kind: 'volcano'
  /** Of `volcano`. */
  readonly options: VolcanoOptions
  /** Queues that take jobs, by name. */
  readonly leaves: readonly string[]
}

const ownPlugins: Plugins = new Map(['priority', 'gang', 'conformance', 'overcommit', 'drf', 'proportion'].map((name) => [name, {}]))

/**
 * The policy `volcano` with the queues and the configuration of the file, without one with Volcano's own, and the priorities whose pods preempt nobody. Throws `BAD_INPUT` with the line.
 *
 * Source: Volcano, API scheduling.volcano.sh/v1beta1 (`QueueSpec`), pkg/scheduler/conf.
 */
export function volcanoPolicy(file: VolcanoFile, cluster: ClusterFacts): VolcanoPolicy {
  const findings = new Findings(file.file)
  const conf = file.conf === undefined ? undefined : schedulerConf(file.conf, cluster.resources, findings)
  const plugins: Plugins = conf === undefined
    ? ownPlugins
    : new Map((conf.options.tiers ?? []).flatMap(({ plugins: own = [] }) =>
      own.map((each) => (typeof each === 'string' ? [each, {}] : [each.name, each]))))
  const reclaims = conf?.options.actions?.includes('reclaim') ?? false
  const isTree = plugins.get('capacity')?.enableHierarchy === true
  const rules = { cluster, plugins, reclaims, isTree, isDominant: plugins.get('drf')?.enableHierarchy === true }
  if (conf === undefined)
    findings.add(
      'approximated',
      { line: 1 },
      'configuration',
      '',
      'none is given: that of Volcano, with the actions enqueue, allocate, backfill and the plug-in proportion',
    )
  const queues = Object.fromEntries(file.queues.map((queue) => [queue.name, queueSettings(queue, rules, findings)]))
  if (!(DEFAULT in queues)) queues[DEFAULT] = {}
  const never = neverOf(file.classes, findings)
  tellOthers(file.others, findings)
  const options: VolcanoOptions = { queues, ...(never.length > 0 && { never }), ...conf?.options }
  const placement = conf === undefined ? ownPlacement(cluster.resources) : conf.placement
  const leaves = [
    ...file.queues.filter(({ name, isParent }) => name !== ROOT && !(isTree && isParent)).map(({ name }) => name),
    ...(file.queues.some(({ name }) => name === DEFAULT) ? [] : [DEFAULT]),
  ]
  return {
    kind: 'volcano',
    policy: { volcano: { ...options, ...(placement !== undefined && { placement }) } },
    options,
    leaves,
    findings: findings.all.sort(byPlace),
  }
}

/** As nodes are scored without a configuration: by nodeorder. */
function ownPlacement(resources: readonly string[]): Config | undefined {
  const scores = new NodeScores()
  scores.turnOn('nodeorder')
  return scores.placement(resources)
}

/** Settings that are of no single queue, as written: actions, the plug-ins of each tier, and classes that preempt nobody. */
export function volcanoGeneral({ conf, classes }: VolcanoFile): Record<string, string> {
  const never = Object.fromEntries(classes.filter(({ isNever }) => isNever).map(({ name, value }) => [`class ${name}`, `value=${value} preemptionPolicy=Never`]))
  if (conf === undefined) return never
  const tiers = Array.isArray(conf.object['tiers']) ? (conf.object['tiers'] as unknown[]) : []
  const plugins = tiers.flatMap((tier, t) => {
    const own = fieldsOf(tier)['plugins']
    return (Array.isArray(own) ? (own as unknown[]) : []).map((given): [string, string] => {
      const { name, arguments: args, ...rest } = fieldsOf(given)
      return [`plug-in ${textOf(name)}`, [`tier ${t + 1}`, ...Object.entries({ ...rest, ...fieldsOf(args) }).map(([key, value]) => `${key}=${textOf(value)}`)].join(' ')]
    })
  })
  return { actions: textOf(conf.object['actions']), ...Object.fromEntries(plugins), ...never }
}
