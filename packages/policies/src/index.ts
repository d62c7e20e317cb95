// Orders: whose work goes next
export { fifo, fifoOrder, type FifoOptions } from './orders/fifo.js'
export { sjf, sjfOrder } from './orders/sjf.js'
export { ljf, ljfOrder } from './orders/ljf.js'
export { lxf, lxfOrder } from './orders/lxf.js'
export { score, scoreOrder, type ScoreOptions } from './orders/score.js'
export { priority, priorityOrder, type PriorityOptions } from './orders/priority.js'
export { gridEngine, gridEngineOrder, type GridEngineOptions } from './orders/grid-engine.js'
export { helpStarving, helpStarvingOrder, type HelpStarvingOptions } from './orders/help-starving.js'
export { queueDepth, queueDepthOrder, type QueueDepthOptions } from './orders/queue-depth.js'
export { lsfFairshare, lsfFairshareOrder, type LsfFairshareOptions } from './orders/lsf-fairshare.js'
export { fair, fairOrder, type FairOptions } from './orders/fair.js'
export { drf, drfOrder, type DrfOptions } from './orders/drf.js'
export { assetFairness, assetFairnessOrder, type AssetFairnessOptions } from './orders/asset-fairness.js'
export { ceei, ceeiOrder, type CeeiOptions } from './orders/ceei.js'
export { maxMin, maxMinOrder, type MaxMinOptions } from './orders/max-min.js'
export { roundRobin, roundRobinOrder, type RoundRobinOptions } from './orders/round-robin.js'
export { wfq, wfqOrder, type WfqOptions } from './orders/wfq.js'
export type { PlainWeights, SharingOptions, Weights } from './orders/sharing-options.js'
export { queuePath, type PoolOptions } from './orders/pools.js'
export { adaptive, adaptiveOrder } from './orders/adaptive.js'
export { remainingWork, slotsNeeded, type JobProgress } from './orders/adaptive-need.js'
export { dynamicPriority, dynamicPriorityOrder, type DynamicPriorityOptions } from './orders/dynamic-priority.js'
export { spend, type Spender, type Spending } from './orders/spending.js'

// Disciplines: may it go now
export { greedy, greedyPolicy } from './disciplines/greedy.js'
export { delay, delayPolicy, type DelayOptions } from './disciplines/delay.js'
export { skipDelay, skipDelayPolicy, type SkipDelayOptions } from './disciplines/skip-delay.js'
export { preempting, preemptingPolicy, type PreemptingOptions } from './disciplines/preempting.js'
export { gangScheduling, gangSchedulingPolicy, type GangSchedulingOptions } from './disciplines/gang-scheduling.js'
export { replay, replayPolicy, type ReplayOptions } from './disciplines/replay.js'
export { las, lasPolicy, type LasOptions } from './preemptive-order/las.js'
export { srtf, srtfPolicy, type SrtfOptions } from './preemptive-order/srtf.js'
export { completionTime, mapReduceJob, speedUp, type MapReduceJob } from './mapreduce/completion-time.js'
export { asRequested, chooseWorkers, globalCap, maxParallelism, relativeSize, type Room, type WorkerLimit } from './mapreduce/workers.js'
export { mapReduce, mapReducePolicy, type MapReduceOptions } from './mapreduce/mapreduce.js'

// Backfilling
export { strict, strictPolicy, type StrictOptions } from './backfilling/strict.js'
export { easy, easyPolicy, type EasyOptions } from './backfilling/easy.js'
export { conservative, conservativePolicy, type ConservativeOptions } from './backfilling/conservative.js'
export { fattened, fattenedPolicy, type FattenedOptions } from './backfilling/fattened.js'
export { replan, replanPolicy } from './backfilling/replan.js'
export type { ReplanOptions } from './backfilling/replan-options.js'

// Hadoop: the fair and the capacity scheduler of YARN
export { yarnFair, yarnFairOrder } from './yarn/yarn-fair.js'
export type { QueueOptions, YarnFairOptions } from './yarn/options.js'
export { capacity, capacityOrder } from './capacity/capacity.js'
export { reserving, reservingPolicy, type ReservingOptions } from './capacity/reserving.js'
export { capacityScheduler, capacitySchedulerPolicy } from './capacity/capacity-scheduler.js'
export {
  capacityOptions,
  capacitySchedulerOptions,
  type CapacityOptions,
  type CapacitySchedulerOptions,
} from './capacity/options.js'
export type { CapacityQueueOptions } from './capacity/queue-options.js'
export { wildcardPaths } from './capacity/templates.js'
export { idealAllocation, type IdealAllocation, type PreemptionFactors, type QueueLoads } from './capacity/ideal-allocation.js'
export { mixedCapacities, mixedLimit, type CapacityOfResource } from './capacity/mixed-capacities.js'
export { userLimit, type UserLimitCase } from './capacity/user-limit.js'
export { yarnAssign, yarnAssignPolicy, type YarnAssignOptions } from './yarn/yarn-assign.js'
export { yarnReserving, yarnReservingPolicy, type YarnReservingOptions } from './yarn/yarn-reserving.js'
export { yarnPreempting, yarnPreemptingPolicy, type YarnPreemptingOptions } from './yarn/yarn-preempting.js'
export { underRoot } from './yarn/under-root.js'
export { divideAmongQueues, queueShares, type ShareEntry, type ShareTree } from './yarn/queue-shares.js'

