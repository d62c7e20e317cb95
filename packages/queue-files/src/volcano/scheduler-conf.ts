import type { KubernetesObject } from '@sched/cluster'
import { knownWords, nearest, SchedError, suggest, type Config } from '@sched/core'
import type { VolcanoOptions } from '@sched/policies'
import { secondsAbove0 } from '../durations.js'
import { didYouMean, type Findings, type Verdict } from '../finding.js'
import { fieldsOf, listAt, OR_LEAVE_OUT, textOf, type Path } from '../fields.js'
import { NOT_OF_NODES, resourceOf } from '../kubernetes-resources.js'
import type { NodeGroups } from './node-groups.js'
import { NodeScores, SCORING } from './node-scores.js'
import { PREDICATES } from './proportional.js'
import { PROPORTIONAL, SCARCE, STRATEGIES, STRATEGY_FIT } from './strategy-fit.js'

type Tier = NonNullable<VolcanoOptions['tiers']>[number]
type Plugin = Exclude<NonNullable<Tier['plugins']>[number], string>
type Action = NonNullable<VolcanoOptions['actions']>[number]

/** The policy's part that the configuration of Volcano's scheduler describes. */
export interface SchedulerConf {
  /** Options of the policy `volcano`. */
  readonly options: Pick<VolcanoOptions, 'actions' | 'tiers'>
  /** The placement by the plug-ins that score nodes; undefined: no plug-in does. */
  readonly placement: Config | undefined
  /** How the plug-in `nodegroup` binds queues to groups of nodes; undefined: it is off. */
  readonly nodeGroups: NodeGroups | undefined
}

const actions: readonly Action[] = ['enqueue', 'allocate', 'backfill', 'preempt', 'reclaim', 'gangpreempt', 'gangreclaim', 'shuffle']
const otherActions = knownWords<string>({
  elect: 'no nodes are kept for a job', reserve: 'no nodes are kept for a job',
})
const acting: readonly Plugin['name'][] = ['priority', 'gang', 'conformance', 'overcommit', 'drf', 'proportion', 'capacity', 'sla', 'tdm']
const why = knownWords<string>({
  predicates: 'capacities of nodes and required labels always count', 'task-topology': 'affinity between tasks of a job is not simulated',
  numaaware: 'the inside of nodes is not simulated', cdp: 'there is no cooldown protection', rescheduling: 'running tasks are not moved', usage: 'nodes are chosen by what tasks ask for, not by what they use', extender: 'no external scheduler is called', pdb: 'there are no disruption budgets',
  deviceshare: 'devices are shared as the jobs ask', resourcequota: 'there are no quotas of namespaces', 'network-topology-aware': 'there is no network topology',
})
/** The plug-in that binds queues to groups of nodes, and its argument: whether queues that are bound to none may run nowhere. */
const NODE_GROUP = 'nodegroup'
const STRICT = 'strict'
/** Its argument: whether of groups that a queue prefers the first is the best. */
const ORDERED = 'enablePreferredOrder'
/** The argument of the plug-in `sla`: how long a job waits at most. */
const WAITING = 'sla-waiting-time'
/** The arguments of the plug-in `tdm`: the hours of a zone, and the time between evictions. */
const HOURS_OF = 'tdm.revocable-zone.'
const EVICT_PERIOD = 'tdm.evict.period'
/** Hours of the day as Volcano reads them. */
const HOURS = /^([01]?\d|2[0-3]):[0-5]\d-([01]?\d|2[0-3]):[0-5]\d$/
/** Flags that switch parts of a plug-in on and off, under the names that the policy has for them. */
const flags: readonly string[] = [
  'enableJobOrder', 'enableQueueOrder', 'enableJobEnqueued', 'enabledOverused', 'enabledAllocatable', 'enablePreemptable', 'enableReclaimable', 'enablePreemptive', 'enableJobStarving', 'enableHierarchy',
]
/** Flags of Volcano that the policy does not have. */
const otherFlags = [
  'enableJobReady', 'enableJobPipelined', 'enableTaskOrder', 'enablePredicate', 'enableBestNode', 'enableNodeOrder', 'enableVictim',
  'enableTargetJob', 'enableReservedNodes', 'enableNamespaceOrder', 'enableClusterOrder',
]

