import { quantityAt, type KubernetesObject } from '@sched/cluster'
import { knownWords, SchedError, suggest, type Config } from '@sched/core'
import type { VolcanoOptions } from '@sched/policies'
import { Findings, notSimulated } from '../finding.js'
import { fieldsOf, textOf } from '../kueue/kueue-file.js'
import { inUnits } from '../kueue/quotas.js'
import { beyondCluster, type ClusterFacts, type QueuePolicy } from '../queue-policy.js'
import { schedulerConf } from './scheduler-conf.js'
import { amountsOf, DEFAULT, ROOT, stateOf, type VolcanoFile, type VolcanoQueue } from './volcano-file.js'

/** What Queues of Volcano and the configuration of its scheduler come to. */
export interface VolcanoPolicy extends QueuePolicy {
  /** Tells the policies of files apart. */
  readonly kind: 'volcano'
  /** Of `volcano`. */
  readonly options: VolcanoOptions
  /** Queues that take jobs, by name. */
  readonly leaves: readonly string[]
}

type Settings = NonNullable<VolcanoOptions['queues']>[string]
type Plugins = ReadonlyMap<string, { readonly enableHierarchy?: boolean | undefined }>

const RESOURCES = ['cpu', 'mem', 'gpu']
const strategies = ['traverse', 'fifo', 'priorityfifo']
const states = ['Open', 'Closed', 'Closing', 'Unknown']
const why = knownWords<string>({ affinity: 'queues are not bound to groups of nodes', type: 'it has no effect', extendClusters: 'there is one cluster' })
const known = ['weight', 'capability', 'deserved', 'guarantee', 'reclaimable', 'parent', 'priority', 'dequeueStrategy']
/** As nodes are scored without a configuration: by nodeorder. */
const ownScores: Config = { weighted: { scores: { 'least-allocated': 1, 'balanced-allocation': 1 } } }
const ownPlugins: Plugins = new Map(['priority', 'gang', 'conformance', 'overcommit', 'drf', 'proportion'].map((name) => [name, {}]))

/**
 * The policy `volcano` with the queues and the configuration of the file; without one with Volcano's own. Throws `BAD_INPUT` with the line.
 *
 * Source: Volcano, API scheduling.volcano.sh/v1beta1 (`QueueSpec`), pkg/scheduler/conf.
 */
export function volcanoPolicy(file: VolcanoFile, cluster: ClusterFacts): VolcanoPolicy {
  const findings = new Findings(file.file)
  const conf = file.conf === undefined ? undefined : schedulerConf(file.conf, findings)
  const plugins: Plugins = conf === undefined
    ? ownPlugins
    : new Map((conf.options.tiers ?? []).flatMap(({ plugins: own = [] }) =>
      own.map((each) => (typeof each === 'string' ? [each, {}] : [each.name, each]))))
  const reclaims = conf?.options.actions?.includes('reclaim') ?? false
  const isTree = plugins.get('capacity')?.enableHierarchy === true
  const rules = { cluster, findings, plugins, reclaims, isTree, isDominant: plugins.get('drf')?.enableHierarchy === true }
  if (conf === undefined)
    findings.add(
      'approximated',
      { line: 1 },
      'configuration',
      '',
      'none is given: that of Volcano, with the actions enqueue, allocate, backfill and the plug-in proportion',
    )
  const queues = Object.fromEntries(file.queues.map((queue) => [queue.name, settingsOf(queue, rules)]))
  if (!(DEFAULT in queues)) queues[DEFAULT] = {}
  tellOthers(file, findings)
  const options: VolcanoOptions = { queues, ...conf?.options }
  const placement = conf === undefined ? ownScores : conf.placement
  const leaves = [
    ...file.queues.filter(({ name, isParent }) => name !== ROOT && !(isTree && isParent)).map(({ name }) => name),
    ...(file.queues.some(({ name }) => name === DEFAULT) ? [] : [DEFAULT]),
  ]
  return {
    kind: 'volcano',
    policy: { volcano: { ...options, ...(placement !== undefined && { placement }) } },
    options,
    leaves,
    findings: findings.all.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1)),
  }
}

interface Rules {
  readonly cluster: ClusterFacts
  readonly findings: Findings
  readonly plugins: Plugins
  readonly reclaims: boolean
  /** Whether `capacity` has queues in others, and whether `drf` has. */
  readonly isTree: boolean
  readonly isDominant: boolean
}

