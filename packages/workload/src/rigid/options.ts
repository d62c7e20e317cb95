import * as z from '@sched/bundled/zod'

const amount = z.int().min(1).max(2 ** 31 - 1)

/** Options for the size of the machine, shared by the readers of rigid jobs. */
export const machineOptions = {
  procs: amount.optional().describe('Processors of the machine. Default: as the log says, otherwise inferred from its jobs.'),
  nodes: amount.optional().describe('Nodes of the machine. Default: as the log says.'),
  unit: z.enum(['procs', 'nodes']).default('procs').describe('What jobs ask for: processors, or whole nodes (their processors, rounded up to nodes).'),
  tasks: z.enum(['one', 'each']).default('one')
    .describe('one: a job is one task with everything that it asks for, on a machine that is one node; each: a gang of one task per processor (or node, by unit), each on a node of its own, for reservations of named nodes and placements.'),
}

/** Options for gaps and contradictions in a log, shared by the readers of rigid jobs. */
export const ruleOptions = {
  missingEstimate: z.union([z.enum(['runtime', 'unknown']), z.number().min(1)]).default('runtime')
    .describe('Estimate of a job without one: runtime: its run time; unknown: none; a number: this many times its run time.'),
  overrun: z.enum(['kill', 'extend', 'keep']).default('kill')
    .describe('What to do with a run time above the estimate: kill: cut it at the estimate; extend: raise the estimate; keep: leave both.'),
  zeroRuntime: z.union([z.enum(['keep', 'skip']), z.number().positive()]).default('keep')
    .describe('What to do with a job that ran 0 s: keep it, skip it, or let it run this many seconds.'),
  unknownRuntime: z.enum(['skip', 'zero', 'estimate']).default('skip')
    .describe('What to do with a job of unknown run time: skip it; zero: it runs 0 s; estimate: it runs as long as estimated.'),
  wide: z.enum(['fail', 'skip', 'clip']).default('fail')
    .describe('What to do with a job that asks for more than the machine has: fail: it is an error; skip it; clip: cut it to the machine.'),
}

/** Options for gaps and contradictions, checked. */
export type RuleOptions = { readonly [K in keyof typeof ruleOptions]: z.output<(typeof ruleOptions)[K]> }
