import { json } from '@sched/report'
import { compareQueues } from '@sched/queue-files'
import type { Command } from 'commander'
import { openQueues } from '../experiment/queues.js'
import type { Io } from '../io.js'
import { queueChangesText, shareChanges } from '../output/queue-changes.js'
import { clusterOf, queuesOptions, tableOf, type QueuesOptions } from './queues-options.js'

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
  const side = (name: string): Side => {
    const file = openQueues(name, io.cwd)
    return { file, table: tableOf(file, cluster, options) }
  }
  const sides = [side(before), side(after)] as const
  const changes = compareQueues(...sides)
  const shares = shareChanges(sides[0].table, sides[1].table)
  if (options.json === true) io.stdout.write(json({ before, after, ...changes, shares }))
  else io.stdout.write(queueChangesText(changes, shares, sides[0].table, sides[0].file.kind === sides[1].file.kind))
}

interface Side {
  readonly file: ReturnType<typeof openQueues>
  readonly table: ReturnType<typeof tableOf>
}
