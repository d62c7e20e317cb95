export { firstFit, firstFitPlacement } from './first-fit.js'
export { registerPlacements } from './register.js'
