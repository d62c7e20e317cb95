import { None, type Env, type NodeId, type Placement, type Round } from '@sched/core'
import { nodeFor } from '../disciplines/lowest-fitting.js'
import { startNearest } from '../disciplines/start-nearest.js'
import type { TakenJobs } from '../disciplines/taken-jobs.js'
import type { VolcanoLane } from './lane.js'
import type { VolcanoSettings } from './options.js'
import type { Victim } from './plugin.js'
import { readyTasks, type Queue, type VolcanoJob } from './queue.js'
import type { Taking } from './taking.js'
import { Victims, type Kind } from './victims.js'

/** What goes as one: a task that its job can do without, or what its job has besides (`isWhole`), without which it stops. */
interface Bundle {
  readonly job: VolcanoJob
  readonly victims: readonly Victim[]
  readonly isWhole: boolean
}

/**
 * Starts starving jobs in the place of others, looking at all nodes at once: bundles of tasks go, one after another, until the job finds room. Tasks
 * that jobs can do without go before jobs that go as a whole; of each kind those of the lowest priority first. `preempt` takes of jobs of lower priority of the
 * queue, `reclaim` of other queues, queue by queue, if a plug-in orders queues. For a job that must be in one group of nodes it looks at one group
 * after another, and takes only there.
 *
 * Source: Volcano, actions/gangpreempt, actions/gangreclaim, actions/utils/bundle.go (safe-first), network-topology-aware
 * (reverseAndCapEvictionGradients: the highest tier that is allowed first). Deviations: groups come in the order of their nodes, all of them and not
 * the first 8, and those of lower tiers, which are in them, are not tried again; jobs that give the same go from the last in order on, where in `reclaim` Volcano
 * goes by name; who starts does so at once.
 */
export class GangTaking {
  readonly #lane: VolcanoLane
  readonly #placement: Placement
  readonly #taken: TakenJobs
  readonly #taking: Taking
  readonly #victims: Victims
  readonly #mayGoWhole: boolean

  constructor({ allowWholeBundle }: VolcanoSettings, env: Env, lane: VolcanoLane, placement: Placement, taken: TakenJobs, taking: Taking) {
    this.#lane = lane
    this.#placement = placement
    this.#taken = taken
    this.#taking = taking
    this.#mayGoWhole = allowWholeBundle
    this.#victims = new Victims(env, lane, () => (taking.hasMetNew = true))
  }

  take(kind: Kind, round: Round): void {
    const { tiers } = this.#lane
    if (kind === 'reclaim' && !tiers.areQueuesOrdered) return
    const { line } = this.#lane.line('waiting')
    for (let queue = line.take(); queue !== undefined; queue = line.take())
      if (kind === 'preempt' || !tiers.isOverused(queue)) this.#takeForAll(queue, kind, round)
  }

