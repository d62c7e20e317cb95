import * as z from '@sched/bundled/zod'
import { utilityNames } from './utility.js'

const limits = z.array(z.number().positive()).min(1).max(8)

export const learningOptions = z.strictObject({
  utility: z
    .enum(utilityNames)
    .default('place')
    .describe('what P(good) is multiplied by: place in the order, from 1 down in equal steps; reciprocal: 1, 1/2, 1/3, ...; age: seconds waited; equal: 1'),
  threshold: z.number().min(0).max(1).default(0.5).describe('a pair whose probability to be good is above this may be assigned'),
  smoothing: z.number().positive().default(1).describe("Laplace's: what every value of a feature counts more than it was seen"),
  decay: z.number().positive().max(1).default(1).describe('forgetting: what earlier records count after each new one; 1 forgets nothing'),
  overload: z
    .strictObject({
      cpu: z.number().positive().default(0.9).describe('more than this part of the processors is in use'),
      load: z.number().positive().default(1).describe('or more tasks work than this many per processor'),
    })
    .default({ cpu: 0.9, load: 1 })
    .describe('when the assignments of a node turn out bad'),
  jobLimits: limits.default([0.05, 0.2]).describe('limits between light, medium and heavy use of a kind of hardware by a task, as parts of what the average node has'),
  nodeLimits: limits.default([0.5, 0.8]).describe('limits between the states of a node, as parts of its processors and memory in use'),
  feedback: z.number().positive().default(3).describe('seconds after which an assignment is judged where the cluster has no heartbeats'),
  patience: z.number().positive().default(600).describe('seconds without a start after which the best job starts whatever its probability'),
})
/** Options of `learning`; all may be left out. */
export type LearningOptions = z.input<typeof learningOptions>
export type CheckedOptions = z.output<typeof learningOptions>
