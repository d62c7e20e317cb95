import { defineArchitecture, SchedError, suggest, type Architecture, type ArchitectureEnv, type JobId, type JobSpec, type Plug, type Scheduler } from '@sched/core'
import { z } from 'zod'
import { Allocator } from './allocator.js'
import { allocatorOrders, type AllocatorOrder } from './allocator-order.js'
import { attemptOptions, Attempts } from './attempts.js'
import { decisionOptions, decisionTimes, DecisionTimes } from './decision-time.js'
import { Framework } from './framework.js'
import { addSchedulers, balance, groupOptions, groupsOf, refusePromises, Router, type Group } from './groups.js'
import { Refusals } from './refusals.js'
import { idOf, kindOf, Timer } from './timers.js'
import { Usage } from './usage.js'

const frameworkOptions = z.strictObject({
  ...groupOptions,
  decision: decisionOptions.optional().describe('its own decision time'),
  weight: z.number().positive().optional().describe('part it may have relative to the other frameworks; default 1'),
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
    .union([z.enum(['drf', 'fair', 'round-robin']), z.custom<AllocatorOrder>((value) => typeof value === 'function', 'a comparison of two frameworks')])
    .default('drf')
    .describe('who gets the next offer: the smallest dominant share, the fewest tasks, or who was served longest ago; in code any comparison of two frameworks'),
  batch: seconds.default(1).describe('seconds for which requests are collected before an offer is made'),
  offerTime: seconds.default(0.001).describe('seconds that it takes to make an offer'),
  minimumOffer: z
    .record(z.string(), z.number().nonnegative())
    .optional()
    .describe("less than this over all nodes is not offered, by resource; the authors' simulator has 100 CPUs and 100 of memory; default: room for the smallest task"),
  fairShareOffers: z.boolean().default(false).describe('an offer has at most what the framework lacks of its fair share, instead of all that is free'),
  refuseSeconds: seconds.default(0).describe('seconds for which a node that a framework declined is not offered to it again; Mesos has 5'),
  offerTimeout: z.number().positive().optional().describe('seconds after which an offer without an answer is taken back; default never'),
  hoard: seconds.default(0).describe('seconds for which a framework keeps what it has collected for a gang that is not complete; 0: gangs take what one offer has'),
  ...decisionTimes,
  ...attemptOptions,
})
export interface TwoLevelOptions extends Omit<z.input<typeof twoLevelOptions>, 'allocator'> {
  readonly allocator?: keyof typeof allocatorOrders | AllocatorOrder | undefined
}

/**
 * An allocator offers free resources to one framework after the other; a framework places its own jobs on what it is
 * offered. All that is free is in the offer, and nobody else can use it until the framework has answered.
 *
 * Frameworks with queued jobs ask for offers. The allocator collects requests for `batch` seconds, then makes an offer to
 * the asking framework that is first by `allocator`. The framework decides about its queued jobs one after the other and
 * answers after the sum of their decision times; what becomes free meanwhile is offered to others.
 *
 * Source: Hindman et al., "Mesos", NSDI 2011; Schwarzkopf et al., EuroSys 2013, sections 3.3 and 4.2, and its authors'
 * simulator; `refuseSeconds`, `offerTimeout` and weights as in Mesos.
 */
export const twoLevelArchitecture = defineArchitecture({
  name: 'two-level',
  summary: 'an allocator offers resources to frameworks, which place their jobs on them (Mesos)',
  source: 'Hindman et al., NSDI 2011; Schwarzkopf et al., EuroSys 2013, sections 3.3 and 4.2',
  options: twoLevelOptions,
  create: (options, env) => new TwoLevel(options, env),
})

/** Frameworks that are offered resources by an allocator. */
export const twoLevel = (options: TwoLevelOptions = {}): Plug<'architecture'> => twoLevelArchitecture.plug({}, options)

class TwoLevel implements Architecture {
  readonly #env: ArchitectureEnv
  readonly #router: Router
  readonly #times: DecisionTimes
  readonly #allocator: Allocator
  /** By scheduler id. */
  readonly #frameworks: Framework[] = []

  constructor(options: z.output<typeof twoLevelOptions>, env: ArchitectureEnv) {
    this.#env = env
    this.#times = new DecisionTimes(options, env)
    const attempts = new Attempts(env.cell, options)
    const groups = groupsOf<FrameworkGroup>(options.frameworks, 'framework', {}).map(([name, group]): Group<FrameworkGroup> => {
      const usages: Usage[] = []
      const schedulers = addSchedulers(env, name, group.count ?? 1, (index) => [(usages[index] = new Usage(env))])
      for (const [index, scheduler] of schedulers.entries()) this.#add(scheduler, group, usages[index] as Usage, options, attempts)
      return { name, options: group, schedulers }
    })
    refusePromises('framework', groups.flatMap(({ schedulers }) => schedulers))
    this.#router = new Router('framework', groups, options.balance, env)
    const { allocator, minimumOffer = {} } = options
    this.#allocator = new Allocator(env.cell, this.#frameworks, {
      order: typeof allocator === 'function' ? allocator : allocatorOrders[allocator],
      batch: options.batch,
      offerTime: options.offerTime,
      minimum: amounts(minimumOffer, env),
      fairShare: options.fairShareOffers,
    })
  }

  #add(scheduler: Scheduler, own: FrameworkGroup, usage: Usage, options: z.output<typeof twoLevelOptions>, attempts: Attempts): void {
    this.#frameworks[scheduler.id] = new Framework(this.#env.cell, scheduler, usage, {
      weight: own.weight ?? 1,
      time: this.#times.of(own.decision),
      attempts,
      hoard: options.hoard,
      offerTimeout: options.offerTimeout ?? Infinity,
      refusals: options.refuseSeconds > 0 ? new Refusals(this.#env.cluster.nodes, options.refuseSeconds) : undefined,
    })
  }

  route(spec: JobSpec): Scheduler {
    return this.#router.route(spec)
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

/** Amounts by name as a column. Throws `BAD_OPTION` for a resource that the cluster has not. */
function amounts(given: Readonly<Record<string, number>>, { cluster }: ArchitectureEnv): Float64Array {
  for (const name of Object.keys(given))
    if (!cluster.resources.includes(name)) throw new SchedError('BAD_OPTION', `the cluster has no resource "${name}".`, { field: `minimumOffer.${name}` }, suggest(name, cluster.resources))
  return Float64Array.from(cluster.resources, (name) => given[name] ?? 0)
}
