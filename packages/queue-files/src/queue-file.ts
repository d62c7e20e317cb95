import type { KaiFile } from './kai/kai-file.js'
import type { KubeFile } from './kube-scheduler/kube-file.js'
import type { KueueFile } from './kueue/kueue-file.js'
import type { PbsFile } from './pbs/pbs-file.js'
import type { SlurmConf } from './slurm/conf.js'
import type { SparkFile } from './spark/pools-file.js'
import type { VolcanoFile } from './volcano/volcano-file.js'
import type { CapacityFile } from './yarn/capacity-model.js'
import type { FairFile } from './yarn/fair-model.js'
import type { YunikornFile } from './yunikorn/yunikorn-file.js'

/**
 * A queue file as it was read: of YARN's fair or capacity scheduler, a slurm.conf, queues of Kueue, KAI, YuniKorn or Volcano, pools of Spark, a server of
 * OpenPBS, or the configuration of kube-scheduler. `kind` tells them apart.
 */
export type QueueFile = FairFile | CapacityFile | SlurmConf | KueueFile | KaiFile | YunikornFile | VolcanoFile | SparkFile | PbsFile | KubeFile
