import type { KaiOptions } from '@sched/policies'
import { byPlace, Findings } from '../finding.js'
import { tellOthers } from '../other-objects.js'
import type { ClusterFacts, QueuePolicy } from '../queue-policy.js'
import type { KaiFile } from './kai-file.js'
import { queueSettings, RESOURCES } from './queue-settings.js'
import { shardSettings } from './shard.js'

/** What queues of KAI Scheduler come to. */
export interface KaiPolicy extends QueuePolicy {
  /** Tells the policies of files apart. */
  readonly kind: 'kai'
  /** Of `kai-preempting`. */
  readonly options: KaiOptions
  /** Of each queue that holds jobs, by its name, its path. */
  readonly leaves: ReadonlyMap<string, string>
}

/** Jobs of this priority and above are not preempted, and stay within the quota of their queue. */
const NON_PREEMPTIBLE = 100

/**
 * The policy `kai-preempting` with the queues of the file. What a queue does not give, a limit among it, is 0, as KAI's scheduler reads it: jobs that ask for
 * some of that resource never start there. Throws `BAD_INPUT` with the line for an amount that KAI does not take.
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
    ...(there.length > 0 && there.length < RESOURCES.length && { fairSharesFirst: false }), // of what is not there nobody has more
  }
  const leaves = new Map(file.queues.filter(({ isParent }) => !isParent).map(({ name, path }) => [name, path]))
  return { kind: 'kai', policy: { 'kai-preempting': { ...options, ...(shard.placement !== undefined && { placement: shard.placement }) } }, options, leaves, findings: findings.all.sort(byPlace) }
}
