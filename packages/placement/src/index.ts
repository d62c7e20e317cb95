export { bestFit, bestFitPlacement } from './best-fit.js'
export { dotProduct, dotProductPlacement } from './dot-product.js'
export { firstFit, firstFitPlacement } from './first-fit.js'
export { hybrid, hybridPlacement, type HybridOptions } from './hybrid.js'
export { kaiScores, kaiScoresPlacement, type KaiScoresOptions } from './kai-scores.js'
export { kubeScores, kubeScoresPlacement, type KubeScoresOptions } from './kube-scores.js'
export { locality, localityPlacement } from './locality.js'
export { nodeSort, nodeSortPlacement, type NodeSortOptions } from './node-sort.js'
export { nodeUsage, nodeUsagePlacement, type NodeUsageOptions } from './node-usage.js'
export { pack, packPlacement, spread, spreadPlacement } from './pack-spread.js'
export { placementSets, placementSetsPlacement, type PlacementSetsOptions } from './placement-sets/placement-sets.js'
export { randomFit, randomFitPlacement } from './random-fit.js'
export { roundRobin, roundRobinPlacement, type RoundRobinOptions } from './round-robin.js'
export { topologyAware, topologyAwarePlacement, type TopologyAwareOptions } from './topology-aware.js'
export { topologyTree, topologyTreePlacement, type TopologyTreeOptions } from './topology-tree.js'
export { weighted, weightedPlacement, type WeightedOptions } from './weighted.js'
export { worstFit, worstFitPlacement } from './worst-fit.js'

export { comparators, compareNodes, type Comparator, type NodeLoad } from './node-weight/comparators.js'
export { nodeWeight, nodeWeightPlacement, type NodeWeightOptions } from './node-weight/node-weight.js'
export {
  hardwareOf,
  idleOf,
  meanUse,
  normalised,
  performanceIndex,
  roundedWeights,
  type NodeProfile,
  type Performance,
} from './node-weight/performance.js'

export {
  activities,
  communicationActivity,
  defaultThreshold,
  isActive,
  largestOf,
  shuffleVolumes,
  thresholdForActiveFraction,
  type Activity,
  type NodeAt,
  type ShuffleVolumes,
} from './bayes/activity.js'
export { bayesComm, bayesCommPolicy, type BayesCommOptions } from './bayes/bayes-comm.js'
export { BayesClassifier, type Prediction } from './bayes/classifier.js'
export { accuracyOf, confusion, crossValidate, type Confusion, type CrossValidation } from './bayes/cross-validation.js'
export { extractFeatures, type FeatureKind, type FeatureOptions } from './bayes/features.js'
export { labelled, type LabelledJobs, type LabelOptions } from './bayes/labelled.js'
export { measuredJobs, type MeasuredJob } from './bayes/measured-jobs.js'
export { bayesModelSchema, checkModel, modelText, parseModel, type BayesModel, type TrainingSummary } from './bayes/model.js'
export { shapeOf, totalTasks, type ClusterShape, type Plan } from './bayes/plan.js'
export { movedTasks, moveToRack, proportionalParts, rebalance, redeploy, type Performances, type Redeployment, type RedeployOptions } from './bayes/redeploy.js'
export { planOf, rackLayout, type RackLayout } from './bayes/rack-layout.js'
export { trainBayes, type Sample, type TrainOptions } from './bayes/train.js'

export { GoodBadClassifier, type GoodBadOptions } from './learning/good-bad.js'
export { learning, learningPolicy } from './learning/learning.js'
export type { LearningOptions } from './learning/options.js'
export { isOverloaded, type OverloadRule } from './learning/overload.js'

export { registerPlacements } from './register.js'
