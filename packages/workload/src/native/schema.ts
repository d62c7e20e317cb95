import { isTimeZone, type Constraints, type DataSpec, type DisruptionBudget, type JobEvent, type JobSpec, type RecordedRun, type StageSpec, type Topology } from '@sched/core'
import * as z from '@sched/bundled/zod'
import type { Machine } from '../trace/facts.js'
import { termSchema } from './node-terms.js'
import { placementRuleSchema, tagsSchema } from './placement-rules.js'

/** Name of the format, in the first line of a native file. */
export const nativeFormat = 'sched-workload'
/** Version of the format, in the first line of a native file. */
export const nativeVersion = 1

// z.number() refuses NaN and Infinity; above 2^53 a double cannot represent all integers
const number = z.number().max(Number.MAX_SAFE_INTEGER)
const atLeastZero = number.min(0)
const name = z.string().min(1)

/** Demand of a task: at least one amount above 0. */
export const demandSchema = z.record(name, z.int().min(0))
  .refine((demand) => Object.values(demand).some((amount) => amount > 0), 'an amount above 0 of at least one resource')
  .describe('Amounts per task by resource name, in the unit of the resource.')

/** A distribution of durations, drawn by the run. */
export const distributionSchema = z.union([
  z.strictObject({
    kind: z.literal('exponential').describe('Exponential with this mean, plus `shift`.'),
    mean: atLeastZero.describe('Mean of the exponential part, seconds.'),
    shift: atLeastZero.exactOptional().describe('Seconds added to it. Default 0.'),
  }),
  z.strictObject({ kind: z.literal('uniform').describe('Uniform between `min` and `max`.'), min: atLeastZero.describe('Shortest duration, seconds.'), max: atLeastZero.describe('Longest duration, seconds.') })
    .refine(({ min, max }) => min <= max, 'min to be at most max'),
])

const durationSchema = z.union([atLeastZero, z.array(atLeastZero).min(1), distributionSchema])
  .describe('Seconds on a node of speed 1 with the data on the node: one number for all tasks, one per task, or a distribution from which the run draws.')

/** The blocks that a stage reads. */
export const dataSchema = z.strictObject({
  set: name.exactOptional().describe('Name of a set of blocks that all stages with this name share. Default: the blocks are the job\'s own.'),
  first: z.int().min(0).exactOptional().describe('Task i reads block first + i of the set.'),
  hosts: z.array(z.array(z.string())).exactOptional().describe('Names of the nodes that hold each task\'s block.'),
}) satisfies z.ZodType<DataSpec>

const topologySchema = z.strictObject({
  required: z.int().min(0).exactOptional().describe('All tasks are in one group of nodes of this level, and wait for one with room: 0 is one node, 1 a rack, 2 the next larger group.'),
  preferred: z.int().min(0).exactOptional().describe('All tasks are in one group of this level if one has room, otherwise in one of the next level, and so on up to `required`; without `required`, at last anywhere.'),
  racks: z.int().min(1).exactOptional().describe('The tasks are in at most this many racks, and wait for that (--switches).'),
  segment: z.int().min(1).exactOptional().describe('The tasks are in parts of this many nodes, each part in one block, for schedulers that keep jobs in blocks (--segment).'),
  slices: z.array(z.strictObject({
    level: z.int().min(0).describe('Level of the group: 0 is one node, 1 a rack.'),
    size: z.int().min(1).describe('Number of tasks.'),
  })).min(1).exactOptional().describe('The tasks of a stage are in slices of `size` tasks, each slice in one group of `level`, and wait for that; the outermost first. For topology-aware (podset-slice-size).'),
  wait: atLeastZero.exactOptional().describe('Seconds from the submission for which the job waits for `required`, `racks` or `slices`; after that it may go anywhere. Default: for ever.'),
}).refine(({ required, preferred, racks, segment, slices }) => [required, preferred, racks, segment, slices].some((each) => each !== undefined), '`required`, `preferred`, `racks`, `segment` or `slices`') satisfies z.ZodType<Topology>

