import type { Constraints } from './job.js'

/** Of tasks that may be on any node, whatever its labels and taints: to ask about amounts alone. */
export const ANYWHERE: Constraints = { tolerations: [{ operator: 'Exists' }] }
