import type { Seconds, StageSpec } from '@sched/core'
import { gangOf, type LeastPods } from './least-pods.js'
import type { Task, Template } from './owners.js'
import type { AskedLevels } from './topology.js'

/** A stage of pods that ask for the same, with their kind in their group, and the groups of nodes that they should share. */
export interface PodStage {
  readonly kind: string | undefined
  readonly levels: AskedLevels | undefined
  readonly stage: StageSpec
}

/** The pods in the order of their kinds, where some kinds start after others; otherwise as they are. */
export function inTurn<T extends Task>(pods: readonly T[], least: LeastPods | undefined): readonly T[] {
  if (least?.order === undefined) return pods
  const place = ({ kind = '' }: T) => least.order?.get(kind) ?? Infinity
  return [...pods].sort((a, b) => place(a) - place(b) || 0) // where neither has a place: Infinity - Infinity
}

/** The stages of a job: pods that ask for the same, and are of the same kind if `byKind`, are the tasks of a stage. No stage waits for another. */
export function stagesOfPods(pods: readonly Task[], byKind: boolean): PodStage[] {
  const alike = new Map<string, Task[]>()
  for (const pod of pods) {
    const key = JSON.stringify([pod.demand, pod.constraints, pod.levels, pod.tags, pod.rules, ...(byKind ? [pod.kind] : [])])
    alike.set(key, [...(alike.get(key) ?? []), pod])
  }
  return [...alike.values()].map((tasks, i) => stageOf(tasks[0]!, tasks.length, tasks.map(({ seconds }) => seconds), i))
}

/** The stages of a job of which the pods are not listed: one for each template. */
export const stagesOfTemplates = (templates: readonly Template[]): PodStage[] => templates.map((each, i) => stageOf(each, each.tasks, each.seconds, i))

function stageOf({ kind, levels, demand, constraints, tags, rules }: Task, tasks: number, duration: Seconds | readonly Seconds[], index: number): PodStage {
  const name = index === 0 ? 'pods' : `pods-${index + 1}`
  return { kind, levels, stage: { name, tasks, demand, duration, ...(constraints !== undefined && { constraints }), ...(Object.keys(tags).length > 0 && { tags }), ...(rules.length > 0 && { placementRules: rules }) } }
}

/** The stages as one gang. */
export const asOneGang = (stages: readonly PodStage[], least: LeastPods = ALL): StageSpec[] => gangOf(stages.map(({ stage }) => stage), stages.map(({ kind }) => kind), least)

/** Each stage of several tasks as a gang. What the whole group needs at least counts only if there is no other stage. */
export function asGangs(stages: readonly PodStage[], least: LeastPods = ALL): StageSpec[] {
  const ofEach = stages.length === 1 ? least : { ...ALL, ofKind: least.ofKind }
  return stages.map(({ stage, kind }) => (stage.tasks > 1 ? gangOf([stage], [kind], ofEach)[0]! : stage))
}

const ALL: LeastPods = { all: undefined, ofKind: undefined }
