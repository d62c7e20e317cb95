import * as z from '@sched/bundled/zod'

const factor = z.number().min(1)

export const negotiatorOptions = z.strictObject({
  NEGOTIATOR_INTERVAL: z.number().positive().default(60).describe('seconds from one negotiation cycle to the next; with heartbeats each is a cycle of its node'),
  NEGOTIATOR_CYCLE_DELAY: z.number().nonnegative().default(20).describe('fewest seconds between two cycles: a job that comes asks for one, which begins as soon as this allows'),
  NEGOTIATOR_CONSIDER_PREEMPTION: z
    .boolean()
    .default(true)
    .describe('whether users of whom jobs run and none waits have slices, too, when slices are first cut in a cycle. Nothing is preempted, as with PREEMPTION_REQUIREMENTS = False'),
  PRIORITY_HALFLIFE: z.number().positive().default(86_400).describe('seconds in which the real priority of a user comes half as near to what the user holds'),
  DEFAULT_PRIO_FACTOR: factor.default(1000).describe('priority factor of each user who is not named'),
  PriorityFactor: z.record(z.string(), factor).default({}).describe('priority factors by user (condor_userprio -setfactor), of a job with an account by account.user: twice the factor, half the slice'),
  SLOT_WEIGHT: z
    .record(z.string(), z.number().nonnegative())
    .optional()
    .describe('what counts as used: weights by resource, { cpu: 1 }; default: 1 for the resource called slots, or the first. A real priority is at least 0.5 of it'),
  CONSUMPTION_POLICY: z
    .boolean()
    .default(false)
    .describe('whether a match counts what the job asks for, and the rest of the node stays on offer. Without, it counts all that is free on the node, and no other user is offered that node in this cycle'),
  CLAIM_PARTITIONABLE_LEFTOVERS: z.boolean().default(true).describe('without CONSUMPTION_POLICY: whether further jobs of the same user start at once on the node of a match'),
  CLAIM_WORKLIFE: z
    .number()
    .default(1200)
    .describe('seconds after which a claim takes no more jobs; until then the next job of the same user that asks for the same starts where one ends. 0: each job needs a match; below 0: no limit'),
  GROUP_NAMES: z.array(z.string()).default([]).describe('accounting groups, of jobs with such an account: physics, and inside of it physics.lab'),
  GROUP_QUOTA: z.record(z.string(), z.number().nonnegative()).default({}).describe('quotas of groups in slot weight'),
  GROUP_QUOTA_DYNAMIC: z.record(z.string(), z.number().min(0).max(1)).default({}).describe('quotas of groups as parts of what static quotas leave to the group above'),
  GROUP_ACCEPT_SURPLUS: z
    .union([z.boolean(), z.record(z.string(), z.boolean())])
    .default(false)
    .describe('whether groups take what others leave of their quotas: all, or by group'),
  GROUP_AUTOREGROUP: z.boolean().default(false).describe('whether users of groups are offered what is left when all groups have had their turn, together with users of no group'),
})
/** Options of `negotiator`, under the names of HTCondor's configuration; all may be left out. */
export type NegotiatorOptions = z.input<typeof negotiatorOptions>
export type NegotiatorSettings = z.output<typeof negotiatorOptions>