/** Reads the configuration of Volcano's scheduler and adds a finding for each setting. Throws `BAD_INPUT` with the line. */
export function schedulerConf(conf: KubernetesObject, resources: readonly string[], findings: Findings): SchedulerConf {
  return new Reader(conf, resources, findings).read()
}

type Fields = Readonly<Record<string, unknown>>

class Reader {
  readonly #conf: KubernetesObject
  readonly #resources: readonly string[]
  readonly #findings: Findings
  readonly #scores = new NodeScores()
  /** Plug-ins read so far that decide whose work goes next. */
  readonly #acting = new Set<string>()
  #nodeGroups: NodeGroups | undefined

  constructor(conf: KubernetesObject, resources: readonly string[], findings: Findings) {
    this.#conf = conf
    this.#resources = resources
    this.#findings = findings
  }

  read(): SchedulerConf {
    const { object } = this.#conf
    for (const field of Object.keys(object)) if (!['actions', 'tiers'].includes(field)) this.#tell('ignored', [field], field, object[field], 'not simulated')
    const chosen = this.#actions(object['actions'])
    const tiers = listAt(this.#conf, ['tiers']).map((_, t): Tier => {
      const path = ['tiers', t, 'plugins']
      this.#checkTree(path)
      return { plugins: listAt(this.#conf, path).flatMap((given, p) => this.#plugin(fieldsOf(given), [...path, p])) }
    })
    return { options: { ...(chosen.length > 0 && { actions: chosen }), tiers }, placement: this.#scores.placement(this.#resources), nodeGroups: this.#nodeGroups }
  }

  /** Throws `BAD_INPUT` with the line if a tier has both `proportion` and `drf` with `enableHierarchy`, which Volcano refuses (UnmarshalSchedulerConf). */
  #checkTree(path: Path): void {
    const plugins = listAt(this.#conf, path).map(fieldsOf)
    const tree = plugins.findIndex((each) => each['name'] === 'drf' && each['enableHierarchy'] === true)
    if (tree >= 0 && plugins.some((each) => each['name'] === 'proportion'))
      throw new SchedError('BAD_INPUT', 'stands in one tier with proportion, and Volcano refuses that.', this.#conf.place(...path, tree, 'enableHierarchy'), 'Leave one of them out.')
  }

  #tell(verdict: Verdict, path: Path, setting: string, value: unknown, note = ''): void {
    const { line = 1, file } = this.#conf.place(...path)
    this.#findings.add(verdict, { line, file }, setting, typeof value === 'object' ? '' : textOf(value), note)
  }

  /**
   * The actions that the policy has, in their order. Throws `BAD_INPUT` with the line if there are none, if allocate is not one of them, or if a name looks
   * like a mistake in one of these.
   */
  #actions(given: unknown): Action[] {
    const names = Array.isArray(given) ? given.map(textOf) : typeof given === 'string' ? given.split(',') : []
    if (names.join('').trim() === '')
      throw new SchedError(
        'BAD_INPUT',
        given === undefined ? 'has no actions.' : `found ${JSON.stringify(given)}, expected actions.`,
        this.#conf.place('actions'),
        'Write them with commas: actions: "enqueue, allocate, backfill".',
      )
    if (Array.isArray(given)) this.#tell('approximated', ['actions'], 'actions', '', 'as a text with commas: Volcano refuses a list, and keeps the configuration that it had')
    const chosen = names.flatMap((text, i) => this.#action(text.trim(), Array.isArray(given) ? ['actions', i] : ['actions']))
    if (chosen.length > 0 && !chosen.includes('allocate')) throw new SchedError('BAD_INPUT', 'are without allocate: nothing ever starts.', this.#conf.place('actions'), 'Add it.')
    return chosen
  }

  #action(name: string, path: Path): Action[] {
    const action = actions.find((each) => each === name)
    const isWhole = actions.some((each) => name.includes(each)) // a name such as gangallocate is another action, not a misspelt allocate
    if (action === undefined && otherActions[name] === undefined && !isWhole && nearest(name, actions) !== undefined)
      throw new SchedError('BAD_INPUT', `no action is called "${name}".`, this.#conf.place(...path), suggest(name, actions))
    const note = otherActions[name] ?? (action === undefined ? 'not simulated, and not of Volcano itself' : name === 'backfill' ? 'tasks that ask nothing start with the others' : '')
    this.#tell(action === undefined ? 'ignored' : 'honoured', path, `action ${name}`, '', note)
    return action === undefined ? [] : [action]
  }

  /** The plug-in as an option of the policy; an empty list for a plug-in that does not decide whose work goes next. */
  #plugin({ name, arguments: args, ...rest }: Fields, path: Path): Plugin[] {
    if (typeof name !== 'string' || name === '') throw new SchedError('BAD_INPUT', 'is a plug-in without a name.', this.#conf.place(...path), 'Write "- name: gang".')
    const isScoring = SCORING.includes(name)
    const known = acting.find((each) => each === name)
    if (known !== undefined && this.#acting.has(name)) throw new SchedError('BAD_INPUT', `plug-in "${name}" is there twice.`, this.#conf.place(...path), 'Name each once.')
    const divider = name === 'proportion' ? 'capacity' : 'proportion'
    if ((name === 'capacity' || name === 'proportion') && this.#acting.has(divider))
      throw new SchedError('BAD_INPUT', `the plug-ins ${divider} and ${name} divide the cluster in different ways.`, this.#conf.place(...path), 'Take one of them away.')
    if (known !== undefined) this.#acting.add(name)
    const isOfJobs = name === 'sla' && secondsAbove0(textOf(fieldsOf(args)[WAITING] ?? '')) === undefined
    if (isOfJobs) this.#tell('honoured', path, name, '', 'no waiting time above 0 is given: those of jobs count alone')
    else if (known !== undefined || name === NODE_GROUP) this.#tell('honoured', path, name, '')
    else if (isScoring) this.#tell(name === 'binpack' ? 'honoured' : 'approximated', path, name, '', `as scores of the placement weighted${name === STRATEGY_FIT ? '; annotations of pods are not read' : ''}`)
    else this.#tell('ignored', path, name, '', why[name] ?? `not simulated${didYouMean(name, [...acting, ...SCORING, 'predicates'])}`)
    const switched = Object.fromEntries(Object.entries(rest).flatMap(([flag, value]) => this.#flag(name, flag, value, [...path, flag])))
    const isOn = switched['enableNodeOrder'] !== false
    if (isScoring && isOn) this.#scores.turnOn(name)
    if (name === NODE_GROUP)
      this.#nodeGroups = {
        isStrict: fieldsOf(args)[STRICT] !== false, isTree: switched['enableHierarchy'] === true,
        filters: switched['enablePredicate'] !== false, scores: isOn, isOrdered: fieldsOf(args)[ORDERED] === true,
      }
    const zones = name === 'tdm' ? this.#zones(fieldsOf(args), path) : {}
    const numbers = Object.fromEntries(Object.keys(fieldsOf(args)).flatMap((argument) => this.#argument(name, argument, fieldsOf(args), [...path, 'arguments', argument], { scores: isOn, filters: switched['enablePredicate'] !== false })))
    if (known === undefined) return []
    return [{ name: known, ...switched, ...(Object.keys(numbers).length > 0 && { arguments: numbers }), ...(Object.keys(zones).length > 0 && { revocableZones: zones }) }]
  }

  /** The hours of the zones of `tdm`. A zone of which Volcano does not understand the hours is never open. */
  #zones(args: Fields, path: Path): Record<string, string> {
    return Object.fromEntries(Object.entries(args).flatMap(([argument, value]): [string, string][] => {
      if (!argument.startsWith(HOURS_OF)) return []
      const hours = textOf(value).trim()
      const isRight = HOURS.test(hours)
      this.#tell(isRight ? 'honoured' : 'ignored', [...path, 'arguments', argument], `tdm ${argument}`, value, isRight ? '' : 'no hours of the day (10:00-21:00): the zone is never open')
      return isRight ? [[argument.slice(HOURS_OF.length), hours]] : []
    }))
  }

  #flag(name: string, flag: string, value: unknown, path: Path): [string, boolean][] {
    const setting = `${name} ${flag}`
    const known = [...flags, ...otherFlags].find((each) => bare(each) === bare(flag))
    if (known === undefined) {
      this.#tell('ignored', path, setting, value, `not simulated${didYouMean(flag, flags)}`)
      return []
    }
    if (typeof value !== 'boolean') throw new SchedError('BAD_INPUT', `found ${JSON.stringify(value)}, expected true or false.`, this.#conf.place(...path), OR_LEAVE_OUT)
    const counts = known === 'enableHierarchy'
      ? name === 'capacity' || name === 'drf' || name === NODE_GROUP
      : known === 'enableNodeOrder'
        ? SCORING.includes(name) || name === NODE_GROUP
        : known === 'enablePredicate'
          ? name === NODE_GROUP || name === PREDICATES || name === STRATEGY_FIT
          : acting.some((each) => each === name) && flags.includes(known)
    if (counts || value === (known !== 'enableHierarchy')) this.#tell('honoured', path, setting, value)
    else this.#tell('ignored', path, setting, value, known === 'enableHierarchy' ? 'it does not compare queues in a tree' : 'it cannot be switched off')
    return counts ? [[known, value]] : []
  }

  #argument(name: string, argument: string, args: Fields, path: Path, { scores: isOn, filters }: { readonly scores: boolean; readonly filters: boolean }): [string, number][] {
    const value = args[argument]
    const setting = `${name} ${argument}`
    const number = (least = 0): number => numberAt(this.#conf, path, value, least)
    if (name === 'overcommit' && /^overcommit-factor(\.|$)/.test(argument)) {
      const resource = resourceOf(argument.slice('overcommit-factor.'.length))
      const isKnown = !argument.includes('.') || resource !== undefined
      const note = number() < 1 ? 'below 1: Volcano takes 1.2 then' : ''
      this.#tell(isKnown ? 'honoured' : 'ignored', path, setting, value, isKnown ? note : NOT_OF_NODES)
      return isKnown ? [[resource === undefined ? 'overcommit-factor' : `overcommit-factor.${resource}`, number()]] : []
    }
    if (name === 'tdm' && argument.startsWith(HOURS_OF)) return []
    if (name === NODE_GROUP && [STRICT, ORDERED].includes(argument) && typeof value === 'boolean') {
      this.#tell('honoured', path, setting, value)
      return []
    }
    if (name === STRATEGY_FIT && argument === STRATEGIES && isOn) {
      const weightOf = (resource: string, weight: unknown): number => numberAt(this.#conf, [...path, resource, 'weight'], weight, -Infinity)
      for (const [resource, verdict, note] of this.#scores.strategies.takeStrategies(value, weightOf)) this.#tell(verdict, [...path, resource], `${name} ${resource}`, '', note)
      return []
    }
    const inside = (key: string, of: unknown): number => numberAt(this.#conf, [...path, ...key.split(/\.(.*)/).filter((part) => part !== '')], of, -Infinity)
    const told = name === PREDICATES && filters
      ? this.#scores.proportions.takePredicate(argument, args, (key, of) => numberAt(this.#conf, [...path.slice(0, -1), key], of, -Infinity))
      : name === STRATEGY_FIT && argument === PROPORTIONAL && filters
        ? this.#scores.proportions.takeFit(value, inside)
        : name === STRATEGY_FIT && argument === SCARCE && isOn ? this.#scores.scarcity.take(value, inside) : undefined
    if (told !== undefined) {
      const [verdict, note] = told
      this.#tell(verdict, path, setting, value, note)
      return []
    }
    const period = name === 'tdm' && argument === EVICT_PERIOD ? secondsAbove0(textOf(value)) : undefined
    if (period !== undefined) {
      this.#tell('honoured', path, setting, value)
      return [[EVICT_PERIOD, period]]
    }
    const longest = name === 'sla' && argument === WAITING ? secondsAbove0(textOf(value)) : undefined
    if (longest !== undefined) {
      this.#tell('honoured', path, setting, value)
      return [[WAITING, longest]]
    }
    const [verdict, note] = !isOn
      ? ['ignored' as const, 'it scores no nodes']
      : SCORING.includes(name) ? this.#scores.take(name, argument, value, args['binpack.resources'], number) : ['ignored' as const, 'not simulated']
    this.#tell(verdict, path, setting, value, note)
    return []
  }
}

/** A flag without its prefix, which Volcano spells `enable` or `enabled`, in small letters. */
const bare = (flag: string): string => flag.replace(/^enabled?/, '').toLowerCase()

function numberAt(conf: KubernetesObject, path: Path, value: unknown, least: number): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number === 'number' && number >= least && Math.abs(number) < Infinity) return number
  throw new SchedError('BAD_INPUT', `found ${JSON.stringify(value)}, expected a number${least === -Infinity ? '' : ` of at least ${least}`}.`, conf.place(...path), OR_LEAVE_OUT)
}
