import type { KaiOptions } from '@sched/policies'
import { byPlace, Findings } from '../finding.js'
import { RESOURCES } from '../kubernetes-resources.js'
import { tellOthers } from '../other-objects.js'
import type { ClusterFacts, QueuePolicy } from '../queue-policy.js'
import type { KaiFile } from './kai-file.js'
import { queueSettings } from './queue-settings.js'
import { shardSettings } from './shard.js'

/** The policy that queues of KAI Scheduler describe. */
export interface KaiPolicy extends QueuePolicy {
  /** Tells the policies of files apart. */
  readonly kind: 'kai'
  /** Options of the policy `kai-preempting`. */
  readonly options: KaiOptions
  /** The path of each queue that takes jobs, by its name. */
  readonly leaves: ReadonlyMap<string, string>
}

/** Jobs of this priority and above are never preempted, and are kept within the quota of their queue. */
const NON_PREEMPTIBLE = 100

/**
 * The policy `kai-preempting` with the queues of the file. An amount that a queue does not give is 0, as in KAI. This holds for limits too: jobs that ask
 * for a resource without a limit never start there. Throws `BAD_INPUT` with the line for an amount that KAI does not take.
 *
 * Source: KAI Scheduler, API scheduling.run.ai/v2 (`QueueSpec`), `getQueueQuota`, `resultsOverLimit`.
 */
export function kaiPolicy(file: KaiFile, cluster: ClusterFacts): KaiPolicy {
  const findings = new Findings(file.file)
  const queues = Object.fromEntries(file.queues.map((queue) => [queue.path, queueSettings(queue, cluster, findings)]))
  const shard = shardSettings(file.shards, cluster, findings)
  tellOthers(file.others, findings)
  const there = RESOURCES.filter((each) => cluster.resources.includes(each))
  const options: KaiOptions = {
    queues, nonPreemptiblePriority: NON_PREEMPTIBLE,
    ...shard.options,
    // KAI counts a resource that the cluster lacks too: no queue has more than its fair share of that, so none has of every resource
    ...(there.length > 0 && there.length < RESOURCES.length && { fairSharesFirst: false }),
  }
  const leaves = new Map(file.queues.filter(({ isParent }) => !isParent).map(({ name, path }) => [name, path]))
  return { kind: 'kai', policy: { 'kai-preempting': { ...options, ...(shard.placement !== undefined && { placement: shard.placement }) } }, options, leaves, findings: findings.all.sort(byPlace) }
}
