import type { StageSpec } from '@sched/core'
import type { Fields } from '../json/fields.js'
import { marksOf } from './objects.js'
import { leastOfSubgroups, type LeastOfKinds } from './subgroups.js'
import { TaskDependencies } from './task-dependencies.js'
import { hasPartitions, type VolcanoSubgroups } from './volcano-subgroups.js'

/** Fewest pods of a group that start together. */
export interface LeastPods {
  /** Of the whole group; `undefined` if it does not say. */
  readonly all: number | undefined
  /** Of each kind (a task of Volcano, a subgroup of KAI), computed from the number of pods by kind; `undefined` if the kinds do not say. */
  readonly ofKind: LeastOfKinds | undefined
  /** Pods of the whole group that may not be preempted where only those beyond the minimum may be, if the group says so and kinds do not. */
  readonly nonPreemptible?: number | undefined
  /** Places of the kinds in the order in which they start, where some start after others. */
  readonly order?: ReadonlyMap<string, number>
}

/**
 * The fewest pods that a pod group, a job of Volcano, or a Job that Kueue may admit in part starts together; `undefined` if it does not say. Those of a
 * pod group of Kubernetes itself with the policy `basic` start one by one. The minima of Volcano's tasks count unless their sum exceeds that of the job.
 * With subgroups of KAI, only their minima count. `subgroups`: those of Volcano.
 *
 * Source: Kubernetes, scheduling.k8s.io (PodGroupSchedulingPolicy); Volcano, JobInfo.CheckTaskReady, and createOrUpdatePodGroup for tasks without a
 * minimum; KAI Scheduler, SubGroup; Kueue, job-min-parallelism.
 */
export function leastOf(object: Fields, kind: string, metadata: Fields, subgroups?: VolcanoSubgroups): LeastPods | undefined {
  const spec = object.object('spec')
  if (kind === 'PodGroup') {
    const policy = spec?.object('schedulingPolicy')
    if (policy !== undefined) return { all: policy.object('gang')?.whole('minCount', 1) ?? 1, ofKind: undefined }
    if (spec !== undefined && spec.list('subGroups').length > 0) return { all: undefined, ofKind: leastOfSubgroups(spec) }
    const least = together(spec?.whole('minMember'), kindsOf(spec?.object('minTaskMember')), subgroups)
    return least && { ...least, nonPreemptible: spec?.whole('minNonPreemptible') }
  }
  if (object.text('apiVersion')?.startsWith('batch.volcano.sh/') === true) {
    const tasks = spec?.list('tasks') ?? []
    const [all, ofKind] = [spec?.whole('minAvailable'), kindsIn(tasks.filter((each) => !hasPartitions(each)), (each) => each.whole('minAvailable') ?? each.whole('replicas') ?? 1)]
    const dependencies = subgroups === undefined ? TaskDependencies.of(tasks) : undefined
    if (dependencies === undefined) return together(all, ofKind, subgroups)
    const sum = sumOf([...ofKind.values()])
    return { all: undefined, ofKind: dependencies.least(all ?? sum, ofKind, sum), order: dependencies.order }
  }
  const parallelism = Number(marksOf(metadata)('kueue.x-k8s.io/job-min-parallelism'))
  return kind === 'Job' && Number.isSafeInteger(parallelism) ? { all: parallelism, ofKind: undefined } : undefined
}

/** Kind of a pod in its group: its task in a job of Volcano, or its subgroup of KAI. */
export const kindOf = (metadata: Fields): string | undefined => marksOf(metadata)('volcano.sh/task-spec', 'kai.scheduler/subgroup-name')

function together(all: number | undefined, ofKind: ReadonlyMap<string, number>, subgroups: VolcanoSubgroups | undefined): LeastPods | undefined {
  const counts = ofKind.size > 0 && (all ?? Infinity) >= sumOf([...ofKind.values()])
  if (subgroups !== undefined) return { all: undefined, ofKind: subgroups.least(all ?? 0, counts ? ofKind : new Map()) }
  return all === undefined && ofKind.size === 0 ? undefined : { all, ofKind: counts ? () => ({ least: ofKind }) : undefined }
}

const kindsOf = (fields: Fields | undefined): Map<string, number> => new Map((fields?.keys() ?? []).map((name) => [name, fields?.whole(name) ?? 0]))

const kindsIn = (all: readonly Fields[], leastIn: (each: Fields) => number): Map<string, number> =>
  new Map(all.map((each) => [each.text('name') ?? '', leastIn(each)]))

/**
 * The stages as gangs with the fewest tasks that start together: each kind's minimum is taken from its stages in order, and what the group asks for
 * beyond that from the first stages that have more tasks. Default: all tasks. What may not be preempted is taken in the same way. Stages of kinds that the
 * gang does without are in optional groups.
 */
export function gangOf(stages: readonly StageSpec[], kinds: readonly (string | undefined)[], { all, ofKind, nonPreemptible = 0 }: LeastPods): StageSpec[] {
  const plan = ofKind?.(podsOf(stages, kinds))
  const least = taken(stages, kinds, plan?.least)
  const sum = sumOf(least)
  const missing = Math.max(ofKind === undefined ? 1 : Math.max(0, 1 - sum), (all ?? (ofKind === undefined ? Infinity : 0)) - sum)
  const minima = withMore(least, stages, missing)
  const optional = taken(stages, kinds, plan?.optional && new Map(Array.from(plan.optional, ([kind, group]) => [kind, group.least])))
  const ofKinds = taken(stages, kinds, plan?.nonPreemptible)
  const kept = minima.map((tasks, i) => Math.max(tasks, ofKinds[i] as number))
  return withMore(kept, stages, nonPreemptible - sumOf(kept)).map((minNonPreemptible, i) => {
    const stage = stages[i] as StageSpec
    const minTasks = minima[i] as number
    const together = minTasks > 0 ? minTasks : (optional[i] as number)
    return {
      ...stage,
      ...(together > 0 && { gang: true, ...(together < stage.tasks && { minTasks: together }) }),
      ...(minTasks === 0 && together > 0 && { optionalGroup: plan?.optional?.get(kinds[i] ?? '')?.group ?? '' }),
      ...(minNonPreemptible > minTasks && { minNonPreemptible }),
    }
  })
}

/** The stages with those first that their gang needs. */
export const neededFirst = (stages: readonly StageSpec[]): StageSpec[] => [...stages.filter((each) => each.optionalGroup === undefined), ...stages.filter((each) => each.optionalGroup !== undefined)]

/** Of each stage the tasks that are taken of its kind, from the first stages of the kind on. */
function taken(stages: readonly StageSpec[], kinds: readonly (string | undefined)[], ofKind: ReadonlyMap<string, number> = new Map()): number[] {
  const left = new Map(ofKind)
  return stages.map(({ tasks }, i) => {
    const kind = kinds[i] ?? ''
    const own = Math.min(tasks, left.get(kind) ?? 0)
    left.set(kind, (left.get(kind) ?? 0) - own)
    return own
  })
}

/** The same with so many more, from the first stages that have more tasks. */
function withMore(own: readonly number[], stages: readonly StageSpec[], more: number): number[] {
  let left = Math.max(0, more)
  return own.map((count, i) => {
    const added = Math.min((stages[i] as StageSpec).tasks - count, left)
    left -= added
    return count + added
  })
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

function podsOf(stages: readonly StageSpec[], kinds: readonly (string | undefined)[]): Map<string, number> {
  const pods = new Map<string, number>()
  for (const [i, { tasks }] of stages.entries()) pods.set(kinds[i] ?? '', (pods.get(kinds[i] ?? '') ?? 0) + tasks)
  return pods
}
