import type { Config } from '@sched/core'
import type { VolcanoOptions } from '@sched/policies'
import { fieldsOf, textOf } from '../fields.js'
import { byPlace, Findings } from '../finding.js'
import { tellOthers } from '../other-objects.js'
import { neverOf } from '../priority-classes.js'
import type { ClusterFacts, QueuePolicy } from '../queue-policy.js'
import { nodesOfQueues, type Nodes } from './node-groups.js'
import { NodeScores, withQueueLabels } from './node-scores.js'
import { queueSettings, type Plugins } from './queue-settings.js'
import { schedulerConf } from './scheduler-conf.js'
import { DEFAULT, ROOT, type VolcanoFile } from './volcano-file.js'

/** The policy that Queues of Volcano and the configuration of its scheduler describe. */
export interface VolcanoPolicy extends QueuePolicy {
  /** Tells the policies of files apart. */
  readonly kind: 'volcano'
  /** Options of the policy `volcano`. */
  readonly options: VolcanoOptions
  /** Names of the queues that take jobs. */
  readonly leaves: readonly string[]
  /** On which nodes the jobs of a queue may run; anywhere, if it is not there. */
  readonly nodes: ReadonlyMap<string, Nodes>
}

/** The plug-ins of Volcano's default configuration. */
const ownPlugins: Plugins = new Map(['priority', 'gang', 'conformance', 'overcommit', 'drf', 'proportion'].map((name) => [name, {}]))

/**
 * The policy `volcano` with the queues of the file, with its configuration or else Volcano's default one, and with the priorities whose pods never preempt.
 * Throws `BAD_INPUT` with the line.
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
  const rules = { cluster, plugins, reclaims, isTree, isDominant: plugins.get('drf')?.enableHierarchy === true, queues: file.queues }
  if (conf === undefined)
    findings.add(
      'approximated',
      { line: 1 },
      'configuration',
      '',
      'none is given: the default of Volcano counts, with the actions enqueue, allocate, backfill and the plug-in proportion',
    )
  const queues = Object.fromEntries(file.queues.map((queue) => [queue.name, queueSettings(queue, rules, findings)]))
  if (!(DEFAULT in queues)) queues[DEFAULT] = {}
  const { nodes, queueLabels } = nodesOfQueues(file.queues, conf?.nodeGroups, findings)
  const never = neverOf(file.classes, findings)
  tellOthers(file.others, findings)
  const options: VolcanoOptions = { queues, ...(never.length > 0 && { never }), ...conf?.options }
  const placement = conf === undefined ? ownPlacement(cluster.resources) : withQueueLabels(conf.placement, queueLabels)
  const leaves = [
    ...file.queues.filter(({ name, isParent }) => name !== ROOT && !(isTree && isParent)).map(({ name }) => name),
    ...(file.queues.some(({ name }) => name === DEFAULT) ? [] : [DEFAULT]),
  ]
  return {
    kind: 'volcano',
    policy: { volcano: { ...options, ...(placement !== undefined && { placement }) } },
    options,
    leaves,
    nodes,
    findings: findings.all.sort(byPlace),
  }
}

/** The placement of Volcano's default configuration, in which the plug-in nodeorder scores nodes. */
function ownPlacement(resources: readonly string[]): Config | undefined {
  const scores = new NodeScores()
  scores.turnOn('nodeorder')
  return scores.placement(resources)
}

/** Settings of no single queue, as written: actions, the plug-ins of each tier, and PriorityClasses whose pods never preempt. */
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
