import { clusterSchema } from '@sched/cluster'
import { isTimeZone } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { autoscalerSchema } from './autoscaler-schema.js'

const name = z.string().min(1)

/** A plug as a file writes it: a name, or one name with its options. What it may be is up to the registry. */
const config = z.union([name, z.record(name, z.unknown())])

const amounts = z.record(name, z.int().min(0))

/** A cluster as an experiment describes it: its nodes may be those of a file. */
const ownCluster = clusterSchema.extend({
  nodes: z
    .union([...clusterSchema.shape.nodes.options, name])
    .describe('a number of nodes, which the keys beside it describe, or groups of nodes; or the path of a file that describes or lists them, relative to this file, with `heartbeat` and the like beside it'),
}).describe('Nodes, racks, slots or resources, heartbeats and block replicas of a cluster')

const distributionsSchema = z.strictObject({
  interarrival: name.describe('path of the file with seconds between submissions, relative to this file'),
  csizes: name.describe('path of the file with tasks per job'),
  runtimes: name.describe('path of the file with run times'),
  seed: z.int().optional().describe('default: that of the run'),
  horizon: z.number().positive().optional().describe('seconds in which jobs are submitted; default one day'),
  demand: amounts.optional().describe('amounts per task, of which the files say nothing; default { cpu: 1000, mem: 2048 }'),
})

const googleSchema = z.strictObject({
  taskEvents: z.array(name).min(1).describe('paths of the parts of the task events table in their order, plain or gzip, relative to this file'),
  jobEvents: z.array(name).optional().describe('parts of the job events table, for the names of jobs'),
  machines: name.optional().describe('machine events of the trace, or a summary of them (CSV with cpu, memory, number_of_machines): the default for `cluster`'),
  maxDisorder: z.number().min(0).optional().describe('seconds by which an event may be earlier than one above it; default 0'),
  disk: z.boolean().optional().describe('whether disk requests count; default false'),
})

const runningSchema = z.strictObject({
  share: z.number().positive().default(1).describe('share of the prefilled amount that these tasks hold, relative to the others\''),
  demand: amounts.describe('amounts per task'),
  remaining: z
    .union([z.number().positive(), z.strictObject({ kind: z.literal('exponential').describe('the distribution'), mean: z.number().positive().describe('seconds') })])
    .optional()
    .describe('seconds that they still run, or their distribution; default: for ever'),
})

const prefillSchema = z
  .union([
    name,
    z.strictObject({
      from: name.optional().describe('`workload` for what the workload says (omega-cluster, a job list, Google events), or the path of a job list or cell state log'),
      tasks: z.array(runningSchema).min(1).optional().describe('kinds of tasks to fill the cell with instead'),
      utilisation: z.number().min(0).max(1).optional().describe('fraction of the scarcest resource in use: the target for drawn tasks, the most for Google events'),
    }),
  ])
  .describe('tasks that run at time 0 and belong to no job: `workload`, the path of a file, or how to fill the cell; default: none')

const estimatesSchema = z
  .union([
    z.enum(['exact', 'unknown', 'tsafrir']),
    z.number().min(1),
    z.strictObject({
      tsafrir: z.strictObject({
        maxEstimate: z.int().min(60).optional().describe('longest estimate that users may give, seconds; a run is cut at it; default: the longest run time, in whole hours'),
        maxShare: z.number().min(0).max(0.89).optional().describe('fraction of jobs that give it; default: what the model gives, some 0.22'),
        seed: z.int().optional().describe('default: that of the run'),
      }).describe('round values, drawn for each job from a model of users'),
    }),
  ])
  .describe('estimates in place of those of the workload: exact, none (unknown), so many times the run time, or as users give them (tsafrir)')

const resampleSchema = z
  .strictObject({
    users: z.number().positive().optional().describe('so many times the users of the log, and with them its load; default: 1'),
    longTerm: z.int().min(0).optional().describe('a user whose first and last jobs are at least so many periods apart is there all the time, the others come and go; default: 12'),
    period: z.number().positive().optional().describe('seconds by whose multiples jobs move; default: a week'),
    periods: z.int().min(1).optional().describe('periods of the new workload; default: as many as the log has'),
    seed: z.int().optional().describe('default: that of the run'),
  })
  .describe('the log drawn anew for every seed: each user submits the same jobs, but which users are there together is drawn; default: the log as it is')

