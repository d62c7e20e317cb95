import { SchedError } from '@sched/core'
import { Findings } from './finding.js'
import { isKai, readKai } from './kai/kai-file.js'
import { isKube, readKube } from './kube-scheduler/kube-file.js'
import { isKueue, readKueue } from './kueue/kueue-file.js'
import type { QueueFile } from './queue-file.js'
import { isSlurmConf, readSlurmConf, withoutConf } from './slurm/conf.js'
import { isDatabase, joined, readDatabase } from './slurm/database.js'
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
 * Reads a fair-scheduler.xml (`<allocations>`), a capacity-scheduler.xml (`<configuration>`), a slurm.conf, manifests of Kueue or of KAI's
 * queues, a queues.yaml of YuniKorn, Queues of Volcano, or a
 * fairscheduler.xml of Spark (`<allocations>` too), a KubeSchedulerConfiguration with PriorityClasses or either alone; beside Queues of Volcano, or alone, a configuration of its scheduler; beside a
 * slurm.conf, or alone, what sacctmgr prints of QOS and associations; beside pools of
 * Spark, or alone, a spark-defaults.conf. Throws `BAD_INPUT` with the line.
 */
export function readQueues(source: SourceText, ...beside: readonly SourceText[]): QueueFile {
  const first = isDatabase(source.text) ? withoutConf(source.file, readDatabase(source)) : readOne(source)
  if (beside.length === 0) return first
  if (first.kind === 'spark') return withConf(first, beside)
  if (first.kind === 'volcano') return besideVolcano(source, beside)
  const other = beside.find(({ text }) => !isDatabase(text))
  if (first.kind !== 'slurm' || other !== undefined)
    throw new SchedError(
      'BAD_INPUT',
      'stands beside another queue file.',
      { file: other?.file ?? source.file },
      'Beside a slurm.conf stand dumps and tables of sacctmgr alone: slurm.conf+accounts.cfg+qos.txt.',
    )
  return { ...first, database: joined([first.database, ...beside.map(readDatabase)]) }
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

/** Whether a text begins as one of these does; it may still have mistakes. */
export const isQueueFile = (text: string): boolean => isKueue(text)
  || isKai(text)
  || isYunikorn(text)
  || isVolcano(text)
  || isKube(text)
  || isSlurmConf(text)
  || isDatabase(text)
  || isSparkConf(text)
  || /^[^<]*(<[?!][^<]*)*<(allocations|configuration)\b/.test(text)

function readOne(source: SourceText): QueueFile {
  if (isKueue(source.text)) return readKueue(source)
  if (isKai(source.text)) return readKai(source)
  if (isYunikorn(source.text)) return readYunikorn(source)
  if (isVolcano(source.text)) return readVolcano(source)
  if (isKube(source.text)) return readKube(source)
  if (isSlurmConf(source.text)) return readSlurmConf(source)
  if (isSparkConf(source.text)) return { kind: 'spark', file: source.file, pools: [], conf: readSparkConf(source), ignored: new Findings(source.file) }
  if (/\bkueue\.x-k8s\.io\//.test(source.text))
    throw new SchedError(
      'BAD_INPUT',
      'has objects of Kueue, and no ClusterQueue.',
      { file: source.file },
      'Put the manifests of the queues into the same file.',
    )
  if (/\bscheduling\.volcano\.sh\//.test(source.text))
    throw new SchedError(
      'BAD_INPUT',
      'has objects of Volcano, and neither a Queue nor the configuration of its scheduler.',
      { file: source.file },
      'Put the manifests of the queues into the same file.',
    )
  const other = otherQueues(source.text)
  if (other !== undefined)
    throw new SchedError(
      'BAD_INPUT',
      `has queues of ${other}, which are not read.`,
      { file: source.file },
      'Write them as options of a policy: docs/kubernetes.md says of which.',
    )
  refuseTemplate(source)
  if (/^\s*yarn\.scheduler\.capacity\.[^\s=]+\s*[=:]/m.test(source.text) && !/^\uFEFF?\s*</.test(source.text))
    throw new SchedError(
      'BAD_INPUT',
      'is a list of properties.',
      { file: source.file },
      'Write each as <property><name>...</name><value>...</value></property> inside <configuration>, as capacity-scheduler.xml has them.',
    )
  if (!/^\uFEFF?\s*</.test(source.text))
    throw new SchedError(
      'BAD_INPUT',
      source.text.trim() === '' ? 'is empty.' : 'is no queue file.',
      { file: source.file },
      'Give a fair-scheduler.xml, a capacity-scheduler.xml, a slurm.conf, manifests of Kueue with a ClusterQueue, queues of KAI, a queues.yaml of YuniKorn, Queues of Volcano, a fairscheduler.xml of Spark, or a KubeSchedulerConfiguration.',
    )
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

const known: readonly (readonly [string, RegExp])[] = [
  ['scheduler-plugins', /\bkind["']?\s*:\s*["']?ElasticQuota/],
]

/** Whose queues a text has, of schedulers on Kubernetes whose files are not read. */
const otherQueues = (text: string): string | undefined => known.find(([, mark]) => mark.test(text))?.[0]