function settingsOf({ name, found }: VolcanoQueue, rules: Rules): Settings {
  const { findings, plugins, reclaims, isTree, isDominant } = rules
  const spec = fieldsOf(found.object['spec'])
  const settings: Record<string, unknown> = {}
  const placeOf = (path: readonly string[]) => ({ line: found.place(...path).line ?? 1, file: found.place().file })
  const tell = (verdict: 'honoured' | 'ignored', path: readonly string[], value: unknown, note = '') => findings.add(
    verdict,
    placeOf(path),
    `${name} ${path.at(-1) ?? ''}`,
    typeof value === 'object' ? '' : textOf(value),
    note,
  )
  const take = (field: string, counts: boolean, note: string, isRight: (value: unknown) => boolean, expected: string) => {
    const value = spec[field]
    if (value === undefined || value === null || value === '') return
    if (!isRight(value))
      throw new SchedError(
        'BAD_INPUT',
        `found ${JSON.stringify(value)}, expected ${expected}.`,
        found.place('spec', field),
        typeof value === 'string' && field === 'dequeueStrategy' ? suggest(value, strategies) : '',
      )
    tell(counts ? 'honoured' : 'ignored', ['spec', field], value, counts ? '' : note)
    if (counts) settings[field] = value
  }
  const divides = plugins.has('proportion')
  const way = isDominant ? wayOf(found) : undefined
  take(
    'weight',
    divides || (isDominant && way === undefined),
    'it counts with the plug-in proportion, or with enableHierarchy of drf where the queue has no hierarchy',
    (value) => Number.isInteger(value) && (value as number) > 0,
    'a whole number above 0',
  )
  take('priority', divides || plugins.has('capacity'), 'it counts with the plug-in proportion or capacity', Number.isInteger, 'a whole number')
  take('reclaimable', reclaims, 'there is no action reclaim', (value) => typeof value === 'boolean', 'true or false')
  take('dequeueStrategy', true, '', (value) => strategies.includes(value as string), strategies.join(', '))
  take(
    'parent',
    isTree || isDominant || spec['parent'] === ROOT,
    'queues lie in others with enableHierarchy of the plug-in capacity or drf',
    (value) => typeof value === 'string',
    'a queue',
  )
  if (settings['parent'] === ROOT) delete settings['parent']
  for (const key of [HIERARCHY, WEIGHTS]) {
    const value = fieldsOf(fieldsOf(found.object['metadata'])['annotations'])[key]
    if (value !== undefined)
      tell(
        way === undefined ? 'ignored' : 'honoured',
        ['metadata', 'annotations', key],
        value,
        way !== undefined ? '' : isDominant ? 'it counts together with the other one' : 'it counts with enableHierarchy of the plug-in drf',
      )
  }
  Object.assign(settings, way)
  for (const field of Object.keys(spec)) if (!known.includes(field) && field !== 'state') tell('ignored', ['spec', field], spec[field], why[field] ?? notSimulated(field, known))
  const state = stateOf(found)
  if (state !== undefined) {
    if (!states.includes(state.value as string))
      throw new SchedError('BAD_INPUT', `found ${JSON.stringify(state.value)}, expected ${states.join(', ')}.`, found.place(...state.path))
    tell('honoured', state.path, state.value)
    if (state.value !== 'Open') settings['state'] = state.value
  }
  for (const kind of ['deserved', 'guarantee', 'capability'] as const) {
    const counts = kind === 'deserved' ? plugins.has('capacity') : divides || plugins.has('capacity')
    const amounts = takeAmounts(found, name, kind, counts ? '' : `it counts with the plug-in ${kind === 'deserved' ? 'capacity' : 'proportion or capacity'}`, rules)
    if (amounts !== undefined) settings[kind] = amounts
  }
  return settings
}

const HIERARCHY = 'volcano.sh/hierarchy'
const WEIGHTS = 'volcano.sh/hierarchy-weights'

