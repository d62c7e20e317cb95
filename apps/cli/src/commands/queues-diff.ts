import { json } from '@sched/report'
import { compareQueues, queueTable } from '@sched/yarn'
import type { Command } from 'commander'
import { openQueues } from '../experiment/queues.js'
import type { Io } from '../io.js'
import { queueChangesText, shareChanges } from '../output/queue-changes.js'
import { activeOf, clusterOf, queuesOptions, totalsOf, type QueuesOptions } from './queues-options.js'

export function addQueuesDiff(queues: Command, io: Io): void {
  const command = queues
    .command('diff')
    .summary('what changes from one queue file to another')
    .description('Prints which queues, settings and instantaneous shares differ between two queue files.')
    .argument('<before>', 'a queue file')
    .argument('<after>', 'another one')
  queuesOptions(command).action((before: string, after: string, options: QueuesOptions) => diff(before, after, options, io))
}

async function diff(before: string, after: string, options: QueuesOptions, io: Io): Promise<void> {
  const cluster = await clusterOf(options, io.cwd)
  const totals = cluster === undefined ? undefined : totalsOf(cluster)
  const [a, b] = [before, after].map((name) => ({ file: openQueues(name, io.cwd) })) as [{ file: ReturnType<typeof openQueues> }, { file: ReturnType<typeof openQueues> }]
  const active = activeOf(options)
  const sides = [a, b].map(({ file }) => ({ file, table: queueTable(file, totals, active) })) as [Side, Side]
  const changes = compareQueues(...sides)
  const shares = shareChanges(sides[0].table, sides[1].table)
  if (options.json === true) io.stdout.write(json({ before, after, ...changes, shares }))
  else io.stdout.write(queueChangesText(changes, shares, sides[0].table, a.file.kind === b.file.kind))
}

interface Side {
  readonly file: ReturnType<typeof openQueues>
  readonly table: ReturnType<typeof queueTable>
}
