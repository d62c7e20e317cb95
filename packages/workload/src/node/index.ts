export { detectFormat, openTrace, type OpenOptions } from './open-trace.js'
export { saveWorkload, type SaveOptions } from './save-workload.js'
export { swim } from './swim.js'
export { readBytes } from './read-bytes.js'