// OpenPBS
export { Formula } from './orders/formula.js'
export { pbsLevels, pbsLevelsOrder, type PbsLevelsOptions } from './pbs/pbs-levels.js'
export { fairshareFactor, pbsNamesOfFormulas, pbsNamesOfKeys } from './pbs/sort/job-words.js'
export { usageFormula } from './pbs/sort/fairshare-use.js'
export { FairshareTree, placesByUse, readResourceGroup, treeUsage, type ResourceGroup } from './pbs/sort/fairshare-tree.js'
export { PythonFormula } from './pbs/sort/python-formula.js'
export { pbsQueues, pbsQueuesOrder, type PbsQueuesOptions } from './pbs/pbs-queues.js'
export { pbsSort, pbsSortOrder } from './pbs/sort/pbs-sort.js'
export type { PbsSortOptions } from './pbs/sort/options.js'
export { primeTime, primeTimePolicy, type PrimeTimeOptions } from './pbs/prime/prime-time.js'
export { pbsPreempting, pbsPreemptingPolicy, type PbsPreemptingOptions } from './pbs/pbs-preempting.js'

// Slurm
export { slurmPreempting, slurmPreemptingPolicy } from './disciplines/slurm-preempting.js'
export type { SlurmPreemptingOptions } from './disciplines/slurm-preempting-options.js'
export { slurmLimits, slurmLimitsPolicy } from './slurm-limits/slurm-limits.js'
export type { SlurmLimitsOptions } from './slurm-limits/options.js'
export { isOfPbs, pbsResourceIndex } from './pbs/resource-name.js'
export { slurmResource } from './slurm-limits/amounts.js'
export { inWholeMinutes, slurmSeconds } from './slurm-limits/slurm-time.js'
export { fairShare, fairShareOrder, type FairShareOptions } from './fair-share/fair-share.js'
export { multifactor, multifactorOrder, type MultifactorOptions } from './fair-share/multifactor.js'
export { classicFairShare, depthObliviousFairShare, OF_PARENT, type Associations } from './fair-share/factors.js'
export { fairTree, levelFairShare } from './fair-share/fair-tree.js'
export { maxTresOf, priorityFlags } from './fair-share/slurm-options.js'
export { usageResetOf, usageResetPeriods } from './fair-share/usage-resets.js'
export type { AccountOptions } from './fair-share/association-tree.js'

// Kubernetes: Kueue, KAI and YuniKorn
export { kai, kaiOrder } from './kai/kai.js'
export { kaiPreempting, kaiPreemptingPolicy } from './kai/kai-preempting.js'
export type { KaiOptions } from './kai/options.js'
export { kubeScheduler, kubeSchedulerPolicy } from './kube-scheduler/kube-scheduler.js'
export type { KubeSchedulerOptions } from './kube-scheduler/kube-scheduler.js'
export { kueue, kueuePolicy } from './kueue/kueue.js'
export type { KueueOptions } from './kueue/options.js'
export { yunikorn, yunikornOrder } from './yunikorn/yunikorn.js'
export { yunikornPreempting, yunikornPreemptingPolicy } from './yunikorn/yunikorn-preempting.js'
export { yunikornReserving, yunikornReservingPolicy } from './yunikorn/yunikorn-reserving.js'
export type { YunikornOptions, YunikornPolicyOptions } from './yunikorn/options.js'
export { negotiator, negotiatorPolicy } from './condor/negotiator.js'
export type { NegotiatorOptions } from './condor/options.js'
export { volcano, volcanoPolicy } from './volcano/volcano.js'
export type { VolcanoOptions } from './volcano/options.js'

// Calculators, which take numbers and give numbers
export {
  dataNodeFraction,
  expectedLocality,
  expectedLocalityBound,
  expectedLocalityExponentialBound,
  headOfLineLocality,
  localLaunchProbability,
  minimumSkips,
  taskLocality,
  taskLocalityBound,
  type BlockPlacement,
} from './analysis/locality.js'
export { relativeWait, secondsToCollect, skipsInWait, slotFreeRate, waitAtRate, waitForSkips } from './analysis/waiting.js'
export { longTaskCeiling, stickySlotCeiling, type BlockSlots } from './analysis/ceilings.js'
export { assetFairShares, drfShares } from './shares/drf-shares.js'
export { ceeiShares, type Market } from './shares/ceei-shares.js'
export { drfAllocate, type AllocateOptions, type Allocation } from './shares/drf-allocate.js'
export { dominantShare, type Division, type Sharers } from './shares/sharers.js'
export { maxMinShares, type MaxMinSharer } from './shares/max-min-shares.js'
export { fairShares, type PoolColumns, type Pools } from './shares/fair-shares.js'
export { overcommitted, scaleMinShares } from './shares/min-shares.js'
export { comparePools, type PoolStanding } from './shares/compare-pools.js'
export {
  belowFairShare,
  belowMinShare,
  defaultStarvationFraction,
  preemptionClaim,
  victims,
  type PoolLoads,
  type PoolNeed,
  type PreemptionTimeouts,
  type RunningTask,
  type VictimOptions,
} from './shares/preemption.js'

export { registerPolicies } from './register.js'
