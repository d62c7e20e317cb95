import { isRequired, type Constraints, type Env, type JobId, type JobSpec, type LaneId, type NodeId, type PlacementRule, type Round, type TaskId, type WorkListener } from '@sched/core'
import type { TaskCounts } from '../scored/task-counts.js'
import { Mates } from './mates.js'
import { NodeGroups } from './node-groups.js'
import { SpreadTally, Tally } from './tally.js'
import { TallyBook, type Bond } from './tally-book.js'
import { TaskSet } from './task-set.js'

/** Weight that a required affinity of a running task has for the tasks that it aims at. Source: kube-scheduler, `hardPodAffinityWeight`. */
const HARD_WEIGHT = 1
/** Tolerations of a task that tolerates every taint. */
const ANY_TAINT = [{ operator: 'Exists' }] as const

type RuleOf<Kind extends PlacementRule['kind']> = Extract<PlacementRule, { readonly kind: Kind }>

/**
 * The effect of the placement rules of jobs, for a placement that respects them: counts of running tasks by rule and group of nodes, kept by its
 * hooks, of the jobs of its own scheduler only. Nothing is kept before the first job with rules is submitted.
 */
export class TaskRules {
  readonly hooks: WorkListener
  /** Whether any job so far has had rules. */
  areAny = false
  readonly #env: Env
  readonly #counts: TaskCounts
  readonly #groups: NodeGroups
  readonly #book = new TallyBook()
  readonly #mates = new Map<JobId, (Mates | undefined)[]>()
  /** By job: the tallies that its rules need. */
  readonly #taken = new Map<JobId, Tally[]>()
  readonly #name: string