const outageSources = [
  name,
  z.strictObject({
    mtbf: z.number().positive().describe('mean seconds from the start or a repair of a node, or a rack, to its failure, exponential'),
    mttr: z.number().positive().describe('mean seconds of a repair, exponential'),
    per: z.enum(['node', 'rack']).optional().describe('what fails and is repaired at once; default: node'),
  }),
  z.strictObject({
    file: name.describe('path of a list or log of outages'),
    origin: z
      .union([z.number(), z.string().min(1)])
      .optional()
      .describe(
        'the time of the file at which the run begins: a number, or a date such as 2024-01-31T10:00:00; default: what the file and the workload say',
      ),
  }),
] as const
const outagesSchema = z.union([...outageSources, z.array(z.union(outageSources)).min(1)])

const checkpointSchema = z
  .strictObject({
    interval: z.number().positive().optional().describe('seconds of work after which a task saves it; default: never'),
    cost: z.number().min(0).optional().describe('seconds that saving takes; default: 0'),
    whenPreempted: z.boolean().optional().describe('whether tasks that are preempted have saved all they did; default: false'),
    restore: z.number().min(0).optional().describe('seconds with which a run begins that goes on from what was saved; default: 0'),
  })
  .refine(({ interval, whenPreempted }) => interval !== undefined || whenPreempted === true, 'an interval, or whenPreempted: true')
  .describe('tasks that were lost with a node or preempted go on from what they had saved last; default: they start anew')

const badNodesSchema = z
  .strictObject({
    nodes: z.array(name).min(1).optional().describe('names of these nodes'),
    fraction: z.number().min(0).max(1).optional().describe('how many of all nodes; the seed says which; instead of nodes'),
    probability: z.number().min(0).max(1).optional().describe('of each attempt of a task there to fail, besides failures that it has anywhere'),
    mtbf: z.number().positive().optional().describe('mean seconds that a task runs there to its failure, exponential; instead of probability'),
  })
  .refine(({ nodes, fraction }) => (nodes === undefined) !== (fraction === undefined), 'either nodes or a fraction')
  .refine(({ probability, mtbf }) => (probability === undefined) !== (mtbf === undefined), 'either probability or mtbf')
  .describe('nodes on which tasks fail more often; default: none')
const failuresSchema = z
  .strictObject({
    probability: z.number().min(0).lt(1).optional().describe('of each attempt of a task to fail, at a time that is uniform over its run'),
    mtbf: z.number().positive().optional().describe('mean seconds that a task runs from its start or its last failure to the next, exponential; instead of probability'),
    maxAttempts: z.int().min(1).optional().describe('failures of one task with which its job is given up; default: 4'),
    badNodes: badNodesSchema.optional(),
  })
  .refine(({ probability, mtbf, badNodes }) => (probability === undefined) !== (mtbf === undefined) || (probability === undefined && badNodes !== undefined), 'either probability or mtbf, or badNodes')
  .describe('tasks that fail by themselves and start anew, with the rest of their gangs; default: none does')