const effect = z.enum(['NoSchedule', 'NoExecute', 'PreferNoSchedule'])
/** A toleration of taints. */
export const tolerationSchema = z.strictObject({
  key: name.exactOptional().describe('Key of the taints. Default: any.'),
  operator: z.enum(['Equal', 'Exists', 'Gt', 'Lt']).exactOptional().describe('How the value of the taints compares with `value`. Default: Equal.'),
  value: z.string().exactOptional().describe('Value to compare with; not used with Exists.'),
  effect: effect.exactOptional().describe('Effect of the taints. Default: any.'),
})

/** Where tasks may run. */
export const constraintsSchema = z.strictObject({
  require: z.record(name, z.union([z.string(), z.array(z.string()).min(1)])).exactOptional()
    .describe('Labels that a node must have, each with this value or one of these values: { "model": ["T4", "P100"] }. A key "a|b" stands for either label.'),
  nodeSelectorTerms: z.array(termSchema).exactOptional()
    .describe('Terms of which at least one must hold, with all its requirements; as in the required node affinity of Kubernetes.'),
  tolerations: z.array(tolerationSchema).exactOptional()
    .describe('Taints that the tasks tolerate, as in Kubernetes: { "key": "nvidia.com/gpu", "operator": "Exists" }.'),
  alike: z.array(name).min(1).exactOptional().describe('Labels of which all nodes of a gang must have the same one, under `replan` with named nodes; * stands for any nodes.'),
  distinctNodes: z.boolean().exactOptional().describe('No two running tasks of the job share a node, among the stages that set this.'),
}) satisfies z.ZodType<Constraints>

/** A stage of a job line. */
export const stageSchema = z.strictObject({
  name: name.describe('Name for reports, for example map.'),
  tasks: z.int().min(1).describe('Number of tasks.'),
  demand: demandSchema,
  duration: durationSchema,
  after: z.array(z.strictObject({
    stage: z.int().min(0).describe('Index of an earlier stage, from 0.'),
    fraction: number.min(0).max(1).describe('Fraction of its tasks that must have ended, 0 to 1.'),
  })).exactOptional()
    .describe('Earlier stages, by index from 0, of which a fraction of the tasks must have ended.'),
  data: dataSchema.exactOptional().describe('The blocks that the stage reads, one per task.'),
  localityFactors: z.array(number.positive()).min(1).exactOptional()
    .describe('Slow-down factors by locality level: node, rack, ..., anywhere.'),
  bytesIn: atLeastZero.exactOptional().describe('Bytes that all its tasks read.'),
  bytesOut: atLeastZero.exactOptional().describe('Bytes that all its tasks write.'),
  constraints: constraintsSchema.exactOptional().describe('Where the tasks may run, whatever the policy.'),
  topology: topologySchema.exactOptional().describe('How near its tasks must be to each other; replaces the topology of the job. Each other stage is then placed on its own, too.'),
  tags: tagsSchema.exactOptional().describe('Tags of its tasks, by which rules select them: { "app": "web" }. They are added to the job\'s tags, and replace those of the same name.'),
  placementRules: z.array(placementRuleSchema).exactOptional().describe('Rules about where its tasks run relative to each other and to tasks of other jobs; replace the job\'s rules.'),
  use: z.record(name, atLeastZero).exactOptional().describe('What a task really uses of its node while it runs alone there: { "cores": 0.9, "disks": 0.3 }.'),
  shuffle: z.strictObject({ from: z.int().min(0).describe('Index of the earlier stage, from 0.'), bytes: atLeastZero.describe('Bytes that all tasks fetch together.') }).exactOptional()
    .describe('What the tasks fetch from the tasks of an earlier stage before they work.'),
  gang: z.boolean().exactOptional().describe('All tasks start together or none does; see `gang` of the job.'),
  minTasks: z.int().min(1).exactOptional().describe('For a gang, the fewest tasks that start together and keep running; the others follow one by one. Default: all.'),
  optionalGroup: name.exactOptional()
    .describe('In a job that is one gang: name of a group of stages that the gang does without. They start together when the gang runs, and stop together. Not of the first stage.'),
  minNonPreemptible: z.int().min(0).exactOptional()
    .describe('Of a job with `preemptible` semi: so many tasks of the stage may not be preempted. Default, and the least of a gang that is not optional: the fewest that start together.'),
  estimate: atLeastZero.exactOptional()
    .describe('The user\'s estimate of the run time of its tasks, seconds, in a job that is one gang. Default: that of the job, which is the longest of its stages.'),
  partition: name.exactOptional().describe('Partition on whose nodes its tasks run, if it is not the job\'s.'),
  master: z.boolean().exactOptional()
    .describe('Whether this is the job\'s master: the first stage, of one task. The others open `duration` seconds after it has started, and it runs until all of them have ended.'),
  phases: z.array(z.strictObject({ activities: z.int().min(1).describe('Number of activities.'), time: number.positive().describe('Mean time of one activity, seconds.') })).min(1).exactOptional()
    .describe('Activities that the tasks share as workers, one phase after the other. They make the only stage of a job mouldable.'),
}) satisfies z.ZodType<StageSpec>

