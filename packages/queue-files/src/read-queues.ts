import { SchedError } from '@sched/core'
import { Findings } from './finding.js'
import { isKai, readKai } from './kai/kai-file.js'
import { isKube, readKube } from './kube-scheduler/kube-file.js'
import { isKueue, readKueue } from './kueue/kueue-file.js'
import { refuseSeveral } from './one-scheduler.js'
import { isPbs, readPbs } from './pbs/pbs-file.js'
import type { QueueFile } from './queue-file.js'
import { isSlurmConf, readSlurmConf, withoutConf } from './slurm/conf.js'
import { isDatabase, joined, readDatabase } from './slurm/database.js'
import { isReservations, readReservations } from './slurm/reservations.js'
import type { SourceText } from './source-text.js'
import { isSparkConf, readSparkConf } from './spark/conf.js'
import { isSparkPools, readSparkPools, type SparkFile } from './spark/pools-file.js'
import { refuseTemplate } from './template.js'
import { isVolcano, readVolcano, type VolcanoFile } from './volcano/volcano-file.js'
import { readXml } from './xml.js'
import { readCapacityFile } from './yarn/capacity-file.js'
import { readFairFile } from './yarn/fair-file.js'
import { isYunikorn, readYunikorn } from './yunikorn/yunikorn-file.js'

/**
 * Reads a queue file, whose kind it tells by its text: a fair-scheduler.xml (`<allocations>`), a capacity-scheduler.xml (`<configuration>`), a slurm.conf,
 * manifests of Kueue or of KAI's queues, a queues.yaml of YuniKorn, Queues of Volcano, a fairscheduler.xml of Spark (`<allocations>` too), or a
 * KubeSchedulerConfiguration, PriorityClasses or both. `beside`: further files that belong to it. Manifests of Kueue, KAI and kube-scheduler may be in
 * several files. A configuration of Volcano's scheduler, the output of sacctmgr (QOS and associations), reservations that scontrol shows, and a
 * spark-defaults.conf stand alone or beside the Queues, the slurm.conf and the pools. Of OpenPBS there may be what `qmgr` prints, a sched_config, and holidays beside them. Throws `BAD_INPUT` with the line for a text that is none of these,
 * has queues of several schedulers, or has a mistake.
 */
export function readQueues(source: SourceText, ...beside: readonly SourceText[]): QueueFile {
  if ([source, ...beside].some(({ text }) => isPbs(text))) return readPbs(source, ...beside)
  const manifests = beside.length === 0 ? undefined : inSeveral([source, ...beside])
  if (manifests !== undefined) return manifests
  const first = isDatabase(source.text) ? withoutConf(source.file, readDatabase(source)) : readOne(source)
  if (beside.length === 0) return first
  if (first.kind === 'spark') return withConf(first, beside)
  if (first.kind === 'volcano') return besideVolcano(source, beside)
  const other = beside.find(({ text }) => !isDatabase(text) && !isReservations(text))
  if (first.kind !== 'slurm' || other !== undefined)
    throw new SchedError(
      'BAD_INPUT',
      'stands beside another queue file.',
      { file: other?.file ?? source.file },
      'Beside a slurm.conf stand dumps and tables of sacctmgr and reservations that scontrol shows: slurm.conf+accounts.cfg+qos.txt.',
    )
  const cluster = first.general.get('clustername')?.value
  const [reservations, databases] = [true, false].map((areReservations) => beside.filter(({ text }) => isReservations(text) === areReservations)) as [SourceText[], SourceText[]]
  return { ...first, reservations: reservations.flatMap(readReservations), database: joined([first.database, ...databases.map((each) => readDatabase(each, cluster))]) }
}

function withConf(pools: SparkFile, beside: readonly SourceText[]): SparkFile {
  const other = beside.find(({ text }) => !isSparkConf(text))
  if (other !== undefined)
    throw new SchedError(
      'BAD_INPUT',
      'stands beside pools of Spark.',
      { file: other.file },
      'Beside them stands a spark-defaults.conf alone: fairscheduler.xml+spark-defaults.conf.',
    )
  return { ...pools, conf: [...pools.conf, ...beside.flatMap(readSparkConf)] }
}

function besideVolcano(source: SourceText, beside: readonly SourceText[]): VolcanoFile {
  const other = beside.find(({ text }) => !isVolcano(text))
  if (other !== undefined)
    throw new SchedError(
      'BAD_INPUT',
      'stands beside Queues of Volcano.',
      { file: other.file },
      'Beside them stands the configuration of its scheduler alone: queues.yaml+volcano-scheduler.conf.',
    )
  return readVolcano(source, ...beside)
}

/** Schedulers whose manifests may be in several files, in the order in which a text is tried. */
const manifested: readonly { readonly is: (text: string) => boolean; readonly read: (...sources: readonly SourceText[]) => QueueFile; readonly of: string }[] = [
  { is: isKueue, read: readKueue, of: 'Kueue' }, { is: isKai, read: readKai, of: 'KAI' }, { is: isKube, read: readKube, of: 'kube-scheduler' },
]

