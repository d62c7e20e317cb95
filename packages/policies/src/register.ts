import type { Registry } from '@sched/core'
import { conservativePolicy } from './backfilling/conservative.js'
import { easyPolicy } from './backfilling/easy.js'
import { fattenedPolicy } from './backfilling/fattened.js'
import { replanPolicy } from './backfilling/replan.js'
import { strictPolicy } from './backfilling/strict.js'
import { capacityOrder } from './capacity/capacity.js'
import { capacitySchedulerPolicy } from './capacity/capacity-scheduler.js'
import { reservingPolicy } from './capacity/reserving.js'
import { delayPolicy } from './disciplines/delay.js'
import { gangSchedulingPolicy } from './disciplines/gang-scheduling.js'
import { greedyPolicy } from './disciplines/greedy.js'
import { preemptingPolicy } from './disciplines/preempting.js'
import { replayPolicy } from './disciplines/replay.js'
import { skipDelayPolicy } from './disciplines/skip-delay.js'
import { slurmPreemptingPolicy } from './disciplines/slurm-preempting.js'
import { slurmLimitsPolicy } from './slurm-limits/slurm-limits.js'
import { kaiOrder } from './kai/kai.js'
import { kaiPreemptingPolicy } from './kai/kai-preempting.js'
import { kubeSchedulerPolicy } from './kube-scheduler/kube-scheduler.js'
import { kueuePolicy } from './kueue/kueue.js'
import { mapReducePolicy } from './mapreduce/mapreduce.js'
import { assetFairnessOrder } from './orders/asset-fairness.js'
import { ceeiOrder } from './orders/ceei.js'
import { drfOrder } from './orders/drf.js'
import { maxMinOrder } from './orders/max-min.js'
import { roundRobinOrder } from './orders/round-robin.js'
import { wfqOrder } from './orders/wfq.js'
import { fairShareOrder } from './fair-share/fair-share.js'
import { multifactorOrder } from './fair-share/multifactor.js'
import { adaptiveOrder } from './orders/adaptive.js'
import { dynamicPriorityOrder } from './orders/dynamic-priority.js'
import { fairOrder } from './orders/fair.js'
import { fifoOrder } from './orders/fifo.js'
import { gridEngineOrder } from './orders/grid-engine.js'
import { helpStarvingOrder } from './orders/help-starving.js'
import { ljfOrder } from './orders/ljf.js'
import { lsfFairshareOrder } from './orders/lsf-fairshare.js'
import { lxfOrder } from './orders/lxf.js'
import { scoreOrder } from './orders/score.js'
import { priorityOrder } from './orders/priority.js'
import { queueDepthOrder } from './orders/queue-depth.js'
import { sjfOrder } from './orders/sjf.js'
import { lasPolicy } from './preemptive-order/las.js'
import { srtfPolicy } from './preemptive-order/srtf.js'
import { pbsLevelsOrder } from './pbs/pbs-levels.js'
import { pbsQueuesOrder } from './pbs/pbs-queues.js'
import { pbsSortOrder } from './pbs/sort/pbs-sort.js'
import { primeTimePolicy } from './pbs/prime/prime-time.js'
import { pbsPreemptingPolicy } from './pbs/pbs-preempting.js'
import { negotiatorPolicy } from './condor/negotiator.js'
import { volcanoPolicy } from './volcano/volcano.js'
import { yarnAssignPolicy } from './yarn/yarn-assign.js'
import { yarnFairOrder } from './yarn/yarn-fair.js'
import { yarnPreemptingPolicy } from './yarn/yarn-preempting.js'
import { yarnReservingPolicy } from './yarn/yarn-reserving.js'
import { yunikornOrder } from './yunikorn/yunikorn.js'
import { yunikornPreemptingPolicy } from './yunikorn/yunikorn-preempting.js'
import { yunikornReservingPolicy } from './yunikorn/yunikorn-reserving.js'

/** Adds all orders, disciplines and presets of this package to a registry. */
export function registerPolicies(registry: Registry): Registry {
  registry.add(fifoOrder).add(fairOrder).add(priorityOrder).add(sjfOrder).add(ljfOrder).add(lxfOrder).add(scoreOrder)
  registry.add(adaptiveOrder).add(dynamicPriorityOrder).add(gridEngineOrder).add(lsfFairshareOrder).add(helpStarvingOrder).add(queueDepthOrder).add(pbsLevelsOrder).add(pbsSortOrder).add(pbsQueuesOrder).add(fairShareOrder).add(multifactorOrder)
  registry.add(kaiOrder).add(yunikornOrder).add(drfOrder).add(assetFairnessOrder).add(ceeiOrder).add(maxMinOrder).add(wfqOrder).add(roundRobinOrder)
  registry.add(yarnFairOrder).add(yarnAssignPolicy).add(yarnReservingPolicy).add(yarnPreemptingPolicy)
  registry.add(greedyPolicy).add(skipDelayPolicy).add(delayPolicy).add(preemptingPolicy).add(gangSchedulingPolicy).add(replayPolicy).add(lasPolicy).add(srtfPolicy)
  registry.add(strictPolicy).add(easyPolicy).add(conservativePolicy).add(fattenedPolicy).add(replanPolicy)
  registry.add(capacityOrder).add(reservingPolicy).add(capacitySchedulerPolicy)
  registry.add(mapReducePolicy).add(kubeSchedulerPolicy).add(kueuePolicy).add(kaiPreemptingPolicy).add(yunikornPreemptingPolicy).add(yunikornReservingPolicy).add(volcanoPolicy).add(negotiatorPolicy).add(slurmPreemptingPolicy).add(pbsPreemptingPolicy).add(primeTimePolicy).add(slurmLimitsPolicy)
  registry.addPreset({
    kind: 'policy',
    name: 'naive-fair',
    summary: 'jobs by running tasks, no waiting',
    source: 'Zaharia et al., EuroSys 2010, Algorithm 1',
    config: { greedy: { order: { fair: { pools: false } } } },
  })
  registry.addPreset({
    kind: 'policy',
    name: 'hfs',
    summary: 'Hadoop Fair Scheduler: pools, delay scheduling, preemption of starved pools',
    source: 'Zaharia et al., EuroSys 2010, section 3 and Algorithm 3',
    config: { preempting: { policy: { delay: { order: 'fair' } } } },
  })
  return registry
}
