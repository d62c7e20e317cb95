import {
  definePolicy, forwarding, None, SchedError, type ClusterView, type Env, type JobId, type NodeId, type Plug, type Policy, type Random,
  type Release, type Round, type TaskId,
} from '@sched/core'
import * as z from '@sched/bundled/zod'
import { givenWeights } from '../node-weight/weights.js'
import { BayesClassifier } from './classifier.js'
import { checkModel, type BayesModel } from './model.js'
import { MovedRound, RehearsedRound, type FirstClaims } from './moved-round.js'
import { shapeText, type Plan } from './plan.js'
import { Quotas, type Target } from './quotas.js'
import { planOf, rackLayout, type RackLayout } from './rack-layout.js'
import { chooseRack, proportionalParts } from './redeploy.js'

const bayesCommOptions = z.strictObject({
  model: z
    .union([z.string().min(1), z.record(z.string(), z.unknown())])
    .describe('the model that predicts: what `sched bayes train` writes; in files and on the command line the path of its file'),
  threshold: z.number().min(0).lt(1).default(0.5).describe('a job is moved if its probability of being active is above this'),
  rackChoice: z.enum(['random', 'mostFree']).default('random').describe('the rack an active job goes to: any, or the one with room for the most of its tasks'),
  performance: z.record(z.string(), z.number().positive()).optional().describe('performance relative to other nodes, by node or by group of nodes; default: the speed of the node'),
  chargeMapLocality: z.boolean().default(true).describe('tasks that were moved away from their data take as long as its distance says; false: as if it were on their node'),
  rebalanceLazy: z.boolean().default(false).describe('divide lazy jobs over all nodes by performance instead of keeping their plan'),
})
/** Options of `bayesComm`; only `model` is required. */
export type BayesCommOptions = Omit<z.input<typeof bayesCommOptions>, 'model'> & { readonly model: BayesModel }

/**
 * Predicts from a job's plan, the nodes on which a scheduler would put its tasks, whether the job will exchange much data between racks. If so, all its tasks
 * are put on one rack, divided over the nodes there by performance; tasks without room wait until others end. Other (lazy) jobs keep their plan. The policy
 * inside still decides which job is next.
 *
 * The plan consists of the claims of the policy for the job in its first round. At a heartbeat it also has what the policy would claim at the heartbeats of
 * the other nodes, one after another. If these are not all tasks, the remaining ones are divided in the same proportions. Gangs are never moved, nor jobs
 * whose tasks no rack could hold.
 *
 * Source: Cao and Wang, "Bayes classifier for the communication of map-intensive jobs", Algorithm 1; the overview there
 * rebalances lazy jobs (`rebalanceLazy`), the algorithm keeps their plan.
 */
export const bayesCommPolicy = definePolicy({
  name: 'bayes-comm',
  summary: 'moves jobs that are predicted to load the network between racks to one rack',
  source: 'Cao and Wang, Bayes classifier for communication of map-intensive jobs, Algorithm 1',
  options: bayesCommOptions,
  inner: { policy: 'policy' },
  defaults: { policy: 'greedy' },
  create: (options, env, { policy }) => new BayesComm(options, env, policy),
})

/** `bayes-comm` around a policy: moves each job that is predicted to be communication-active to one rack. */
export const bayesComm = (policy: Plug<'policy'>, options: BayesCommOptions): Plug<'policy'> => bayesCommPolicy.plug({ policy }, options)

/**
 * Seconds after which the policy inside gets another round without heartbeats, if moved jobs had room but nothing was claimed. A policy that lets jobs wait
 * for their data may count the opportunities that a job passes over, and a moved job has only those on one rack.
 */
const AGAIN = 1

class BayesComm implements Policy {
  readonly #policy: Policy
  /** A second instance of the policy, which is asked about future heartbeats so that the state of the first does not change; undefined without heartbeats. */
  readonly #planner: Policy | undefined
  readonly #classifier: BayesClassifier
  readonly #options: z.output<typeof bayesCommOptions>
  readonly #layout: RackLayout
  readonly #quotas: Quotas
  readonly #random: Random
  /** By job: whether it has been decided if it moves. */
  readonly #decided: boolean[] = []
  readonly #round: MovedRound
  readonly #rehearsed: RehearsedRound

