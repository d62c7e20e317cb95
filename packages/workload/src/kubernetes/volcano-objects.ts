import type { Seconds } from '@sched/core'
import type { Fields } from '../json/fields.js'
import { timeAt } from './objects.js'
import { partsOf } from './volcano-subgroups.js'

/** The run of a job of Volcano. `start` is `Infinity` while it waits; `hasFailed` is undefined until it ends. */
interface VolcanoRun {
  readonly start: Seconds
  readonly seconds: Seconds
  readonly hasFailed: boolean | undefined
}

/** Whether an object is a job of Volcano (vcjob), and not one of Kubernetes. */
export const isVolcanoJob = (object: Fields, kind: string): boolean => kind === 'Job' && object.text('apiVersion')?.startsWith('batch.volcano.sh/') === true

const FAILED = ['Failed', 'Aborted', 'Terminated']

/**
 * From when a job of Volcano ran, and until when; `undefined` if its status does not tell. `unfinished`: seconds that it runs from its start if it has not
 * ended, or still waits; undefined: such a job has no run. Throws `BadLine`.
 *
 * Source: Volcano, batch/v1alpha1 (JobStatus, JobPhase).
 */
export function runOfVolcanoJob(status: Fields | undefined, unfinished: Seconds | undefined): VolcanoRun | undefined {
  const state = status?.object('state')
  const phase = state?.text('phase') ?? ''
  const start = timeAt(status?.list('conditions').find((each) => each.text('status') === 'Running'), 'lastTransitionTime')
  const hasFailed = FAILED.includes(phase)
  if (!hasFailed && phase !== 'Completed') return unfinished === undefined ? undefined : { start: start ?? Infinity, seconds: unfinished, hasFailed: undefined }
  const end = timeAt(state, 'lastTransitionTime')
  return start === undefined || end === undefined ? undefined : { start, seconds: Math.max(0, end - start), hasFailed }
}

/** The kinds of pods of a job of Volcano, its `tasks`, by partition: name, number and template of the pods, and labels that they have besides. */
export const tasksOfVolcanoJob = (job: Fields): { readonly kind: string; readonly tasks: number; readonly template: Fields; readonly labels: Readonly<Record<string, string>> }[] =>
  (job.object('spec')?.list('tasks') ?? []).flatMap((task) => {
    const [tasks, template] = [task.whole('replicas') ?? 1, task.object('template')]
    return tasks === 0 || template?.object('spec') === undefined ? [] : partsOf(task, tasks).map((part) => ({ kind: task.text('name') ?? '', template, ...part }))
  })

/**
 * Queue or priority class that pod groups, and other objects of Volcano, name.
 *
 * Source: Volcano, cache.go (Snapshot); KAI Scheduler, PodGroup.
 */
export function textIn(object: Fields, kind: string, key: 'queue' | 'priorityClassName'): string | undefined {
  const isOne = kind === 'PodGroup' || object.text('apiVersion')?.includes('volcano.sh/') === true
  const text = isOne ? object.object('spec')?.value(key) : undefined
  return typeof text === 'string' && text !== '' ? text : undefined
}

/**
 * Whether Volcano takes the priority of a job only from this object, not from its pods.
 *
 * Source: Volcano, cache.go (Snapshot).
 */
export const isOfVolcano = (object: Fields, kind: string): boolean => (kind === 'PodGroup' || kind === 'Job') && object.text('apiVersion')?.includes('volcano.sh/') === true
