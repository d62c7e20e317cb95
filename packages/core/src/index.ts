export type * from './ids.js'
export { None } from './ids.js'
export { adviseWord, SchedError, nearest, suggest, type ErrorCode, type Place } from './error.js'
export { fieldOf } from './field-of.js'
export { describeIssues, type Complaint, type SchemaIssue } from './issue.js'
export type * from './job.js'
export type * from './node-selector.js'
export * from './placement-rule.js'
export { selectsTasks, tagsMeet, type Selectable } from './task-selection.js'
export type * from './views.js'
export { ANYWHERE } from './anywhere.js'
export { grown, type Column } from './columns.js'
export { isCircular } from './circular.js'
export { DoneJobs } from './done-jobs.js'
export { lostKey } from './lost-key.js'
export { lowestBit } from './lowest-bit.js'
export { secondsOfGo } from './go-duration.js'
export { partitionPoint } from './partition-point.js'
export { followed, isFollower } from './followed.js'
export { FirstFit } from './first-fit.js'
export { LowestNodes } from './lowest-nodes.js'
export { NodeTree, type NodeTreeChoice } from './node-tree.js'
export { askedTogether, isGangJob, leastTasks, nonPreemptibleTasks, startedTogether, whatStarts } from './least-tasks.js'
export { nothingToPlace } from './nothing-to-place.js'
export { beyondOneNode } from './one-node.js'
export { jobsByName, nodesByName, rememberedJobs } from './jobs-by-name.js'
export { listOf } from './list-of.js'
export { isTimeZone, LocalClock } from './local-clock.js'
export { Looks } from './looks.js'
export { forwarding } from './forwarding.js'
export { onceEach } from './once-each.js'
export { runningTasks } from './running-tasks.js'
export { to40Bits } from './rounded.js'
export { withoutUndefined } from './without-undefined.js'
export { WrappedRound } from './wrapped-round.js'
export { WrappedWork } from './wrapped-work.js'
export { kindOfHardware } from './hardware-names.js'
export type { ScaledGroup } from './autoscale.js'
export { powerModels, wattsAt, type NodePower, type NodeSleep, type NodeState, type PowerModel } from './power.js'
export { amountsByName, resourceNamed } from './resource-names.js'
export { hostNames, partsOfHosts } from './host-names.js'
export { kubernetesResource, type KubernetesResource } from './kubernetes-resource.js'
export { knownWords } from './known-words.js'
export { ownValue } from './own-value.js'
export { phasesTime } from './phases.js'
export { Reason, reasonNames, type LimitsSay, type Moulding, type NodesSay, type ReasonName, type Round } from './round.js'
export type * from './fair-share-view.js'
export type * from './pass.js'
export type * from './architecture.js'
export type * from './plugs.js'
export { portableExp, portableExp2, portableLog, portableLog1p, portableLog2 } from './portable-math.js'
export { hashUnit, randomStream, streamKey } from './random.js'
export * from './observer.js'
export {
  checkOptions,
  define,
  defineArchitecture,
  defineFormat,
  defineGenerator,
  defineMetric,
  defineOrder,
  definePlacement,
  definePolicy,
  Registry,
  type Defined,
  type Definition,
  type Inner,
  type OptionsSchema,
  type Plug,
  type Preset,
} from './define.js'
export type { Kind, Kinds } from './kinds.js'
export type * from './metric.js'
export * from './traces.js'
export { optionNames } from './schema-keys.js'
export { checkKeys } from './check-keys.js'
export { checkMade } from './check-made.js'
export { checkPlug } from './check-plug.js'
export { resolve, type Config } from './resolve.js'