/** What a log recorded of a job. */
export const recordedSchema = z.strictObject({
  wait: atLeastZero.exactOptional().describe('Seconds from submission to start.'),
  runtime: atLeastZero.exactOptional().describe('Seconds that it ran, if the duration here is another one.'),
  status: name.exactOptional().describe('How it ended: completed, failed, cancelled, timeout, ...'),
  cpuTime: atLeastZero.exactOptional().describe('Mean CPU time per processor, seconds.'),
  mem: atLeastZero.exactOptional().describe('Mean memory used per processor, MiB.'),
}) satisfies z.ZodType<RecordedRun>

/** An event of another job. */
export const jobEventSchema = z.strictObject({
  job: name.describe('Id of the other job.'),
  on: z.enum(['start', 'end']).exactOptional().describe('start: its first task has started; end: it has ended. Default: end.'),
  think: atLeastZero.exactOptional().describe('Seconds to wait after the event. Default 0.'),
}) satisfies z.ZodType<JobEvent>

const missing = z.union([z.int().min(0), z.string().regex(/^\d+%$/, 'a number of tasks, or a percentage such as "30%"')])

const budgetSchema = z.strictObject({
  maxUnavailable: missing.exactOptional().describe('So many may be missing, a number or a percentage ("30%"); it counts before minAvailable.'),
  minAvailable: missing.exactOptional().describe('So many must run, a number or a percentage.'),
}) satisfies z.ZodType<DisruptionBudget>