const fraction = z.number().min(0).max(1).optional()
const atLeastZero = z.number().min(0).optional()
const failuresOn = z.int().min(1).optional()
const avoidRules = z.discriminatedUnion('rule', [
  z.strictObject({
    rule: z.literal('hadoop').describe('of Hadoop 2 and 3: a job avoids nodes on which tasks of it have failed'),
    failures: failuresOn.describe('failures of a job on a node with which the job avoids it; default 3'),
    ignoreThreshold: z.int().min(-1).max(100).optional().describe('percentage of the nodes: a job that would avoid as many avoids none; -1: it always does; default 33'),
  }),
  z.strictObject({
    rule: z.literal('hadoop1').describe('of Hadoop 0.20: a task avoids nodes where it has failed, a job those where several have, and all jobs those that several jobs have avoided'),
    failures: failuresOn.describe('failures of a job on a node with which the job avoids it; default 4'),
    mostOfJob: fraction.describe('fraction of the nodes: a job that would avoid as many avoids none; default 0.25'),
    blacklists: failuresOn.describe('jobs that have avoided a node and succeeded; default 4'),
    aboveMean: atLeastZero.describe('by which part it must be above the mean of the nodes in that; default 0.5'),
    mostOfCluster: fraction.describe('fraction of the nodes from which on all jobs avoid no more; default 0.5'),
    forgivenAfter: z.number().positive().optional().describe('seconds after which a node is forgiven one such job and used again; default 86400'),
  }),
  z.strictObject({
    rule: z.literal('spark').describe('of Spark: a task avoids nodes where it has failed, a stage those where several of its tasks have, and a job those where tasks of stages that are done have'),
    task: failuresOn.describe('failures of a task on a node; default 1'),
    stage: failuresOn.describe('tasks of a stage that have failed on a node; default 2'),
    application: failuresOn.describe('tasks of stages that are done and had failed on a node; default 2'),
    timeout: z.number().positive().optional().describe('seconds for which a job avoids a node; default 3600'),
    abortAfter: z.number().positive().optional().describe('seconds after which a job fails of which a task has no node left; default 120'),
  }),
  z.strictObject({
    rule: z.literal('drain').describe('a node on which tasks, of any jobs, have failed is drained for a time'),
    failures: failuresOn.describe('failures on a node with which it is drained; default 3'),
    within: z.number().positive().optional().describe('seconds in which these happen; default 3600'),
    time: z.number().positive().optional().describe('seconds for which it is drained; default 3600'),
    most: fraction.describe('fraction of the nodes from which on no more are drained; default 0.5'),
  }),
])
const avoidSchema = z
  .union([z.enum(['hadoop', 'hadoop1', 'spark', 'drain']), avoidRules])
  .describe('which nodes are avoided after tasks have failed there: the name of a rule, or { rule, ... } with its limits; default: none is')

const stagesToCopy = z.array(name).min(1).optional().describe('names of the stages of which tasks may be copied, for example [map]; default: all but masters')
const ruleSchema = z.discriminatedUnion('rule', [
  z.strictObject({
    rule: z.literal('hadoop').optional().describe('of Hadoop 2 and 3, the default: the task that a new attempt would gain most for'),
    stages: stagesToCopy,
    runningCap: fraction.describe('most copies of a stage at once, as a fraction of its running tasks; the largest of this and the two below counts; default 0.1'),
    totalCap: fraction.describe('the same as a fraction of all its tasks; default 0.01'),
    minimum: z.int().min(0).optional().describe('the same as a number; default 10'),
    retry: z.number().positive().optional().describe('seconds between two looks at the tasks of a job; default 1'),
    retryAfterCopy: z.number().positive().optional().describe('the same after a look that has found a task to copy; default 15'),
  }),
  z.strictObject({
    rule: z.literal('late').describe('LATE: the slow tasks with the longest time left, on nodes that are not slow'),
    stages: stagesToCopy,
    cap: fraction.describe('most copies at once in the cluster, as a fraction of its slots; default 0.1'),
    slowNode: fraction.describe('nodes below this percentile of progress run no copies; default 0.25'),
    slowTask: fraction.describe('only tasks below this percentile of progress rates are copied; default 0.25'),
    minRunTime: atLeastZero.describe('seconds that a task must have run; default 60'),
    interval: z.number().positive().optional().describe('seconds between two looks at the tasks of a job; default 3'),
  }),
  z.strictObject({
    rule: z.literal('hadoop1').describe('of Hadoop 0.20 and 1: tasks that are far behind the mean progress of their stage'),
    stages: stagesToCopy,
    gap: fraction.describe('how far behind the mean progress; default 0.2'),
    minAge: atLeastZero.describe('seconds since the job was submitted; default 60'),
    interval: z.number().positive().optional().describe('seconds between two looks at the tasks of a job; default 3'),
  }),
  z.strictObject({
    rule: z.literal('spark').describe('of Spark 4: tasks that run longer than a multiple of the median time'),
    stages: stagesToCopy,
    multiplier: atLeastZero.describe('that multiple; default 3'),
    quantile: fraction.describe('fraction of the tasks of a stage that must be done; default 0.9'),
    minRunTime: atLeastZero.describe('seconds that a task must have run longer than; default 0.1'),
    longerThan: z.number().positive().optional().describe('seconds: before enough are done, tasks that run longer than this are copied, too, in stages that one node could run at once; default: none is'),
    interval: z.number().positive().optional().describe('seconds between two looks; default 0.1'),
  }),
])
const speculationSchema = z
  .union([z.literal(true), z.enum(['hadoop', 'hadoop1', 'late', 'spark']), ruleSchema])
  .describe('slow tasks are copied, and the first attempt to be done counts: true, as Hadoop does it, or the name of a rule, or { rule, ... } with its limits; default: none is')

