export type { GoogleTrace } from './google-trace.js'
export { machineClasses, type MachineClasses } from './machine-classes.js'
export { placeGoogle } from './prefill.js'