  /** `counts`: the tasks of all jobs of its scheduler. */
  constructor(name: string, env: Env, counts: TaskCounts) {
    this.#name = name
    this.#env = env
    this.#counts = counts
    this.#groups = new NodeGroups(env.cluster)
    this.hooks = {
      admits: (spec) => this.#admits(spec),
      onFinish: (job) => { if (this.areAny) this.#forget(job) },
      onNode: () => { if (this.areAny) this.#book.nodesChanged() },
    }
  }

  /** The rules for the job's next task; `undefined`: there are none. */
  of(job: JobId, { lane }: Round): Mates | undefined {
    if (!this.areAny) return undefined
    const stage = this.#env.work.frontStage(job, lane)
    return stage < 0 ? undefined : this.#matesOf(job, stage)
  }

  /**
   * Whether one of these tasks might be on the node if the tasks of `without` went.
   *
   * Source: kube-scheduler, `RemovePod` of InterPodAffinity and PodTopologySpread.
   */
  wouldAllow(mates: Mates, node: NodeId, without: readonly TaskId[]): boolean {
    this.#tally(without, -1)
    const may = mates.mayBeOn(node)
    this.#tally(without, 1)
    return may
  }

  #tally(tasks: readonly TaskId[], by: 1 | -1): void {
    const { work } = this.#env
    for (const task of tasks) for (const tally of this.#matesOf(work.jobOf(task), work.stageOf(task)).counted) tally.add(work.nodeOf(task) as NodeId, by)
  }

  /** A task begins to run (`by` 1) or stops (-1). */
  readonly #moved = (job: JobId, task: TaskId, node: NodeId, by: 1 | -1): void => {
    const mates = this.#matesOf(job, this.#env.work.stageOf(task))
    const running = (mates.running.get(node) ?? 0) + by
    if (running === 0) mates.running.delete(node)
    else mates.running.set(node, running)
    for (const tally of mates.counted) tally.add(node, by)
  }

  #admits(spec: JobSpec): string | undefined {
    if (spec.placementRules === undefined && spec.stages.every((stage) => stage.placementRules === undefined)) return undefined
    if (!this.areAny) this.#begin()
    if (this.#env.cluster.heartbeat > 0) this.#env.warn(`${this.#name}: at a heartbeat one node is in sight, where a task starts if it fits: the \`placementRules\` of jobs do not hold on this cluster.`)
    for (const { placementRules } of [spec, ...spec.stages])
      for (const rule of placementRules ?? []) {
        const why = this.#whyNever(rule)
        if (why !== undefined) return why
      }
    return undefined
  }

  /** Why no node can ever satisfy a rule. */
  #whyNever(rule: PlacementRule): string | undefined {
    if (rule.kind === 'nodes' || !isRequired(rule)) return undefined
    if (rule.over === 'rack' && this.#env.cluster.levels === 1) return 'a placement rule of it is over racks, and the cluster has none'
    const isNeeded = rule.kind !== 'antiAffinity' && (rule.kind !== 'cardinality' || (rule.min ?? 0) > 0)
    return isNeeded && !this.#groups.areAny(rule.over) ? `a placement rule of it is over the label "${rule.over}", which no node has` : undefined
  }

  /** Counts what runs already. */
  #begin(): void {
    this.areAny = true
    this.#counts.watcher = this.#moved
    const { cluster, work } = this.#env
    for (const job of work.jobs()) {
      if (this.#counts.racks(job) === undefined) continue // nothing of it runs, or it belongs to another scheduler
      const running: TaskId[] = []
      for (let lane = 0; lane < cluster.lanes.length; lane++) work.runningTasks(job, lane as LaneId, running)
      for (const task of running) this.#moved(job, task, work.nodeOf(task) as NodeId, 1)
    }
  }

  #forget(job: JobId): void {
    for (const mates of this.#mates.get(job) ?? []) if (mates !== undefined) this.#book.remove(mates)
    for (const tally of this.#taken.get(job) ?? []) this.#book.leave(tally)
    this.#mates.delete(job)
    this.#taken.delete(job)
  }

  #matesOf(job: JobId, stage: number): Mates {
    let ofJob = this.#mates.get(job)
    if (ofJob === undefined) this.#mates.set(job, (ofJob = []))
    return (ofJob[stage] ??= this.#make(job, stage))
  }

  #make(job: JobId, stage: number): Mates {
    const { work } = this.#env
    const mates = new Mates({ job, user: work.userName(work.user(job)), tags: work.tags(job, stage) })
    this.#book.add(mates)
    const rules = work.placementRules(job, stage)
    const affinities = rules.filter((rule): rule is RuleOf<'affinity'> => rule.kind === 'affinity' && isRequired(rule))
    const near = new TaskSet(affinities.map(({ of = {} }) => of), job)
    mates.isNearItself = near.has(mates)
    for (const { over } of affinities) mates.near.push(this.#counting(near, over, job))
    for (const rule of rules) this.#read(rule, mates, rules, work.constraints(job, stage))
    return mates
  }

  #read(rule: PlacementRule, mates: Mates, rules: readonly PlacementRule[], constraints: Constraints | undefined): void {
    const { job } = mates
    if (rule.kind === 'nodes') return void mates.terms.push(rule)
    const tasks = new TaskSet([rule.of ?? {}], job)
    const { over } = rule
    if (rule.kind === 'cardinality') return void mates.numbers.push({ tally: this.#counting(tasks, over, job), min: rule.min ?? 0, max: rule.max ?? Infinity })
    if (rule.kind === 'spread') {
      const { maxSkew, minDomains = 1, weight = 0 } = rule
      const asked = nodesAsked(rule, constraints)
      const alike = rules.filter((each): each is RuleOf<'spread'> => each.kind === 'spread' && isRequired(each) === isRequired(rule))
      const tally = this.#spreading(tasks, over, job, [...new Set(alike.map((each) => each.over))].sort(), asked)
      const spread = { tally, maxSkew, minDomains, isItself: tasks.has(mates), weight }
      return void (isRequired(rule) ? mates.spreads : mates.softSpreads).push(spread)
    }
    const sign = rule.kind === 'affinity' ? 1 : -1
    if (rule.weight !== undefined) {
      mates.pulls.push({ tally: this.#counting(tasks, over, job), weight: sign * rule.weight })
      mates.counted.push(this.#holding(tasks, over, job, { kind: 'pulled', weight: sign * rule.weight }))
    } else if (sign > 0) mates.counted.push(this.#holding(tasks, over, job, { kind: 'pulled', weight: HARD_WEIGHT }))
    else {
      mates.apart.push(this.#counting(tasks, over, job))
      mates.counted.push(this.#holding(tasks, over, job, { kind: 'keptOff' }))
    }
  }

  /** The tally that counts the tasks of a set. */
  #counting(tasks: TaskSet, over: string, job: JobId): Tally {
    return this.#take(`of ${over} ${tasks.key}`, tasks, over, job, { kind: 'counted' })
  }

  /** The tally that counts the tasks with such a rule, which affects the tasks of the set. */
  #holding(tasks: TaskSet, over: string, job: JobId, bond: Bond): Tally {
    return this.#take(`by ${over} ${JSON.stringify(bond)} ${tasks.key}`, tasks, over, job, bond)
  }

  #take(key: string, tasks: TaskSet, over: string, job: JobId, bond: Bond): Tally {
    return this.#note(job, this.#book.take(key, bond, () => new Tally(tasks, this.#groups.of(over))))
  }

  /** The tally that counts the tasks of a set on nodes that are in groups of all these kinds and on which tasks with these constraints may be. */
  #spreading(tasks: TaskSet, over: string, job: JobId, overs: readonly string[], asked: Constraints): SpreadTally {
    const { cluster } = this.#env
    const groups = overs.map((each) => this.#groups.of(each))
    const isOpen = (node: NodeId): boolean => cluster.up(node) && groups.every((each) => (each[node] as number) >= 0) && cluster.keepsOff(asked, node) === undefined
    const key = `spread ${over} ${JSON.stringify([overs, asked])} ${tasks.key}`
    return this.#note(job, this.#book.takeSpread(key, () => new SpreadTally(tasks, this.#groups.of(over), isOpen)))
  }

  #note<T extends Tally>(job: JobId, tally: T): T {
    const taken = this.#taken.get(job)
    if (taken === undefined) this.#taken.set(job, [tally])
    else taken.push(tally)
    return tally
  }
}

/**
 * The constraints that decide which nodes count when tasks with these constraints are spread. Source: kube-scheduler, podtopologyspread/common.go
 * (matchNodeInclusionPolicies).
 */
function nodesAsked({ nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' }: RuleOf<'spread'>, { require, nodeSelectorTerms, tolerations }: Constraints = {}): Constraints {
  const byLabels = nodeAffinityPolicy === 'Honor' && { ...(require !== undefined && { require }), ...(nodeSelectorTerms !== undefined && { nodeSelectorTerms }) }
  const tolerated = nodeTaintsPolicy === 'Ignore' ? ANY_TAINT : tolerations
  return { ...byLabels, ...(tolerated !== undefined && { tolerations: tolerated }) }
}