const matrixSchema = z
  .record(name, z.union([z.array(z.unknown()).min(1), z.record(name, z.record(name, z.unknown()))]))
  .describe('what `sched sweep` varies: a path in this file with a list of values, or any name with settings by label, each { path: value, ... }')

/** Other words for a trace. */
const traceWords = ({ code, keys, input }: { readonly code?: string; readonly keys?: readonly string[]; readonly input?: unknown }): string | undefined => {
  const [key = ''] = keys ?? []
  return code === 'unrecognized_keys' && /^(file|path|log|source)$/i.test(key)
    ? `A trace is named by trace: ${String((input as Readonly<Record<string, unknown>>)[key])}`
    : undefined
}

const workloadSchema = z
  .strictObject({
    trace: name.optional().describe('path of a trace file, relative to this file'),
    format: name.optional().describe('format of the trace; default: found out from its content'),
    options: z.record(name, z.unknown()).optional().describe('options of the format, for example the rate model of SWIM'),
    onBadLine: z.enum(['fail', 'skip']).optional().describe('a line that cannot be used: fail (default), or skip, count and report it'),
    generate: config.optional().describe('a generator instead of a trace: its name, or its name with options; its seed follows that of the run unless given'),
    distributions: distributionsSchema.optional().describe('jobs drawn from the distribution files of the Omega authors\' simulator instead'),
    google: googleSchema.optional().describe('event tables of Google\'s ClusterData 2011 or 2019 instead'),
    window: z
      .strictObject({ from: z.number().min(0).default(0).describe('seconds'), to: z.number().positive().describe('seconds; what is submitted from then on is left out') })
      .refine(({ from, to }) => from < to, 'an end after the start')
      .optional()
      .describe('only the jobs submitted in [from, to) seconds, with `from` as the new time 0'),
    take: z.int().min(1).optional().describe('only the first jobs (of the window)'),
    feedback: z
      .strictObject({ within: z.number().min(0).optional().describe('seconds after an end within which a submission answers to it; default: 1200') })
      .optional()
      .describe('users answer to the ends of their jobs: a log\'s submissions that followed an end follow it here, too, earlier or later; default: all are when the log says'),
    resample: resampleSchema.optional(),
    load: z.number().min(1e-6).optional().describe('divide the gaps between submissions by this number'),
    estimates: estimatesSchema.optional(),
    timeZone: name
      .refine(isTimeZone, 'a time zone, for example Europe/Stockholm')
      .optional()
      .describe('time zone of the place that a log is of, for calendars of policies (PriorityUsageResetPeriod of Slurm), where its times are seconds since 1970; default: what an SWF log says (TimeZoneString), otherwise UTC. Times without a zone, as `sacct` prints them, are of clocks there already'),
    queueNames: z
      .record(name, name)
      .optional()
      .describe('other names of the queues of jobs, for queue files that call them otherwise: { partition001: short }; `*` stands for all that are not named; before queueMix'),
    queueMix: z
      .record(name, z.number().min(0))
      .refine((weights) => Object.values(weights).some((weight) => weight > 0), 'a weight above 0')
      .optional()
      .describe('queues of jobs that name none, each drawn in proportion to these weights: { prod: 70, adhoc: 30 }'),
    masters: z
      .strictObject({
        demand: z
          .record(name, z.int().min(0))
          .refine((demand) => Object.values(demand).some((amount) => amount > 0), 'an amount above 0')
          .describe('what each asks for, by resource'),
        startup: z.number().min(0).optional().describe('seconds from its start until the tasks of its job may start; default 0'),
      })
      .optional()
      .describe("a master for each job, as YARN's application masters: it runs before the job's tasks start and until the last of them has ended"),
  }, { error: traceWords })
  .describe('A trace or a generator, and what is changed about it')

