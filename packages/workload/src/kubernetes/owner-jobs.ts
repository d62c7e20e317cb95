import type { JobSpec } from '@sched/core'
import { neededFirst } from './least-pods.js'
import type { KubernetesOptions } from './options.js'
import type { Owner, Task } from './owners.js'
import type { PodRequests } from './pod-requests.js'
import { asGangs, asOneGang, inTurn, stagesOfPods, stagesOfTemplates } from './pod-stages.js'
import { togetherPreemptible } from './preemptibility.js'
import type { PriorityClasses } from './priority-classes.js'
import { apartFromGated } from './scheduling-gates.js'
import type { TopologyLevels } from './topology.js'

/** Seconds for which pods run on after they were told to go, unless they say otherwise. */
const GRACE = 30

/** Makes jobs of owners of pods, when all objects have been read: an object may stand before what it refers to. */
export class OwnerJobs {
  /** Owners without pods that have ended, jobs of unknown priority classes, and jobs that ask for unknown topology levels. */
  readonly counts = { empty: 0, classes: 0, levels: 0 }
  readonly #options: KubernetesOptions
  readonly #requests: PodRequests
  readonly #classes: PriorityClasses
  readonly #levels: TopologyLevels

  constructor(options: KubernetesOptions, requests: PodRequests, classes: PriorityClasses, levels: TopologyLevels) {
    this.#options = options
    this.#requests = requests
    this.#classes = classes
    this.#levels = levels
  }

  /** The job of an owner; `undefined` for one without an end, and without pods that have ended. */
  of(owner: Owner): JobSpec | undefined {
    const { id, namespace, created, queue, deadline, least, subgroups, isGoing } = owner
    const { pods, isGated } = apartFromGated(owner.pods)
    const templates = owner.templates.length > 0 ? owner.templates : owner.workload
    const tasks = pods.length > 0 ? pods : templates
    const seen = <T extends Task>(task: T): T => this.#requests.selectable(subgroups === undefined ? task : { ...task, kind: subgroups.kindOf(task) })
    const stages = pods.length > 0 ? stagesOfPods(inTurn(pods, least).map(seen), least?.ofKind !== undefined) : stagesOfTemplates(inTurn(templates, least).map(seen))
    if (stages.length === 0) {
      this.counts.empty++
      return undefined
    }
    const { gang, lost, gated } = this.#options
    const hasFailed = owner.hasFailed && owner.isComplete !== true
    const start = tasks.reduce((first, each) => Math.min(first, each.start), Infinity)
    const priority = this.#priorityOf(owner)
    const preemptible = owner.preemptible ?? togetherPreemptible(tasks.map((each) => each.preemptible))
    const grace = tasks.reduce((longest, each) => Math.max(longest, each.gracePeriod ?? GRACE), 0)
    const isMovable = owner.movable ?? !tasks.some((each) => each.movable === false)
    const isDrainable = !tasks.some((each) => each.drainable === false)
    const topologies = this.#levels.of(owner.levels, stages.map(({ kind, levels }) => subgroups?.levelsOf(kind ?? '') ?? levels))
    if (topologies.isUnknown) this.counts.levels++
    const together = gang === 'jobs' || (gang !== 'none' && owner.isGang)
    const tags = this.#requests.ofWorkload(owner.labels, this.#classes.nameOf(this.#classOf(owner) ?? owner.priorityClass))
    const isOne = together && gang !== 'stages' && stages.length > 1
    const specs = isOne ? asOneGang(stages, least) : together ? asGangs(stages, least) : stages.map(({ stage }) => stage)
    return {
      id, submit: Math.min(created, start), user: namespace, queue: queue ?? namespace,
      ...(Object.keys(tags).length > 0 && { tags }), ...(priority !== 0 && { priority }), ...(preemptible !== undefined && { preemptible }), ...(!isMovable && { movable: false }), ...(!isDrainable && { drainable: false }), ...(owner.budget !== undefined && { disruptionBudget: owner.budget }),
      ...(owner.longestWait !== undefined && { longestWait: owner.longestWait }), ...(grace !== GRACE && { gracePeriod: grace }), ...(deadline !== undefined && { estimate: deadline }),
      ...(isGated && { startup: gated as number }),
      recorded: {
        ...(start < Infinity && { wait: Math.max(0, start - created) }),
        status: isGoing || isGated ? (start < Infinity ? 'running' : 'pending') : hasFailed ? 'failed' : 'completed',
      },
      ...(isOne && { gang: true }), ...(together && lost === 'pod' && { replacesLost: true }), ...(topologies.job !== undefined && { topology: topologies.job }),
      stages: neededFirst(specs.map((stage, i) => (topologies.stages[i] === undefined ? stage : { ...stage, topology: topologies.stages[i] }))),
    }
  }

  /** The class that the job names as a whole, or that Kueue gives it. */
  #classOf({ wholeClass, isOfKueue }: Owner): string | undefined {
    return wholeClass ?? (isOfKueue === true ? this.#classes.ofKueue : undefined)
  }

  #priorityOf(owner: Owner): number {
    const { wholePriority, priority, priorityClass } = owner
    const wholeClass = this.#classOf(owner)
    const ofWhole = wholePriority ?? (wholeClass === undefined ? undefined : this.#classes.priorityOf(wholeClass))
    const found = ofWhole ?? priority ?? this.#classes.priorityOf(priorityClass)
    if (found === undefined || (wholeClass !== undefined && ofWhole === undefined)) this.counts.classes++
    return found ?? 0
  }
}
