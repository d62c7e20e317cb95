import { json } from '@sched/report'
import { queuePolicy } from '@sched/queue-files'
import type { Command } from 'commander'
import { clusterFacts, openQueues, openSites } from '../experiment/queues.js'
import type { Io } from '../io.js'
import { findingsText } from '../output/findings.js'
import { widthOf } from '../output/policy-table.js'
import { queueTreeText } from '../output/queue-tree.js'
import { clusterOf, queuesOptions, tableOf, type QueuesOptions } from './queues-options.js'

export function addQueuesShow(queues: Command, io: Io): void {
  const command = queues
    .command('show')
    .summary('the tree of a queue file with shares, and what of it is honoured')
    .description('Prints the queues of a fair-scheduler.xml, a capacity-scheduler.xml, a slurm.conf, manifests of Kueue, KAI or Volcano, a queues.yaml of YuniKorn, a fairscheduler.xml of Spark, what qmgr prints of OpenPBS, or a configuration of kube-scheduler with their settings and instantaneous shares, and what a simulation honours, approximates and ignores of the file, with lines.')
    .argument('<file>', 'the queue file')
  queuesOptions(command)
    .option('--yarn-site <file>', 'what a yarn-site.xml says of the scheduler; +FILE adds a resource-types.xml')
    .addHelpText('after', '\nExample:\n  sched queues show fair-scheduler.xml --nodes 100 --resources memory-mb=65536,vcores=16')
    .action((file: string, options: QueuesOptions) => show(file, options, io))
}

async function show(file: string, options: QueuesOptions, io: Io): Promise<void> {
  const read = openQueues(file, io.cwd)
  const cluster = await clusterOf(options, io.cwd)
  const table = tableOf(read, cluster, options)
  const facts = cluster === undefined ? { resources: ['memory-mb', 'vcores'], nodes: 1, heartbeat: true } : clusterFacts(cluster)
  const { findings, policy } = queuePolicy(read, facts, ...openSites(options.yarnSite, io.cwd))
  if (options.json === true) io.stdout.write(json({ file, scheduler: read.kind, queues: table.rows, totals: table.totals ?? null, policy, findings }))
  else io.stdout.write(`${queueTreeText(read.kind, table, widthOf(io.stdout))}\n${findingsText(findings, { all: true })}`)
}