  constructor(options: z.output<typeof bayesCommOptions>, env: Env, plug: Plug<'policy'>) {
    const { cluster } = env
    this.#options = options
    this.#layout = rackLayout(cluster)
    this.#classifier = new BayesClassifier(modelFor(options.model, this.#layout))
    this.#quotas = new Quotas(env, this.#layout, performances(options.performance, cluster))
    this.#random = env.random('bayes-comm:rack')
    this.#policy = plug.create(env)
    refusePromises(plug, this.#policy)
    this.#planner = cluster.heartbeat > 0 ? plug.create({ ...env, random: (stream) => env.random(`bayes-comm:plan:${stream}`), warn: () => undefined }) : undefined
    const isDecided = (job: JobId) => this.#decided[job] === true
    this.#round = new MovedRound(this.#quotas, isDecided)
    this.#rehearsed = new RehearsedRound(this.#quotas, isDecided)
    Object.assign(this, forwarding(this.#own(), this.#policy, this.#planner))
  }

  #own() {
    const quotas = this.#quotas
    return {
      onSubmit: (job: JobId) => void (this.#decided[job] = false),
      onClaim: (job: JobId, _lane: number, task: TaskId, node: NodeId) => quotas.onClaim(job, task, node),
      onRelease: (job: JobId, _lane: number, task: TaskId, node: NodeId, why: Release) => void (why !== 'ended' && quotas.onReturn(job, task, node)),
      onFinish: (job: JobId) => quotas.forget(job),
      onNode: () => quotas.divideAnew(),
    }
  }

  schedule(round: Round): void {
    if (round.nodes.length === 0) return this.#policy.schedule(round)
    this.#quotas.seeReach(round.reach ?? round.nodes)
    for (let again: JobId | None = None; ; ) {
      this.#policy.schedule(this.#round.of(round, again))
      again = this.#decideAll(round)
      if (again === None) break
    }
    if (this.#round.hasFitted && !this.#round.hasClaimed && this.#planner === undefined) round.wakeAt(round.now + AGAIN)
  }

  /** Decides about jobs in the order of their first claims. Returns the first job that moves, after taking back its claims and all later ones. */
  #decideAll(round: Round): JobId | None {
    for (const [job, claims] of this.#round.first) {
      this.#decided[job] = true
      const target = this.#targetOf(job, claims, round)
      if (target === undefined) continue
      round.rollback(claims.before)
      this.#quotas.move(job, target)
      if (!this.#options.chargeMapLocality) round.ignoreLocality?.(job)
      return job
    }
    return None
  }

  /** The target to which the job moves; undefined: it does not move. */
  #targetOf(job: JobId, claims: FirstClaims, round: Round): Target | undefined {
    const { work, lane } = round
    if (work.inGang(claims.tasks[0] as TaskId)) return undefined
    const { probabilities } = this.#classifier.predict(this.#planOf(job, claims, round))
    if (probabilities.C1 <= this.#options.threshold) return this.#options.rebalanceLazy ? 'everywhere' : undefined
    const shape = work.shapeOf(claims.tasks[0] as TaskId)
    const racks = [...this.#layout.racks.keys()].filter((rack) => this.#quotas.nodesFor(rack, shape, lane).length > 0)
    if (racks.length === 0) return undefined
    if (this.#options.rackChoice === 'mostFree') round.rollback(claims.before) // what its own claims hold counts as free for it
    return chooseRack(racks, this.#options.rackChoice, this.#random, (rack) =>
      this.#quotas.nodesFor(rack, shape, lane).reduce((sum, node) => sum + round.cluster.couldTake(shape, node), 0),
    )
  }

  /** The plan of a job: its first claims, rehearsed ones, and the remaining tasks in the same proportions. */
  #planOf(job: JobId, { tasks }: FirstClaims, round: Round): Plan {
    const { work, lane } = round
    const counts = new Map<NodeId, number>()
    const total = tasks.length + work.unplaced(job, lane)
    for (const task of tasks) addTo(counts, work.nodeOf(task))
    this.#rehearse(job, counts, round)
    const nodes = [...counts.keys()]
    const parts = proportionalParts(total, nodes.map((node) => counts.get(node) as number))
    const planned = new Map(nodes.map((node, i) => [node, parts[i] as number]))
    return planOf(this.#layout, (node) => planned.get(node) ?? 0, (node) => this.#quotas.isThere(node))
  }

  /** Adds to `counts` what the job would get at the heartbeats of the other nodes, in order of id from the node in sight on, until nothing more would start. */
  #rehearse(job: JobId, counts: Map<NodeId, number>, round: Round): void {
    const { reach = round.nodes, nodes } = round
    const planner = this.#planner
    if (planner === undefined || round.rehearse === undefined || reach.length <= nodes.length) return
    const { work, lane } = round
    const rehearsed = this.#rehearsed
    const next = reach.findIndex((node) => node > (nodes.at(-1) as NodeId))
    const order = next < 0 ? reach : [...reach.slice(next), ...reach.slice(0, next)]
    this.#decided[job] = false // only claims of undecided jobs are noted
    round.rehearse((see) => {
      for (let before = -1; before !== work.unplaced(job, lane); ) {
        before = work.unplaced(job, lane)
        for (const node of order) {
          if (work.unplaced(job, lane) === 0) return
          if (!round.cluster.hasRoom(lane, node) || !round.cluster.up(node)) continue
          see([node])
          if (!round.room(node)) continue
          planner.schedule(rehearsed.of(round, None))
          for (const task of rehearsed.first.get(job)?.tasks ?? []) addTo(counts, work.nodeOf(task))
        }
      }
    })
    this.#decided[job] = true
  }
}

function addTo(counts: Map<NodeId, number>, node: NodeId | None): void {
  if (node !== None) counts.set(node, (counts.get(node) ?? 0) + 1)
}

function modelFor(given: unknown, { shape }: RackLayout): BayesModel {
  const field = 'bayes-comm.model'
  if (typeof given === 'string') throw new SchedError('BAD_OPTION', `is the path "${given}".`, { field }, 'Give the model itself; only the command line reads files.')
  const model = checkedModel(given, field)
  const { racks, nodes } = model.cluster
  if (racks !== shape.racks || nodes !== shape.nodes)
    throw new SchedError('BAD_OPTION', `is of a cluster of ${shapeText(model.cluster)}, and this one has ${shapeText(shape)}.`, { field }, 'Train a model on runs of this cluster.')
  return model
}

function checkedModel(given: unknown, field: string): BayesModel {
  try {
    return checkModel(given)
  } catch (error) {
    if (!(error instanceof SchedError)) throw error
    throw new SchedError('BAD_OPTION', error.fact, { field: [field, error.place.field].filter((part) => part !== undefined).join('.') }, error.wayOut)
  }
}

function performances(given: Readonly<Record<string, number>> | undefined, cluster: ClusterView): readonly number[] {
  if (given === undefined) return Array.from({ length: cluster.nodes }, (_, node) => cluster.speed(node as NodeId))
  try {
    return givenWeights(cluster, given)
  } catch (error) {
    throw error instanceof SchedError ? error.at({ field: 'bayes-comm.performance' }) : error
  }
}

function refusePromises({ name }: Plug<'policy'>, { promises }: Policy): void {
  if (promises === true)
    throw new SchedError(
      'BAD_OPTION',
      `"${name}" promises jobs when they start, planning over all nodes, and could not keep that for jobs that are moved to one rack.`,
      { field: 'bayes-comm.policy' },
      'Wrap a policy without promises, for example greedy, fair or delay.',
    )
}
