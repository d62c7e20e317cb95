export { firstFit, firstFitPlacement } from './first-fit.js'
export { randomFit, randomFitPlacement } from './random-fit.js'
export { registerPlacements } from './register.js'
