import { analysis } from './analysis.js'
import { largeCluster } from './large-cluster.js'
import { macroCpu } from './macro-cpu.js'
import { macroIo } from './macro-io.js'
import { mixed } from './mixed.js'
import { overhead } from './overhead.js'
import { poolAllocation } from './pools.js'
import { sensitivity } from './sensitivity.js'
import type { Sheet } from '../sheet.js'
import { smallJobs } from './small-jobs.js'
import { sticky } from './sticky.js'

export const delayScheduling: Sheet = {
  name: 'delay-scheduling',
  title: 'Delay scheduling and the Hadoop Fair Scheduler',
  source:
    'M. Zaharia, D. Borthakur, J. Sen Sarma, K. Elmeleegy, S. Shenker, I. Stoica, "Delay Scheduling: A Simple Technique for Achieving ' +
      'Locality and Fairness in Cluster Scheduling", EuroSys 2010.',
  experiments: [analysis, poolAllocation, largeCluster, macroIo, macroCpu, mixed, smallJobs, sticky, sensitivity, overhead],
}
