import * as z from '@sched/bundled/zod'

/** How jobs of the Philly trace ask for GPUs. */
export const phillyOptions = z.strictObject({
  unit: z.enum(['device', 'task']).default('device')
    .describe('device: a job of n GPUs is a gang of n tasks with one GPU each; task: it is one task with n GPUs of one node.'),
  gpu: z.int().min(1).default(1000).describe('Amount of one GPU in the demand (gpu): 1000 for clusters with devices, 1 to count GPUs.'),
})
/** Options for the Philly trace, checked. */
export type PhillyOptions = z.output<typeof phillyOptions>

/** The stage of a job with a number of GPUs, which all start together. */
export function gpuStage(gpus: number, duration: number, { unit, gpu }: PhillyOptions) {
  if (unit === 'task') return { name: 'gpus', tasks: 1, demand: { gpu: gpus * gpu }, duration }
  return { name: 'gpus', tasks: gpus, demand: { gpu }, duration, ...(gpus > 1 && { gang: true }) }
}
