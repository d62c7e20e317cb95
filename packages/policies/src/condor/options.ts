import * as z from '@sched/bundled/zod'

const factor = z.number().min(1)

const requirements = z.strictObject({
  RemoteUserPrio: z.number().nonnegative().optional().describe('the effective priority of the user who runs must be more than so many times that of the one who waits'),
  StateTimer: z.number().nonnegative().optional().describe('the node must have been claimed for more than so many seconds'),
  SameGroup: z.boolean().default(false).describe('whether both users must be of the same accounting group (SubmitterGroup =?= RemoteGroup)'),
})

const rankRule = z.strictObject({
  rank: z.number().describe('what is added'),
  users: z.array(z.string()).optional().describe('users, of jobs with an account account.user; default: all'),
  accounts: z.array(z.string()).optional().describe('accounts of jobs, with those inside; default: all'),
  nodes: z.array(z.string()).optional().describe('names of nodes; default: all'),
  labels: z.record(z.string(), z.string()).optional().describe('labels that nodes must have'),
})

export const negotiatorOptions = z.strictObject({
  NEGOTIATOR_INTERVAL: z.number().positive().default(60).describe('seconds from one negotiation cycle to the next; with heartbeats each is a cycle of its node'),
  NEGOTIATOR_CYCLE_DELAY: z.number().nonnegative().default(20).describe('fewest seconds between two cycles: a job that comes asks for one, which begins as soon as this allows'),
  NEGOTIATOR_CONSIDER_PREEMPTION: z
    .boolean()
    .default(true)
    .describe('whether jobs may be preempted, by PREEMPTION_REQUIREMENTS and RANK; and users of whom jobs run and none waits have slices, too, when slices are first cut in a cycle'),
  PREEMPTION_REQUIREMENTS: z
    .union([z.boolean(), requirements])
    .default(false)
    .describe('when a job may take the place of one of another user: never (false), always (true), or where all of this holds; { RemoteUserPrio: 1.2, StateTimer: 3600 } is usual'),
  RANK: z
    .array(rankRule)
    .default([])
    .describe('which jobs nodes prefer: ranks of the rules that name node and user are added. A job goes where its rank is higher first, and takes the place of one with a lower rank there, whatever PREEMPTION_REQUIREMENTS says'),
  MAXJOBRETIREMENTTIME: z.number().nonnegative().default(0).describe('seconds for which a job runs before it may be preempted'),
  ALLOW_PSLOT_PREEMPTION: z.boolean().default(false).describe('whether a job may take the place of several on a node, together with what is free there; without, of one that holds as much as it asks for'),
  NEGOTIATOR_PRE_JOB_RANK: z
    .strictObject({
      Rank: z.number().default(10_000_000).describe('times the rank that the machine gives the job (RANK)'),
      Unclaimed: z.number().default(1_000_000).describe('where nobody has to go (RemoteOwner =?= UNDEFINED)'),
      free: z.record(z.string(), z.number()).describe('times what is offered of each resource; of HTCondor { cpu: -100000, mem: -1 }, in processors and MB'),
    })
    .optional()
    .describe('sum by which the best node is chosen; default: rank, nobody has to go, least slot weight, and least of each other resource, one after the other'),
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
  CONCURRENCY_LIMIT: z
    .record(z.string(), z.number().nonnegative())
    .default({})
    .describe('concurrency limits by name (XSW_LIMIT is { xsw: ... }): so many of a licence may jobs hold at once that ask for it'),
  CONCURRENCY_LIMIT_DEFAULT: z.number().nonnegative().default(2_308_032).describe('the limit of each name that is not named'),
  CONCURRENCY_LIMIT_DEFAULTS: z
    .record(z.string(), z.number().nonnegative())
    .default({})
    .describe('the same by what stands before the last dot of a name (CONCURRENCY_LIMIT_DEFAULT_large is { large: ... }, for large.light)'),
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
