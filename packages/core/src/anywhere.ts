import type { Constraints } from './job.js'

/** Constraints of a task that may be on any node, whatever its labels and taints: for questions about amounts alone. */
export const ANYWHERE: Constraints = { tolerations: [{ operator: 'Exists' }] }
