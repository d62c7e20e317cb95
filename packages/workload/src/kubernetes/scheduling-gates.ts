import type { Seconds } from '@sched/core'
import type { Fields } from '../json/fields.js'
import type { Task } from './owners.js'

/** Kueue lifts its own gates when it admits a pod, which its policy models, so they do not count. */
const OF_KUEUE = 'kueue.x-k8s.io/'

/** Whether scheduling gates keep a pending pod from being scheduled. Source: Kubernetes, `schedulingGates`. */
export const isBehindGates = (spec: Fields, phase: string | undefined): boolean =>
  phase === 'Pending' && spec.list('schedulingGates').some((each) => each.text('name')?.startsWith(OF_KUEUE) !== true)

/** The pods of a job, and whether they wait behind gates. If only some have gates, those are left out. */
export function apartFromGated(all: readonly Task[]): { readonly pods: readonly Task[]; readonly isGated: boolean } {
  const open = all.filter((pod) => pod.isGated !== true)
  const isGated = open.length === 0 && all.length > 0
  return { pods: isGated ? all : open, isGated }
}

/** What happened to pods behind gates, which are lifted `lifted` seconds after their creation, if given. */
export const gatesText = (lifted: Seconds | undefined): string =>
  lifted === undefined
    ? 'pods behind scheduling gates, which nothing in a list of pods lifts: left out, since `--option gated=SECONDS` does not say when they are lifted'
    : `pods behind scheduling gates: lifted ${lifted} s after their creation; left out of jobs that have other pods without gates`
