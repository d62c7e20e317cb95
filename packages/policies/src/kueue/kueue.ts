import { definePolicy, FirstFit, type Plug } from '@sched/core'
import { Kueue } from './admission.js'
import { kueueOptions, type KueueOptions } from './options.js'

/**
 * Admission by quota, as Kueue does it for Kubernetes. Jobs wait in ClusterQueues; the queues of one cohort lend their quota to
 * each other. Every cycle looks at the first workload of each queue. Workloads that need not borrow come first, then
 * those of higher priority, then older ones; with `fairSharing` those whose queue would have the smallest share. A workload
 * without room may preempt others, by the rules of its queue. Admitted workloads start in order of admission, as soon as nodes have room.
 *
 * A gang is one workload, and so is a job that is one gang. In any other job every task is a workload, of which at most one at a time is admitted and waits
 * for a node. With `partialAdmission` a gang with `minTasks` for which there is not enough quota is admitted with as many tasks as there is quota for; when
 * one of them has ended, the next starts in its place, unless the job waits for its next attempt just then; the place is given up then.
 *
 * Source: Kueue, pkg/scheduler and pkg/cache. Deviations: a preempted workload is gone at once; there are no admission checks. A job with a `topology`
 * is admitted only if the placement also has nodes for it; it preempts for these as for quota. While it waits it keeps its quota for itself, if it could
 * ever have nodes, but no nodes.
 */
export const kueuePolicy = definePolicy({
  name: 'kueue',
  summary: 'Kueue: jobs are admitted by quotas of queues that borrow in cohorts, with preemption and fair sharing',
  source: 'Kueue, ClusterQueue and Cohort',
  options: kueueOptions,
  inner: { placement: 'placement?' },
  defaults: { placement: 'first-fit' },
  create: (options, env, { placement }) => new Kueue(options, env, placement?.create(env) ?? new FirstFit()),
})

/** Admission by quota. Where rounds have many nodes the placement names one; default: the lowest with room. */
export const kueue = (options: KueueOptions = {}, placement?: Plug<'placement'>): Plug<'policy'> =>
  kueuePolicy.plug({ placement }, options)