const networkSchema = z.union([
  z.literal(true),
  z.strictObject({
    intra: z.number().positive().optional().describe("bytes per second of a node's link, each way; default 125e6, 1 Gbit/s"),
    cross: z.number().positive().optional().describe("bytes per second of a rack's uplink for each node of the rack, each way; default a quarter of intra"),
    overlap: z.boolean().optional().describe('tasks fetch what is ready while the stage they fetch from still runs; default: they wait for its end'),
  }),
])

const runtimeSchema = z
  .strictObject({
    localityFactors: z.array(z.number().positive()).min(1).optional().describe('slow-down by distance of the data: node, rack, ..., anywhere; default 1, 1.7, 2; of rigid jobs 1'),
    jitter: z.number().min(0).lt(1).optional().describe('task times vary uniformly by this fraction; default 0.1; of rigid jobs and recorded run times 0'),
    stragglers: z
      .strictObject({
        fraction: z.number().min(0).max(1).describe('of the tasks, drawn one by one'),
        factor: z.number().min(1).describe('how many times longer each of them takes'),
      })
      .optional()
      .describe('tasks that take longer than they should, wherever they run; default none'),
    contention: z
      .boolean()
      .optional()
      .describe(
        "tasks that use more of a node's `hardware` than there is slow each other down; default true, of no effect where the cluster describes none",
      ),
    network: networkSchema.optional().describe('the network over which stages with a `shuffle` fetch: true, or its bandwidths; default none: fetching takes no time'),
  })
  .describe('How long a task takes where it was placed')

const trimSchema = z.union([z.number().min(0).lt(1), z.strictObject({ seconds: z.number().min(0).describe('length of the period') })])
const limitsSchema = z.array(z.number().positive()).min(1)

const metricsSchema = z
  .strictObject({
    classes: z
      .union([z.enum(['label', 'size', 'queue', 'placed', 'user']), z.array(z.int().min(1)).min(1)])
      .optional()
      .describe('classes of jobs in tables: label (of the workload), queue (that a job asks for), placed (the queue that rules put it in), user, size (the bins of Facebook jobs), or ascending limits of the number of tasks; default: label, with queue files the queue'),
    exact: z.int().min(1).optional().describe('values up to which percentiles are exact; default 100000'),
    tau: z.number().positive().optional().describe('bound of the bounded slowdown, seconds; default 10'),
    samples: z.int().min(2).max(10_000).optional().describe("samples over time of every node's use of its hardware, at most so many, in the JSON of each run; default none"),
    warmUp: trimSchema.optional().describe('jobs at the start that do not count: a fraction of the jobs, or { seconds } from the first submission; default none'),
    coolDown: trimSchema.optional().describe('jobs at the end that do not count: a fraction of the jobs, or { seconds } before the last submission; default none'),
    more: z.array(config).min(1).optional().describe('metrics of plug-ins, each by its name or its name with options, whose figures stand beside the others; default none'),
    rigid: z.boolean().optional().describe('figures of rigid jobs: queue, loss of capacity, backfilled jobs, sizes, lengths, users; default: for workloads of such jobs'),
    sizes: limitsSchema.optional().describe('ascending limits of the classes of rigid jobs by processors; default 1, 8, 32'),
    lengths: limitsSchema.optional().describe('ascending limits of the classes of rigid jobs by run time, seconds; default 600, 3600, 28800'),
  })
  .describe('What is reported')