/** Where `drf` has the queue, as its annotations say; `undefined`: in its parent. Throws `BAD_INPUT` with the line. */
function wayOf(found: KubernetesObject): { readonly hierarchy: string; readonly hierarchyWeights: string } | undefined {
  const annotations = fieldsOf(fieldsOf(found.object['metadata'])['annotations'])
  const [hierarchy, weights] = [annotations[HIERARCHY] ?? '', annotations[WEIGHTS] ?? ''].map(textOf) as [string, string]
  if (hierarchy === '' || weights === '') return undefined
  if (!/^root(\/[^/]+)+$/.test(hierarchy))
    throw new SchedError(
      'BAD_INPUT',
      `found ${JSON.stringify(hierarchy)}, expected the way from the root to the queue.`,
      found.place('metadata', 'annotations', HIERARCHY),
      'Write it as root/team/project.',
    )
  const numbers = weights.split('/').map(Number)
  if (numbers.length !== hierarchy.split('/').length || !numbers.every((weight) => weight > 0 && weight < Infinity))
    throw new SchedError(
      'BAD_INPUT',
      `found ${JSON.stringify(weights)}, expected a weight above 0 for each name of ${JSON.stringify(hierarchy)}.`,
      found.place('metadata', 'annotations', WEIGHTS),
      'Write them as 1/50/50.',
    )
  return { hierarchy, hierarchyWeights: weights }
}

/** Amounts in the units of nodes of Kubernetes; GPUs of all makers together. */
function takeAmounts(
  found: KubernetesObject,
  name: string,
  kind: 'deserved' | 'guarantee' | 'capability',
  whyNot: string,
  { cluster, findings }: Rules,
): Record<string, number> | undefined {
  const { path, amounts } = amountsOf(found, kind)
  const resources = RESOURCES.some((each) => cluster.resources.includes(each)) ? cluster.resources : RESOURCES
  const taken: Record<string, number> = {}
  for (const resource of Object.keys(amounts)) {
    const { line = 1, file } = found.place(...path, resource)
    const tell = (verdict: 'honoured' | 'approximated' | 'ignored', note: string) => findings.add(
      verdict,
      { line, file },
      `${name} ${kind} of ${resource}`,
      textOf(amounts[resource]),
      note,
    )
    const unit = inUnits(resource, quantityAt(found, ...path, resource))
    if (whyNot !== '') tell('ignored', whyNot)
    else if (unit === undefined) tell('ignored', 'jobs ask for CPU, memory and GPUs')
    else if (!resources.includes(unit.resource)) tell('ignored', `the cluster has no ${unit.resource} (in ${unit.unit})`)
    else if (kind === 'capability' && unit.amount === 0 && unit.resource !== 'gpu') tell('honoured', 'none: no bound, as in Volcano')
    else {
      const others = taken[unit.resource]
      taken[unit.resource] = unit.amount + (others ?? 0)
      tell(
        others === undefined ? 'honoured' : 'approximated',
        others === undefined
          ? beyondCluster(unit.resource, kind === 'capability' ? 0 : unit.amount, unit.unit, cluster)
          : 'together with the other GPUs: nodes have them as one resource',
      )
    }
  }
  return Object.keys(taken).length === 0 ? undefined : taken
}

/** Objects of other kinds, each kind once. */
function tellOthers({ others }: VolcanoFile, findings: Findings): void {
  for (const kind of new Set(others.map((each) => each.kind))) {
    const [first, ...more] = others.filter((each) => each.kind === kind)
    findings.add(
      'ignored',
      { line: first?.place().line ?? 1, file: first?.place().file },
      kind === '' ? 'an object' : kind,
      '',
      `not of the scheduling here${more.length === 0 ? '' : ` (${more.length + 1} of them)`}`,
    )
  }
}

/** Settings that are of no single queue, as written: actions, and the plug-ins of each tier. */
export function volcanoGeneral({ conf }: VolcanoFile): Record<string, string> {
  if (conf === undefined) return {}
  const tiers = Array.isArray(conf.object['tiers']) ? (conf.object['tiers'] as unknown[]) : []
  const plugins = tiers.flatMap((tier, t) => {
    const own = fieldsOf(tier)['plugins']
    return (Array.isArray(own) ? (own as unknown[]) : []).map((given): [string, string] => {
      const { name, arguments: args, ...rest } = fieldsOf(given)
      return [`plug-in ${textOf(name)}`, [`tier ${t + 1}`, ...Object.entries({ ...rest, ...fieldsOf(args) }).map(([key, value]) => `${key}=${textOf(value)}`)].join(' ')]
    })
  })
  return { actions: textOf(conf.object['actions']), ...Object.fromEntries(plugins) }
}
