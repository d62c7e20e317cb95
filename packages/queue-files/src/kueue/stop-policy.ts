import type { KubernetesObject } from '@sched/cluster'
import type { JobSpec } from '@sched/core'
import { at, nameOf, unexpected, where } from '../fields.js'
import type { Findings } from '../finding.js'
import type { KueueFile } from './kueue-file.js'

type StopPolicy = 'Hold' | 'HoldAndDrain'

/** Queues that are stopped: to them nobody is admitted, and with `HoldAndDrain` who was is evicted. */
export interface Stops {
  /** By name. */
  readonly clusterQueues: ReadonlyMap<string, StopPolicy>
  /** By `namespace/name`, and by name alone where all of that name are stopped. */
  readonly localQueues: ReadonlyMap<string, StopPolicy>
}

const PATH = ['spec', 'stopPolicy']

/**
 * Which queues of the file are stopped; what they have is lent to their cohort all the same. Tells of each. Throws `BAD_INPUT` with the line.
 *
 * Source: Kueue, clusterqueue_types.go and localqueue_types.go (StopPolicy), Cache.Snapshot. Deviation: jobs are refused, there they wait until the queue is no longer stopped.
 */
export function stopsOf({ clusterQueues, localQueues }: KueueFile, findings: Findings): Stops {
  const stopOf = (found: KubernetesObject, setting: string): StopPolicy | undefined => {
    const given = at(found.object, PATH) ?? undefined
    if (given === undefined) return undefined
    if (given !== 'None' && given !== 'Hold' && given !== 'HoldAndDrain') throw unexpected(found, PATH, 'None, Hold, HoldAndDrain')
    if (given === 'None') findings.add('honoured', where(found, PATH), `${setting} stopPolicy`, given)
    else findings.add('approximated', where(found, PATH), `${setting} stopPolicy`, given, given === 'Hold' ? 'its jobs are refused, there they wait; those that run go on' : 'its jobs are refused, there they are evicted and wait')
    return given === 'None' ? undefined : given
  }
  const held = clusterQueues.flatMap((each) => pair(nameOf(each), stopOf(each, nameOf(each))))
  const local = localQueues.map((each) => ({ name: nameOf(each), namespace: at(each.object, ['metadata', 'namespace']), stop: stopOf(each, `LocalQueue ${nameOf(each)}`) }))
  const alone = local.filter(({ name }) => local.every((other) => other.name !== name || other.stop !== undefined))
  return {
    clusterQueues: new Map(held),
    localQueues: new Map([...alone.flatMap(({ name, stop }) => pair(name, stop)), ...local.flatMap(({ name, namespace, stop }) => pair(`${String(namespace)}/${name}`, stop))]),
  }
}

const pair = (name: string, stop: StopPolicy | undefined): [string, StopPolicy][] => (stop === undefined ? [] : [[name, stop]])

/** Why a job is not admitted to the queues that it comes through; `undefined`: none of them is stopped for it. With `Hold` those that ran already are not. */
export function stopped({ clusterQueues, localQueues }: Stops, { recorded }: JobSpec, localQueue: string | undefined, clusterQueue: string | undefined): string | undefined {
  const way = [['LocalQueue', localQueue, localQueues], ['ClusterQueue', clusterQueue, clusterQueues]] as const
  for (const [kind, name = '', stops] of way) {
    const stop = stops.get(name)
    if (stop === 'HoldAndDrain' || (stop === 'Hold' && recorded?.status !== 'running')) return `${kind} "${name}" is stopped (stopPolicy: ${stop}), so nobody is admitted to it`
  }
  return undefined
}