/** An experiment as a file describes it: everything that its results depend on. */
export const experimentSchema = z
  .strictObject({
    name: name.optional().describe('for reports'),
    plugins: z.array(name).optional().describe('modules whose default export is a plug-in: paths relative to this file, or packages'),
    seed: z.int().min(0).optional().describe('the first seed; default 1'),
    seeds: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe('number of seeds that policies are compared on: seed, seed + 1, ...; default 5; 1 for a log of rigid jobs, where nothing is drawn'),
    cluster: z
      .union([name, ownCluster])
      .optional()
      .describe('a cluster, or the path of a file that describes one, relative to this file; default: that of the workload, if it has one (omega-example, omega-cluster, distributions, google with machines, logs of parallel machines, lublin, generators of plug-ins that name one)'),
    workload: workloadSchema,
    prefill: prefillSchema.optional(),
    outages: outagesSchema.optional().describe('nodes that go and come back: the path of a list (CSV with node, from, to and kind: failure or drain; seconds from the start) or of a log of Slurm, Google, Batsim or the Failure Trace Archive, { file, origin }, or { mtbf, mttr, per } for failures that are drawn; or several of these; default: all stay'),
    checkpoint: checkpointSchema.optional(),
    failures: failuresSchema.optional(),
    avoid: avoidSchema.optional(),
    autoscaler: autoscalerSchema.optional(),
    speculation: speculationSchema.optional(),
    matrix: matrixSchema.optional(),
    policies: z
      .array(z.union([config, z.strictObject({ name, policy: config, schedulers: z.record(name, config).optional() })]))
      .min(1)
      .optional()
      .describe('policies to compare, the first is the baseline: names, names with options, or { name, policy } to choose a name; there `schedulers` gives some schedulers of the architecture, by name or kind, policies of their own'),
    policy: config.optional().describe('the policy that `sched run` runs; default: the first of `policies`'),
    queues: z
      .union([name, z.array(name).min(1)])
      .optional()
      .describe('queue files of YARN (fair-scheduler.xml, capacity-scheduler.xml), Slurm (slurm.conf, with what sacctmgr prints: slurm.conf+accounts.cfg+qos.txt), Kueue, KAI and Volcano (manifests), YuniKorn (queues.yaml), Spark (fairscheduler.xml, with a spark-defaults.conf: fairscheduler.xml+spark-defaults.conf), OpenPBS (what qmgr prints, with a sched_config, holidays and a resource_group: server.qmgr+sched_config+holidays+resource_group) and kube-scheduler (its configuration, with PriorityClasses), relative to this file: each is a policy, before those of `policies`'),
    yarnSite: name.optional().describe('a yarn-site.xml with what it says of the scheduler of `queues`, relative to this file; further files, joined by +, add to it, as a resource-types.xml'),
    architecture: config.optional().describe('default monolithic'),
    runtime: runtimeSchema.optional(),
    commitPendingBug: z.boolean().optional().describe('Hadoop\'s: a finished task stops counting as running one heartbeat before its slot is free; default false'),
    infeasible: z.enum(['fail', 'reject']).optional().describe('a job with a task larger than every node: fail (default), or reject and go on'),
    passPerEvent: z
      .enum(['submits-first', 'ends-first'])
      .optional()
      .describe('a pass of the scheduler after every single event, submissions or ends first in an instant, as some published simulators do; default: one pass per instant, after all its events'),
    until: z.number().positive().optional().describe('end of the simulated time, seconds; default: when all jobs have ended'),
    validate: z.boolean().optional().describe('check every conservation law while running; slow; default false'),
    metrics: metricsSchema.optional(),
  })
  .describe('An experiment of sched: a cluster, a workload and scheduling policies')

export type ExperimentInput = z.input<typeof experimentSchema>
export type ExperimentSpec = z.output<typeof experimentSchema>
export type TrimSpec = z.output<typeof trimSchema>
export type EstimatesSpec = z.output<typeof estimatesSchema>
export type WorkloadSpec = z.output<typeof workloadSchema>
export type PrefillSpec = NonNullable<ExperimentSpec['prefill']>