  #takeForAll(queue: Queue, kind: Kind, round: Round): void {
    for (const job of [...this.#taking.takers(queue)]) if (job.unplaced > 0 && this.#lane.tiers.isStarving(job)) this.#takeFor(job, kind, round)
  }

  /** Evicts bundles until the tasks that the job must start at once have started; nothing changes where that never happens. */
  #takeFor(job: VolcanoJob, kind: Kind, round: Round): void {
    const asked = this.#lane.askedBy(job, round)
    if (kind === 'reclaim' && !this.#lane.tiers.mayReclaim(job.queue, asked)) return
    for (const domain of this.#domains(job, round)) if (this.#takeIn(domain, job, asked, kind, round)) return
  }

  /** The nodes in sight, by the groups of which the job must be in one; together for a job of which each stage must be in one of its own. */
  #domains({ id, isGangJob }: VolcanoJob, round: Round): readonly (readonly NodeId[])[] {
    const { cluster, nodes, work, lane } = round
    const topology = this.#placement.confines?.(id, round) === true ? work.topology(id, lane) : undefined
    const level = topology?.asked.required ?? Infinity
    if (level >= cluster.levels || (isGangJob && topology?.isOfStage === true)) return [nodes]
    const groups = new Map<number, NodeId[]>()
    for (const node of nodes) groups.set(cluster.group(level, node), [...(groups.get(cluster.group(level, node)) ?? []), node])
    return [...groups.values()]
  }

  /** The same on these nodes; whether the job has started. */
  #takeIn(domain: readonly NodeId[], job: VolcanoJob, asked: ArrayLike<number>, kind: Kind, round: Round): boolean {
    const before = round.savepoint()
    const gone: Victim[] = []
    for (const { victims } of this.#bundles(job, asked, kind, domain)) {
      const trial = [...gone, ...victims]
      const allowed = new Set(this.#lane.tiers.evictable(kind, job, trial))
      if (!trial.every((victim) => allowed.has(victim))) continue
      gone.push(...victims)
      if (!this.#areEnough(asked, gone, domain, round)) continue
      for (const { task } of gone) round.evict(task)
      if (this.#start(job, round)) {
        for (const victim of gone) this.#taken.add(victim.job.id)
        this.#taking.hasTaken = true
        return true
      }
      round.rollback(before)
    }
    return false
  }

  /** Whether these nodes have so much free in total once the victims are gone. */
  #areEnough(asked: ArrayLike<number>, gone: readonly Victim[], nodes: readonly NodeId[], { cluster }: Round): boolean {
    return this.#lane.session.resources.every((r) => {
      const free = nodes.reduce((sum, node) => sum + (cluster.up(node) ? cluster.free(node, r as never) : 0), 0)
      return gone.reduce((sum, { demand }) => sum + (demand[r] as number), free) >= (asked[r] as number)
    })
  }

  #start(job: VolcanoJob, round: Round): boolean {
    if (!round.take(job.id)) return false
    for (let left = job.together; left > 0; left--) {
      const node = this.#lane.tiers.mayAllocate(job.queue, job.demand) ? nodeFor(job.id, round, this.#placement) : None
      if (node === None || !startNearest(job.id, node, round.cluster.levels, round)) return false
    }
    return true
  }

  /** The bundles on these nodes in the order in which they go. */
  #bundles(taker: VolcanoJob, asked: ArrayLike<number>, kind: Kind, nodes: readonly NodeId[]): readonly Bundle[] {
    const byJob = new Map<VolcanoJob, Victim[]>()
    for (const victim of this.#victims.all(taker, kind, nodes)) {
      if (kind === 'preempt' && victim.job.priority >= taker.priority) continue
      byJob.set(victim.job, [...(byJob.get(victim.job) ?? []), victim])
    }
    const bundles = [...byJob].flatMap(([job, victims]) => bundlesOf(job, victims)).filter(({ isWhole }) => this.#mayGoWhole || !isWhole)
    const byQueue = (a: Bundle, b: Bundle) => (a.job.queue === b.job.queue ? 0 : this.#lane.tiers.compareVictims(a.job.queue, b.job.queue, taker.queue))
    const worth = new Map(bundles.map((each) => [each, kind === 'reclaim' && each.isWhole ? worthOf(each, asked, this.#lane.session.resources) : 0]))
    return bundles.sort((a, b) => byQueue(a, b) || Number(a.isWhole) - Number(b.isWhole) || a.job.priority - b.job.priority || (worth.get(b) as number) - (worth.get(a) as number))
  }
}

/** What a bundle gives of what is asked, by what its whole job has and waits for: parts of `asked`, summed over the resources. */
function worthOf({ victims, job }: Bundle, asked: ArrayLike<number>, resources: readonly number[]): number {
  let [gives, loses] = [0, 0]
  for (const r of resources) {
    const needed = asked[r] as number
    if (needed === 0) continue
    gives += Math.min(needed, victims.reduce((sum, { demand }) => sum + (demand[r] as number), 0)) / needed
    loses += ((job.allocated[r] as number) + (job.pending[r] as number) + (job.spent[r] as number)) / needed
  }
  return loses === 0 ? Infinity : gives / loses
}

/** A job with fewer tasks than it must have can do without any of them. */
function bundlesOf(job: VolcanoJob, victims: readonly Victim[]): readonly Bundle[] {
  const spare = readyTasks(job) - job.least
  const free = victims.filter(({ isCore }) => spare < 0 || !isCore).slice(0, spare < 0 ? victims.length : spare)
  const rest = victims.filter((victim) => !free.includes(victim))
  return [...free.map((victim) => ({ job, victims: [victim], isWhole: false })), ...(rest.length > 0 ? [{ job, victims: rest, isWhole: true }] : [])]
}