/** Reads manifests of one scheduler from several files: of the first scheduler in `manifested` of which a file has objects; `undefined` if there is none. */
function inSeveral(sources: readonly SourceText[]): QueueFile | undefined {
  // PriorityClasses and PodDisruptionBudgets may stand beside the queues of any scheduler
  const isOther = (text: string): boolean => formats.some(({ is }) => is !== isKube && is(text))
  const format = manifested.find(({ is }) => sources.some(({ text }) => is(text)) && (is !== isKube || !sources.some(({ text }) => isOther(text))))
  if (format === undefined) return undefined
  const other = sources.find(({ text }) => !format.is(text) && (!isManifest(text) || isOther(text)))
  if (other !== undefined)
    throw new SchedError('BAD_INPUT', `stands beside manifests of ${format.of}.`, { file: other.file }, 'Beside them stand manifests of the same scheduler, or values of its Helm chart, alone: queues.yaml+config.yaml.')
  return format.read(...sources)
}

const isManifest = (text: string): boolean => /\bapiVersion["']?\s*:/.test(text)

/** Formats other than XML, in the order in which a text is tried. */
const formats: readonly { readonly is: (text: string) => boolean; readonly read: (source: SourceText) => QueueFile }[] = [
  { is: isKueue, read: readKueue },
  { is: isKai, read: readKai },
  { is: isYunikorn, read: readYunikorn },
  { is: isVolcano, read: readVolcano },
  { is: isKube, read: readKube },
  { is: isSlurmConf, read: readSlurmConf },
  { is: isSparkConf, read: (source) => ({ kind: 'spark', file: source.file, pools: [], conf: readSparkConf(source), ignored: new Findings(source.file) }) },
]

/** Whether a text looks like a queue file, without reading it; it may still have mistakes. */
export const isQueueFile = (text: string): boolean => formats.some(({ is }) => is(text)) || isDatabase(text) || isPbs(text) || /^[^<]*(<[?!][^<]*)*<(allocations|configuration)\b/.test(text)

function readOne(source: SourceText): QueueFile {
  refuseSeveral(source)
  const format = formats.find(({ is }) => is(source.text))
  if (format !== undefined) return format.read(source)
  refuse(source, incomplete)
  refuseTemplate(source)
  refuse(source, noXml)
  const top = readXml(source.text, source.file)
  if (top.name === 'allocations') return isSparkPools(top) ? readSparkPools(source, top) : readFairFile(source, top)
  if (top.name === 'configuration') return readCapacityFile(source, top)
  throw new SchedError(
    'BAD_INPUT',
    `begins with <${top.name}>.`,
    { file: source.file, line: top.line },
    'A fair-scheduler.xml begins with <allocations>, a capacity-scheduler.xml with <configuration>.',
  )
}

/** A kind of text that is almost a queue file: how to tell it, and what the error says. */
interface Near {
  readonly is: (text: string) => boolean
  readonly fact: string
  readonly wayOut: string
}

const MANIFESTS = 'Put the manifests of the queues into the same file.'

/** Texts with objects of a scheduler on Kubernetes but without its queues, or of a scheduler whose queues are not read. */
const incomplete: readonly Near[] = [
  { is: (text) => /\bkueue\.x-k8s\.io\//.test(text), fact: 'has objects of Kueue, and no ClusterQueue.', wayOut: MANIFESTS },
  { is: (text) => /\bscheduling\.volcano\.sh\//.test(text), fact: 'has objects of Volcano, and neither a Queue nor the configuration of its scheduler.', wayOut: MANIFESTS },
  { is: (text) => /\b(scheduling\.run\.ai|kai\.scheduler)\//.test(text), fact: 'has objects of KAI Scheduler, and no Queue.', wayOut: MANIFESTS },
  {
    is: (text) => /\bkind["']?\s*:\s*["']?ElasticQuota/.test(text),
    fact: 'has queues of scheduler-plugins, which are not read.',
    wayOut: 'Write them as options of a policy: docs/kubernetes.md says of which.',
  },
]

const isXml = (text: string): boolean => /^\uFEFF?\s*</.test(text)
const LISTED = 'Give a fair-scheduler.xml, a capacity-scheduler.xml, a slurm.conf, manifests of Kueue with a ClusterQueue, queues of KAI, a queues.yaml of YuniKorn, Queues of Volcano, a fairscheduler.xml of Spark, what qmgr prints of OpenPBS, or a KubeSchedulerConfiguration.'

/** Texts that are not XML, although nothing but XML is left to try. */
const noXml: readonly Near[] = [
  {
    is: (text) => /^\s*yarn\.scheduler\.capacity\.[^\s=]+\s*[=:]/m.test(text) && !isXml(text),
    fact: 'is a list of properties.',
    wayOut: 'Write each as <property><name>...</name><value>...</value></property> inside <configuration>, as capacity-scheduler.xml has them.',
  },
  { is: (text) => text.trim() === '', fact: 'is empty.', wayOut: LISTED },
  { is: (text) => !isXml(text), fact: 'is no queue file.', wayOut: LISTED },
]

/** Throws `BAD_INPUT` if the text is of one of these kinds. */
function refuse({ text, file }: SourceText, near: readonly Near[]): void {
  const found = near.find(({ is }) => is(text))
  if (found !== undefined) throw new SchedError('BAD_INPUT', found.fact, { file }, found.wayOut)
}
