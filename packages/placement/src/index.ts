export { bestFit, bestFitPlacement } from './best-fit.js'
export { dotProduct, dotProductPlacement } from './dot-product.js'
export { firstFit, firstFitPlacement } from './first-fit.js'
export { locality, localityPlacement } from './locality.js'
export { pack, packPlacement, spread, spreadPlacement } from './pack-spread.js'
export { randomFit, randomFitPlacement } from './random-fit.js'
export { roundRobin, roundRobinPlacement } from './round-robin.js'
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

export { registerPlacements } from './register.js'
