export { fifo, fifoOrder } from './orders/fifo.js'
export { sjf, sjfOrder } from './orders/sjf.js'
export { ljf, ljfOrder } from './orders/ljf.js'
export { lxf, lxfOrder } from './orders/lxf.js'
export { priority, priorityOrder, type PriorityOptions } from './orders/priority.js'
export { fair, fairOrder, type FairOptions } from './orders/fair.js'
export { drf, drfOrder, type DrfOptions } from './orders/drf.js'
export type { SharingOptions, Weights } from './orders/sharing-options.js'
export type { PoolOptions } from './orders/pools.js'
export { Keys, SortedIds } from './orders/sorted-ids.js'
export { greedy, greedyPolicy } from './disciplines/greedy.js'
export { delay, delayPolicy, type DelayOptions } from './disciplines/delay.js'
export { skipDelay, skipDelayPolicy, type SkipDelayOptions } from './disciplines/skip-delay.js'
export { forwarding } from './disciplines/forwarding.js'
export { startNearest } from './disciplines/start-nearest.js'
export { registerPolicies } from './register.js'
export { preempting, preemptingPolicy, type PreemptingOptions } from './disciplines/preempting.js'
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
export { fairShares, FairShareSolver, type PoolColumns, type Pools } from './shares/fair-shares.js'
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
export { strict, strictPolicy, type StrictOptions } from './backfilling/strict.js'
export { easy, easyPolicy, type EasyOptions } from './backfilling/easy.js'
export { conservative, conservativePolicy, type ConservativeOptions } from './backfilling/conservative.js'
export { fattened, fattenedPolicy, type FattenedOptions } from './backfilling/fattened.js'
export { completionTime, speedUp, type MapReduceJob } from './mapreduce/completion-time.js'
export { chooseWorkers, globalCap, maxParallelism, relativeSize, type Room, type WorkerLimit } from './mapreduce/workers.js'
export { replan, replanPolicy, type ReplanOptions } from './backfilling/replan.js'
export { yarnFair, yarnFairOrder } from './yarn/yarn-fair.js'
export type { QueueOptions, YarnFairOptions } from './yarn/options.js'
