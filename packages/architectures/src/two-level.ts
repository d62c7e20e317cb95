import {
  amountsByName, defineArchitecture, resourceNamed, SchedError, type Architecture, type ArchitectureEnv, type JobId, type JobSpec, type LaneId,
  type NodeId, type Plug, type Scheduler,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { Allocator } from './allocator.js'
import { allocatorOrders, drfWithout, rankedAtRandom, rankedBy, type AllocatorOrder, type Ranking } from './allocator-order.js'
import { attemptOptions, Attempts } from './attempts.js'
import { decisionOptions, decisionTimes, DecisionTimes } from './decision-time.js'
import { Framework } from './framework.js'
import { addSchedulers, balance, groupOptions, groupsOf, refusePromises, Router, type Group } from './groups.js'
import { OfferRules } from './offer-rules.js'
import { Refusals } from './refusals.js'
import { Reservations } from './reservations.js'
import { checkQuota, roleOptions, rolesOf, totalsOf, type Whole } from './role-options.js'
import type { Roles } from './roles.js'
import { idOf, kindOf, Timer } from './timers.js'
import { Usage } from './usage.js'

const leastPerNode = z.array(z.record(z.string(), z.number().nonnegative()))

const frameworkOptions = z.strictObject({
  ...groupOptions,
  decision: decisionOptions.optional().describe('its own decision time'),
  weight: z.number().positive().optional().describe('part it may have relative to the other frameworks; default 1'),
  role: z
    .string()
    .regex(/^[^/]+(\/[^/]+)*$/, 'a path like a/b')
    .optional()
    .describe('role its frameworks are in, a/b inside a: roles share first, then the frameworks in each; default: each framework stands for itself'),
  minimumPerNode: leastPerNode.optional().describe('its own in the place of that of all, none: it is offered whatever a node has (Mesos: min_allocatable_resources of its offer filters)'),
  wants: z.array(z.string()).default([]).describe('resources of `keep` that its frameworks are offered'),
})
type FrameworkGroup = z.output<typeof frameworkOptions>

const seconds = z.number().nonnegative()

const twoLevelOptions = z.strictObject({
  frameworks: z
    .union([z.int().positive(), z.record(z.string().min(1), frameworkOptions)])
    .default(2)
    .describe('how many equal frameworks, or the frameworks by name: { batch: {}, service: { weight: 2 } } for jobs of these classes'),
  balance,
  allocator: z
    .union([z.enum(['drf', 'fair', 'round-robin', 'random']), z.custom<AllocatorOrder>((value) => typeof value === 'function', 'a comparison of two frameworks')])
    .default('drf')
    .describe('who gets the next offer: the smallest dominant share, the fewest tasks, who was served longest ago, or at random by weight; in code any comparison of two frameworks'),
  roles: z.record(z.string().min(1), roleOptions).default({}).describe('weights and quotas of roles, by path'),
  uncounted: z.array(z.string()).default([]).describe('resources that dominant shares leave out (Mesos: fair_sharing_excluded_resource_names)'),
  offers: z
    .enum(['all', 'by-node'])
    .default('all')
    .describe("all: an offer is all that is free, as in the paper; by-node: each node goes to the framework that is first by then, counting what it is offered, as in Mesos"),
  keep: z.array(z.string()).default([]).describe('nodes that have any of these resources are offered only to frameworks that want it (Mesos: filter_gpu_resources)'),
  minimumPerNode: leastPerNode
    .default([])
    .describe('what is offered of a node has at least all of one of these (Mesos: min_allocatable_resources, 0.01 CPUs or 32 MB); default: room for the smallest task'),
  batch: z
    .number()
    .min(0.001)
    .default(1)
    .describe('seconds for which requests are collected before an offer is made, and after which the allocator looks again while nothing is free; at least 0.001. The more looks, the longer the run takes: minutes for days of a full cluster with 0.001'),
  offerTime: seconds.default(0.001).describe('seconds that it takes to make an offer'),
  minimumOffer: z
    .record(z.string(), z.number().nonnegative())
    .optional()
    .describe("less than this over all nodes is not offered, by resource; the authors' simulator has 100 CPUs and 100 of memory; default: room for the smallest task"),
  fairShareOffers: z
    .boolean()
    .default(false)
    .describe('an offer has whole nodes up to the one with which the framework has its fair share of a resource, instead of all that is free'),
  refuseSeconds: seconds
    .default(0)
    .describe('seconds for which what a framework left of a node is not offered to it again, unless the node has more by then; at least until the next offers are made, 0: not at all; Mesos has 5'),
  offerTimeout: z.number().positive().optional().describe('seconds after which an offer without an answer is taken back; default never'),
  hoard: seconds
    .default(0)
    .describe('seconds for which a framework keeps what it has collected for a gang that is not complete; 0: gangs take what one offer has. Two that collect may keep from each other what both need, until jobs are given up'),
  ...decisionTimes,
  ...attemptOptions,
})
/** Options of `twoLevel`; all may be left out. */
export interface TwoLevelOptions extends Omit<z.input<typeof twoLevelOptions>, 'allocator'> {
  /** Who gets the next offer: the name of an order, `random`, or a comparison of two frameworks. Default `drf`. */
  readonly allocator?: keyof typeof allocatorOrders | 'random' | AllocatorOrder | undefined
}

/**
 * An allocator offers free resources to one framework after the other, and a framework places its own jobs on what it is offered. An offer has
 * everything that is free, and nobody else can use it until the framework has answered.
 *
 * Frameworks with queued jobs ask for offers. The allocator collects requests for `batch` seconds, then makes an offer to the asking framework that
 * is first by `allocator`. The framework decides about its queued jobs one after the other and answers after the sum of their decision times; what
 * becomes free meanwhile is offered to others.
 *
 * Source: Hindman et al., "Mesos", NSDI 2011; Schwarzkopf et al., EuroSys 2013, sections 3.3 and 4.2, and its authors' simulator; `refuseSeconds`,
 * `offerTimeout` and weights as in Mesos.
 */
export const twoLevelArchitecture = defineArchitecture({
  name: 'two-level',
  summary: 'an allocator offers resources to frameworks, which place their jobs on them (Mesos)',
  source: 'Hindman et al., NSDI 2011; Schwarzkopf et al., EuroSys 2013, sections 3.3 and 4.2',
  options: twoLevelOptions,
  create: (options, env) => new TwoLevel(options, env),
})

/** Frameworks that an allocator offers resources to. */
export const twoLevel = (options: TwoLevelOptions = {}): Plug<'architecture'> => twoLevelArchitecture.plug({}, options)

class TwoLevel implements Architecture {
  readonly #env: ArchitectureEnv
  readonly #router: Router
  readonly #times: DecisionTimes
  readonly #roles: Roles
  readonly #hasQuotas: boolean
  /** Whether offers may lack a part of what is free, or may be taken back before they are answered. */
  readonly #isSmall: boolean
  readonly #whole: Whole
  readonly #rules: OfferRules
  readonly #allocator: Allocator
  /** By scheduler id. */
  readonly #frameworks: Framework[] = []
  /** Whether resources may be collected for ever for a gang that never gets all it needs. */
  readonly #hoardsForEver: boolean
  /** Whether a job may be tried for ever although no offer ever has everything that is free at once. */
  readonly #offersParts: boolean

  constructor(options: z.output<typeof twoLevelOptions>, env: ArchitectureEnv) {
    this.#env = env
    this.#times = new DecisionTimes(options, env)
    const attempts = new Attempts(env.cell, options)
    this.#hoardsForEver = options.hoard > 0 && attempts.areEndless(true)
    this.#offersParts = (options.offers === 'by-node' || options.refuseSeconds > 0) && attempts.areEndless(false)
    const groups = groupsOf<FrameworkGroup>(options.frameworks, 'framework', { wants: [] }).map(([name, group]): Group<FrameworkGroup> => {
      const usages: Usage[] = []
      const schedulers = addSchedulers(env, name, group.count ?? 1, (index) => [(usages[index] = new Usage(env))])
      for (const [index, scheduler] of schedulers.entries()) this.#add(scheduler, group, usages[index] as Usage, options, attempts)
      return { name, options: group, schedulers }
    })
    refusePromises('framework', groups.flatMap(({ schedulers }) => schedulers))
    this.#router = new Router('framework', groups, options.balance, env)
    const { offers, fairShareOffers: fairShare } = options
    if (fairShare && offers === 'by-node')
      throw new SchedError(
        'BAD_OPTION',
        'offers that are made node by node have no fair share.',
        { field: 'fairShareOffers' },
        'Leave out one of the two.',
      )
    const reservations = new Reservations(options.roles, env.cluster)
    this.#whole = { resources: env.cluster.resources, totals: totalsOf(env), reservations }
    this.#roles = rolesOf(options.roles, offers === 'by-node', this.#frameworks, rankingOf(options, env), this.#whole)
    this.#hasQuotas = this.#roles.tops.some(({ guarantee, limit }) => guarantee !== undefined || limit !== undefined)
    const { resources } = env.cluster
    this.#rules = new OfferRules(env.cell, leastOf(options.minimumPerNode, resources, 'minimumPerNode'), options.keep.map((name, i) => resourceNamed(name, resources, `keep[${i}]`)), reservations)
    this.#isSmall = fairShare || options.minimumOffer !== undefined || options.offerTimeout !== undefined
    const minimum = amountsByName(options.minimumOffer ?? {}, resources, 'minimumOffer')
    this.#allocator = new Allocator(env.cell, this.#frameworks, this.#roles, this.#rules, { offers, batch: options.batch, offerTime: options.offerTime, minimum, fairShare, reservations })
  }

  #add(scheduler: Scheduler, own: FrameworkGroup, usage: Usage, options: z.output<typeof twoLevelOptions>, attempts: Attempts): void {
    this.#frameworks[scheduler.id] = new Framework(this.#env.cell, scheduler, usage, {
      weight: own.weight ?? 1,
      role: own.role,
      wants: own.wants,
      least: own.minimumPerNode && leastOf(own.minimumPerNode, this.#env.cluster.resources, 'frameworks.minimumPerNode'),
      time: this.#times.of(own.decision),
      attempts,
      hoard: options.hoard,
      offerTimeout: options.offerTimeout ?? Infinity,
      refusals: options.refuseSeconds > 0 ? new Refusals(this.#env.cluster, options.refuseSeconds, options.batch) : undefined,
    })
  }

  /**
   * The framework of a new job. Throws `INFEASIBLE` for a job that can never be offered enough, by the rules of its framework or the quota of its
   * role.
   */
  route(spec: JobSpec): Scheduler {
    const scheduler = this.#router.route(spec)
    const framework = this.#frameworks[scheduler.id] as Framework
    this.#rules.check(spec, framework)
    if (this.#hasQuotas) checkQuota(spec, framework, this.#roles, this.#whole)
    return scheduler
  }

  /**
   * Why waiting jobs never start: offers are too small for what must start at once, or are taken back before the decisions are made; or frameworks
   * collect against each other. A framework that waits alone is offered everything that is free, unless it has declined nodes at different times.
   */
  stuck(): string | undefined {
    if (this.#isSmall) return 'no offer that may be made is large enough for it, or lasts until it is answered (minimumOffer, fairShareOffers, offerTimeout).'
    const waiting = this.#frameworks.filter((framework) => framework.hasWork)
    if (this.#hoardsForEver && waiting.length > 1)
      return `frameworks ${waiting.map(({ scheduler }) => scheduler.name).join(', ')} keep from each other what they collect for gangs (hoard), and try for ever (abandonAfter: false).`
    if (!this.#offersParts || !this.#haveGangs()) return undefined
    return 'offers never have all at once that a gang needs: of each node by itself (offers: by-node), or without nodes that were declined (refuseSeconds). It is tried for ever (abandonAfter: false). Frameworks that collect for gangs (hoard, for longer than refuseSeconds) may start it.'
  }

  mayUse(job: JobId, node: NodeId): boolean {
    return this.#rules.mayOffer(this.#frameworks[this.#env.cell.schedulerOf(job)] as Framework, node)
  }

  #haveGangs(): boolean {
    const { work, cluster } = this.#env.cell
    return work.jobs().some((job) => cluster.lanes.some((_, lane) => work.together(job, lane as LaneId) > 1))
  }

  onNode(_node: NodeId, up: boolean): void {
    this.#allocator.onNode(up)
  }

  trigger(): void {
    this.#allocator.collect()
  }

  wake(token: number): void {
    switch (kindOf(token)) {
      case Timer.Allocate:
        return this.#allocator.allocate()
      case Timer.Offer:
        return this.#allocator.deliver(idOf(token))
      case Timer.Answer:
        return this.#frameworks[idOf(token)]?.answer()
      case Timer.GiveUp:
        return this.#frameworks[idOf(token)]?.giveUp()
      default:
        this.#env.cell.letGo(idOf(token) as JobId)
    }
  }

  finish(): void {
    this.#times.finish()
    this.#router.finish()
  }
}

const leastOf = (given: z.output<typeof leastPerNode>, resources: readonly string[], field: string) => given.map((each, i) => amountsByName(each, resources, `${field}[${i}]`))

function rankingOf({ allocator, uncounted, offers }: z.output<typeof twoLevelOptions>, env: ArchitectureEnv): Ranking {
  if (allocator === 'random') return rankedAtRandom(env.random('allocator'))
  const ties = offers === 'by-node' ? 'offers' : 'name'
  const excluded = new Set(uncounted.map((name, i) => resourceNamed(name, env.cluster.resources, `uncounted[${i}]`)))
  if (allocator === 'drf' && excluded.size > 0) return rankedBy(drfWithout(excluded), env.cluster, ties)
  return rankedBy(typeof allocator === 'function' ? allocator : allocatorOrders[allocator], env.cluster, ties)
}
