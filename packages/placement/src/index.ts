export { firstFit, firstFitPlacement } from './first-fit.js'
