import type { KubernetesObject } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { at, nameOf, unexpected, where } from '../fields.js'
import type { Findings } from '../finding.js'
import type { KueueFile } from './kueue-file.js'

type StopPolicy = 'Hold' | 'HoldAndDrain'

/** Queues that are stopped: they admit no workload. With `HoldAndDrain` admitted workloads are evicted; with `Hold` they run on. */
export interface Stops {
  /** Stopped ClusterQueues, by name. */
  readonly clusterQueues: ReadonlyMap<string, StopPolicy>
  /** Stopped LocalQueues, by `namespace/name`, and by the name alone if all LocalQueues of this name are stopped. */
  readonly localQueues: ReadonlyMap<string, StopPolicy>
}

const PATH = ['spec', 'stopPolicy']

/**
 * The stopped queues of a file. Their quota is still lent to their cohort. Adds a finding for each stopPolicy. Throws `BAD_INPUT` with the line.
 *
 * Source: Kueue, clusterqueue_types.go and localqueue_types.go (StopPolicy), Cache.Snapshot. Deviation: jobs of a stopped queue are refused; in Kueue they
 * wait until it is no longer stopped.
 */
export function stopsOf({ clusterQueues, localQueues }: KueueFile, findings: Findings): Stops {
  const stopOf = (found: KubernetesObject, setting: string): StopPolicy | undefined => {
    const given = at(found.object, PATH) ?? undefined
    if (given === undefined) return undefined
    if (given !== 'None' && given !== 'Hold' && given !== 'HoldAndDrain') throw unexpected(found, PATH, ['None', 'Hold', 'HoldAndDrain'])
    if (given === 'None') findings.add('honoured', where(found, PATH), `${setting} stopPolicy`, given)
    else findings.add('approximated', where(found, PATH), `${setting} stopPolicy`, given, given === 'Hold' ? 'its jobs are refused, in Kueue they wait; those that run go on' : 'its jobs are refused, in Kueue they wait, and those that run are evicted')
    return given === 'None' ? undefined : given
  }
  const held = clusterQueues.flatMap((each) => pair(nameOf(each), stopOf(each, nameOf(each))))
  const local = localQueues.map((each) => ({ name: nameOf(each), namespace: at(each.object, ['metadata', 'namespace']), stop: stopOf(each, `LocalQueue ${nameOf(each)}`) }))
  const open = new Set(local.filter(({ stop }) => stop === undefined).map(({ name }) => name))
  const alone = local.filter(({ name }) => !open.has(name))
  return {
    clusterQueues: new Map(held),
    localQueues: new Map([...alone.flatMap(({ name, stop }) => pair(name, stop)), ...local.flatMap(({ name, namespace, stop }) => pair(`${String(namespace)}/${name}`, stop))]),
  }
}

const pair = (name: string, stop: StopPolicy | undefined): [string, StopPolicy][] => (stop === undefined ? [] : [[name, stop]])

/**
 * Why a job is not admitted to its LocalQueue or its ClusterQueue; undefined: neither is stopped for it. With `Hold` a job that the workload records as
 * running is admitted.
 */
export function stopped({ clusterQueues, localQueues }: Stops, { recorded }: JobSpec, localQueue: string | undefined, clusterQueue: string | undefined): string | undefined {
  const way = [['LocalQueue', localQueue, localQueues], ['ClusterQueue', clusterQueue, clusterQueues]] as const
  for (const [kind, name = '', stops] of way) {
    const stop = stops.get(name)
    if (stop === 'HoldAndDrain' || (stop === 'Hold' && recorded?.status !== 'running')) return `${kind} "${name}" is stopped (stopPolicy: ${stop}), so nobody is admitted to it`
  }
  return undefined
}