/** A job line. */
export const jobSchema = z.strictObject({
  id: name.describe('Name of the job, unique in the file.'),
  submit: atLeastZero.describe('Submit time in seconds from the start of the workload, not less than on the line before.'),
  user: name.exactOptional().describe('User who submitted it.'),
  queue: name.exactOptional().describe('Path of the queue, for example root.ads. Default: the user\'s own.'),
  group: name.exactOptional().describe('Group that a log gives for it.'),
  account: name.exactOptional().describe('Account that pays for it.'),
  partition: name.exactOptional().describe('Partition of the machine that it was submitted to.'),
  qos: name.exactOptional().describe('Quality of service that it asks for.'),
  licenses: z.record(name, z.int().min(1)).exactOptional().describe('Licences that it holds while it runs: number by name, counted over the whole cluster.'),
  exclusive: z.union([z.boolean(), z.literal('user')]).exactOptional()
    .describe('true: the job has its nodes to itself, whatever it asks for (--exclusive), under the queues of a slurm.conf; user: it shares them only with jobs of its user, under `replan` with named nodes. Default: it shares them with all.'),
  reservation: name.exactOptional()
    .describe('Reservation of nodes in advance in which it runs, or several between commas, of which any will do (--reservation), under `replan` with `reservations`.'),
  minNodes: z.int().min(1).exactOptional()
    .describe('Fewest nodes that its tasks which start together must be on (--nodes=2-4), under `replan` with named nodes. Default: 1.'),
  maxNodes: z.int().min(1).exactOptional()
    .describe('Most nodes that its tasks which start together may be on (--nodes=1-4), under `replan` with named nodes. Default: any number.'),
  contiguous: z.boolean().exactOptional()
    .describe('true: its tasks that start together are on consecutive nodes (--contiguous), under `replan` with named nodes and the topology flat. Default: any nodes will do.'),
  array: name.exactOptional().describe('Job array that it belongs to.'),
  arrayThrottle: z.int().min(1).exactOptional()
    .describe('How many jobs of its array may run at once (--array=0-99%4), under `replan`. Default: any number.'),
  application: name.exactOptional().describe('Program that it runs.'),
  priority: number.min(-Number.MAX_SAFE_INTEGER).exactOptional().describe('Larger is more important; default 0.'),
  nice: number.min(-Number.MAX_SAFE_INTEGER).exactOptional()
    .describe('By how much it stands behind, in the units of a priority that is computed (--nice), under `multifactor`. Default 0.'),
  preemptible: z.union([z.boolean(), z.literal('semi')]).exactOptional()
    .describe('Whether its running tasks may be preempted, under `kai-preempting`, `volcano` and `yunikorn-preempting`; the first two never preempt tasks that may not be, the third preempts them last. semi: under kai-preempting only the tasks beyond its minimum may be, under the others all. Default: what these policies do for jobs that do not say.'),
  movable: z.boolean().exactOptional()
    .describe('Whether its running tasks may be moved to other nodes to make room for others, under `kai-preempting` with `maxConsolidationPreemptees`, or for their node to be removed, with `autoscale`. Default: they may.'),
  drainable: z.boolean().exactOptional()
    .describe('Whether nodes on which its tasks run may be removed, with `autoscale` of nodes. Default: they may.'),
  disruptionBudget: budgetSchema.exactOptional()
    .describe('How many of its tasks may be taken at a time, under `volcano` with the plug-in tdm. Default: one.'),
  longestWait: number.positive().exactOptional()
    .describe('Longest time in seconds that it should wait to be let in, under `volcano` with the plug-in sla. Default: that of the plug-in.'),
  gracePeriod: atLeastZero.exactOptional()
    .describe('Seconds for which its running tasks run on after they were preempted, under `kube-scheduler` with the option terminationGracePeriodSeconds: own. Default: 30.'),
  weight: number.positive().exactOptional().describe('Share relative to its neighbours under a fair order. Default 1.'),
  estimate: atLeastZero.exactOptional().describe('The user\'s estimate of the run time, seconds.'),
  minEstimate: number.positive().exactOptional()
    .describe('Least estimate, seconds, to which a policy that backfills may lower its own so that it starts sooner (--time-min), under `easy` and `replan`. It ends then, done or not.'),
  deadline: atLeastZero.exactOptional().describe('When the job should have ended, seconds from the start of the workload.'),
  firmDeadline: z.boolean().exactOptional()
    .describe('true: the job is given up while it waits and could not end by its deadline any more (--deadline). Default: the deadline only says how urgent it is.'),
  startup: atLeastZero.exactOptional().describe('Seconds from submission until the first task can be scheduled.'),
  after: name.exactOptional().describe('Id of a job on an earlier line that must have ended before this one is submitted.'),
  think: atLeastZero.exactOptional().describe('Seconds between the end of that job and this submission.'),
  afterAll: z.array(jobEventSchema).min(1).exactOptional().describe('Events of jobs on earlier lines that must all have happened.'),
  afterAny: z.array(jobEventSchema).min(1).exactOptional().describe('Events of jobs on earlier lines of which one must have happened.'),
  class: name.exactOptional().describe('Kind of job by which architectures choose a scheduler, for example batch or service.'),
  label: z.string().exactOptional().describe('Class of the job for reports.'),
  recorded: recordedSchema.exactOptional().describe('What a log recorded of the job on the real machine, for comparison.'),
  gang: z.boolean().exactOptional()
    .describe('The job is one gang: its stages that are gangs start together or not at all, and tasks of the other stages follow. No stage waits for another, is a master or has phases.'),
  replacesLost: z.boolean().exactOptional().describe('A task of a gang that is lost with its node, or fails, starts anew alone while the others run on. Default: all that must run together start anew.'),
  topology: topologySchema.exactOptional().describe('How near its tasks must be to each other, under placements that heed it (topology-tree, topology-aware). If a stage has a topology of its own, each other stage is placed on its own.'),
  tags: tagsSchema.exactOptional().describe('Tags of all its tasks, by which rules select them: { "app": "web" }.'),
  placementRules: z.array(placementRuleSchema).exactOptional()
    .describe('Rules about where its tasks run relative to each other and to tasks of other jobs, under the placement weighted. A stage with rules of its own goes by those.'),
  stages: z.array(stageSchema).min(1).describe('Stages, each after those that it waits for.'),
}) satisfies z.ZodType<JobSpec>

