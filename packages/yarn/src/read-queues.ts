import { SchedError } from '@sched/core'
import { readCapacityFile } from './capacity-file.js'
import type { CapacityFile } from './capacity-model.js'
import { capacityPolicy, type CapacityPolicy } from './capacity-policy.js'
import { readFairFile } from './fair-file.js'
import type { FairFile } from './fair-model.js'
import { fairPolicy, type ClusterFacts, type FairPolicy } from './fair-policy.js'
import { readProperties, type Property, type SourceText } from './site.js'
import { readXml } from './xml.js'

/** A queue file of YARN's fair or capacity scheduler. */
export type QueueFile = FairFile | CapacityFile

/** Reads a fair-scheduler.xml (`<allocations>`) or a capacity-scheduler.xml (`<configuration>`). Throws `BAD_INPUT` with the line. */
export function readQueues(source: SourceText): QueueFile {
  const top = readXml(source.text, source.file)
  if (top.name === 'allocations') return readFairFile(source, top)
  if (top.name === 'configuration') return readCapacityFile(source, top)
  throw new SchedError('BAD_INPUT', `begins with <${top.name}>.`, { file: source.file, line: top.line }, 'A fair-scheduler.xml begins with <allocations>, a capacity-scheduler.xml with <configuration>.')
}

/** The policy that a queue file describes on a cluster, with what became of each setting. */
export function queuePolicy(file: QueueFile, cluster: ClusterFacts, site?: SourceText): FairPolicy | CapacityPolicy {
  const properties: ReadonlyMap<string, Property> = site === undefined ? new Map<string, Property>() : readProperties(site)
  return file.kind === 'fair' ? fairPolicy(file, cluster, properties) : capacityPolicy(file, cluster, properties)
}
