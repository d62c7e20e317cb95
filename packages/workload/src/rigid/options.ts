import * as z from '@sched/bundled/zod'

const amount = z.int().min(1).max(2 ** 31 - 1)

/** Options for the size of the machine, shared by the readers of rigid jobs. */
export const machineOptions = {
  procs: amount.optional().describe('Processors of the machine; default: what the log says, otherwise inferred from its jobs.'),
  nodes: amount.optional().describe('Nodes of the machine; default: what the log says.'),
  unit: z.enum(['procs', 'nodes']).default('procs').describe('What jobs ask for: processors, or whole nodes (their processors rounded up to nodes).'),
  tasks: z.enum(['one', 'each']).default('one')
    .describe('one: a job is one task with all it asks for, on a machine that is one node; each: a gang of one task per processor (per node, by unit), each on a node of its own, for reservations of named nodes and placements.'),
}

/** Options for gaps and contradictions in a log, shared by the readers of rigid jobs. */
export const ruleOptions = {
  missingEstimate: z.union([z.enum(['runtime', 'unknown']), z.number().min(1)]).default('runtime')
    .describe('Estimate of a job without one: its run time, none, or a factor times its run time.'),
  overrun: z.enum(['kill', 'extend', 'keep']).default('kill')
    .describe('A run time above the estimate is cut at it (kill), or raises it (extend), or both stay (keep).'),
  zeroRuntime: z.union([z.enum(['keep', 'skip']), z.number().positive()]).default('keep')
    .describe('A job that ran 0 s is kept, left out, or runs this many seconds.'),
  unknownRuntime: z.enum(['skip', 'zero', 'estimate']).default('skip')
    .describe('A job of unknown run time is left out, runs 0 s, or as long as estimated.'),
  wide: z.enum(['fail', 'skip', 'clip']).default('fail')
    .describe('A job that asks for more than the machine has is an error, is left out, or is cut to the machine.'),
}

/** Options for gaps and contradictions, checked. */
export type RuleOptions = { readonly [K in keyof typeof ruleOptions]: z.output<(typeof ruleOptions)[K]> }