/** The machine of a log. */
export const machineSchema = z.strictObject({
  procs: z.int().min(1).exactOptional().describe('Number of processors.'),
  nodes: z.int().min(1).exactOptional().describe('Number of nodes.'),
  resources: demandSchema.describe('The whole machine as one node, in the resources that the jobs ask for: { "procs": 240 }.'),
  separate: z.literal(true).exactOptional().describe('Each unit of the machine is a node of its own, and jobs are gangs.'),
  origin: z.string().describe('Sentence that says where the amounts come from.'),
}) satisfies z.ZodType<Machine>

/** The first line of a native file. */
export const headerSchema = z.strictObject({
  format: z.literal(nativeFormat).describe('The format of the file.'),
  version: z.literal(nativeVersion).describe('Version of the format.'),
  name: z.string().exactOptional().describe('Name of the workload.'),
  jobs: z.int().min(0).exactOptional().describe('Number of job lines, by which a file that was cut short is noticed.'),
  start: number.min(-Number.MAX_SAFE_INTEGER).exactOptional()
    .describe('What time 0 is on the clock of the log that the jobs come from: seconds since 1970, or in some logs since the start of a window.'),
  timeZone: name.refine(isTimeZone, 'a time zone, for example Europe/Stockholm').exactOptional()
    .describe('Time zone of the place where the log was recorded, whose midnight calendars of policies go by. Without it, times are local clock times already.'),
  machine: machineSchema.exactOptional().describe('The parallel machine on which a log of rigid jobs was recorded.'),
  header: z.array(z.tuple([name, z.string()])).exactOptional().describe('Names and values in the header of the log that the jobs come from.'),
})

/** JSON Schema of a line of a native file: the first line is a header, every other line a job. */
export function nativeJsonSchema(): object {
  const define = (schema: z.ZodType) => withoutDialect(z.toJSONSchema(schema, { io: 'input' }))
  return {
    title: 'Line of a sched-workload file, version 1',
    description: 'JSON Lines in UTF-8: the first line is a header, every other line one job, in order of submission.',
    anyOf: [{ $ref: '#/$defs/header' }, { $ref: '#/$defs/job' }],
    $defs: { header: define(headerSchema), job: define(jobSchema) },
  }
}

/** Removes the dialect, which is named by a URL: the published file contains no host names. */
function withoutDialect(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema'))
}
