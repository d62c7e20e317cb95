import type { Registry } from '@sched/core'
import { bayesCommPolicy } from './bayes/bayes-comm.js'
import { bestFitPlacement } from './best-fit.js'
import { dotProductPlacement } from './dot-product.js'
import { firstFitPlacement } from './first-fit.js'
import { hybridPlacement } from './hybrid.js'
import { kaiScoresPlacement } from './kai-scores.js'
import { kubeScoresPlacement } from './kube-scores.js'
import { learningPolicy } from './learning/learning.js'
import { localityPlacement } from './locality.js'
import { nodeSortPlacement } from './node-sort.js'
import { nodeUsagePlacement } from './node-usage.js'
import { nodeWeightPlacement } from './node-weight/node-weight.js'
import { packPlacement, spreadPlacement } from './pack-spread.js'
import { placementSetsPlacement } from './placement-sets/placement-sets.js'
import { randomFitPlacement } from './random-fit.js'
import { roundRobinPlacement } from './round-robin.js'
import { topologyAwarePlacement } from './topology-aware.js'
import { topologyTreePlacement } from './topology-tree.js'
import { weightedPlacement } from './weighted.js'
import { worstFitPlacement } from './worst-fit.js'

/** Adds all placements and policies of this package to a registry. */
export const registerPlacements = (registry: Registry): Registry =>
  registry
    .add(firstFitPlacement)
    .add(bestFitPlacement)
    .add(worstFitPlacement)
    .add(randomFitPlacement)
    .add(roundRobinPlacement)
    .add(hybridPlacement)
    .add(localityPlacement)
    .add(packPlacement)
    .add(spreadPlacement)
    .add(dotProductPlacement)
    .add(weightedPlacement)
    .add(nodeUsagePlacement)
    .add(nodeSortPlacement)
    .add(nodeWeightPlacement)
    .add(kaiScoresPlacement)
    .add(kubeScoresPlacement)
    .add(topologyTreePlacement)
    .add(topologyAwarePlacement)
    .add(placementSetsPlacement)
    .add(bayesCommPolicy)
    .add(learningPolicy)
