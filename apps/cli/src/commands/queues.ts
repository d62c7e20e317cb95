import type { Command } from 'commander'
import type { Io } from '../io.js'
import { addQueuesDiff } from './queues-diff.js'
import { addQueuesShow } from './queues-show.js'

export function addQueues(program: Command, io: Io): void {
  const command = program
    .command('queues')
    .summary('show and compare queue files of YARN, Slurm, Kueue, KAI, Volcano, YuniKorn, Spark, OpenPBS and kube-scheduler')
    .description('Shows and compares queue files: fair-scheduler.xml and capacity-scheduler.xml of YARN, slurm.conf, manifests of Kueue, KAI and Volcano, queues.yaml of YuniKorn, fairscheduler.xml of Spark, what qmgr prints of OpenPBS, the configuration of kube-scheduler. `sched run --queues FILE` runs one.')
  for (const add of [addQueuesShow, addQueuesDiff]) add(command, io)
}
