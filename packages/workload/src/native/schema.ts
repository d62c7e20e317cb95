import { isTimeZone, type Constraints, type DataSpec, type JobEvent, type JobSpec, type RecordedRun, type StageSpec, type Topology } from '@sched/core'
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
    kind: z.literal('exponential').describe('`shift` and an exponential of this mean.'),
    mean: atLeastZero.describe('Seconds.'),
    shift: atLeastZero.exactOptional().describe('Seconds; default 0.'),
  }),
  z.strictObject({ kind: z.literal('uniform').describe('Any time between two.'), min: atLeastZero.describe('Seconds.'), max: atLeastZero.describe('Seconds.') })
    .refine(({ min, max }) => min <= max, 'min to be at most max'),
])

const durationSchema = z.union([atLeastZero, z.array(atLeastZero).min(1), distributionSchema])
  .describe('Seconds on a node of speed 1 with the data on it: for all tasks, one per task, or drawn per task by the run.')

/** The blocks that a stage reads. */
export const dataSchema = z.strictObject({
  set: name.exactOptional().describe('Blocks shared by all stages that name the set; without it the blocks are the job\'s own.'),
  first: z.int().min(0).exactOptional().describe('Task i reads block first + i of the set.'),
  hosts: z.array(z.array(z.string())).exactOptional().describe('Names of the nodes that hold each task\'s block.'),
}) satisfies z.ZodType<DataSpec>

const topologySchema = z.strictObject({
  required: z.int().min(0).exactOptional().describe('All are in one group of nodes of this level, or wait for one: 0 one node, 1 a rack, 2 what racks stand in.'),
  preferred: z.int().min(0).exactOptional().describe('All are in one group of this level if one has room, otherwise in one of the next level, up to `required` or at last anywhere.'),
  racks: z.int().min(1).exactOptional().describe('They are in so many racks at most, or wait for that (--switches).'),
  segment: z.int().min(1).exactOptional().describe('They are in parts of so many nodes, each in one block by itself, where jobs are kept in blocks (--segment).'),
  wait: atLeastZero.exactOptional().describe('Seconds from the submission for which the job waits for that; after that it may go anywhere. Default: for ever.'),
}).refine(({ required, preferred, racks, segment }) => [required, preferred, racks, segment].some((each) => each !== undefined), '`required`, `preferred`, `racks` or `segment`') satisfies z.ZodType<Topology>

const effect = z.enum(['NoSchedule', 'NoExecute', 'PreferNoSchedule'])
/** A toleration of taints. */
export const tolerationSchema = z.strictObject({
  key: name.exactOptional().describe('Key of the taints; default: any.'),
  operator: z.enum(['Equal', 'Exists', 'Gt', 'Lt']).exactOptional().describe('How their value compares with `value`; default Equal.'),
  value: z.string().exactOptional().describe('What the value of the taints is compared with; with Exists none.'),
  effect: effect.exactOptional().describe('Effect of the taints; default: any.'),
})

/** Where tasks may run. */
export const constraintsSchema = z.strictObject({
  require: z.record(name, z.union([z.string(), z.array(z.string()).min(1)])).exactOptional()
    .describe('Labels that a node must have, each with this value or one of these: { "model": ["T4", "P100"] }; "a|b" is one of two labels.'),
  nodeSelectorTerms: z.array(termSchema).exactOptional()
    .describe('Of which one must hold, with all that is in it, as in a required node affinity of Kubernetes.'),
  tolerations: z.array(tolerationSchema).exactOptional()
    .describe('Taints of nodes that do not keep the tasks off, as in Kubernetes: { "key": "nvidia.com/gpu", "operator": "Exists" }.'),
  distinctNodes: z.boolean().exactOptional().describe('No two running tasks of the job on one node, among the stages that say so.'),
}) satisfies z.ZodType<Constraints>

/** A stage of a job line. */
export const stageSchema = z.strictObject({
  name: name.describe('What it is called in reports, for example map.'),
  tasks: z.int().min(1).describe('Number of tasks.'),
  demand: demandSchema,
  duration: durationSchema,
  after: z.array(z.strictObject({
    stage: z.int().min(0).describe('Index of an earlier stage, from 0.'),
    fraction: number.min(0).max(1).describe('Part of its tasks that must have ended, 0 to 1.'),
  })).exactOptional()
    .describe('Earlier stages, by index from 0, of which a fraction of the tasks must have ended.'),
  data: dataSchema.exactOptional().describe('The blocks that the stage reads, one per task.'),
  localityFactors: z.array(number.positive()).min(1).exactOptional()
    .describe('Slow-down by locality level: node, rack, ..., anywhere.'),
  bytesIn: atLeastZero.exactOptional().describe('Bytes that all its tasks read.'),
  bytesOut: atLeastZero.exactOptional().describe('Bytes that all its tasks write.'),
  constraints: constraintsSchema.exactOptional().describe('Where the tasks may run, whatever the policy.'),
  topology: topologySchema.exactOptional().describe('How near its tasks are to each other, in place of what the job says; the other stages are then each placed alone, too.'),
  tags: tagsSchema.exactOptional().describe('Tags of its tasks, by which rules select them: { "app": "web" }; they come to those of the job, or in their place.'),
  placementRules: z.array(placementRuleSchema).exactOptional().describe('Where its tasks are to each other and to those of other jobs, in place of what the job says.'),
  use: z.record(name, atLeastZero).exactOptional().describe('What a task really uses of its node while it runs alone there: { "cores": 0.9, "disks": 0.3 }.'),
  shuffle: z.strictObject({ from: z.int().min(0).describe('Index of the earlier stage, from 0.'), bytes: atLeastZero.describe('Bytes of all tasks together.') }).exactOptional()
    .describe('Bytes in all that the tasks fetch from the tasks of an earlier stage before they work.'),
  gang: z.boolean().exactOptional().describe('All tasks start together or none does; see `gang` of the job.'),
  minTasks: z.int().min(1).exactOptional().describe('Of a gang, the fewest tasks that start together and run on; the others follow one by one. Default: all.'),
  estimate: atLeastZero.exactOptional()
    .describe('The user\'s estimate of the run time of its tasks, seconds, where the job is one gang and this is another than the job\'s, which is the longest.'),
  partition: name.exactOptional().describe('Partition on whose nodes its tasks run, where that is another than the job\'s.'),
  master: z.boolean().exactOptional()
    .describe('The job\'s master, its first stage of one task: the others open `duration` seconds after it has started, and it runs until all of them have ended.'),
  phases: z.array(z.strictObject({ activities: z.int().min(1).describe('Number of activities.'), time: number.positive().describe('Seconds that one takes, in the mean.') })).min(1).exactOptional()
    .describe('What the tasks share as workers, one phase after the other, with the mean time of an activity: it makes the only stage of a job mouldable.'),
}) satisfies z.ZodType<StageSpec>

/** What a log recorded of a job. */
export const recordedSchema = z.strictObject({
  wait: atLeastZero.exactOptional().describe('Seconds from submission to start.'),
  runtime: atLeastZero.exactOptional().describe('Seconds it ran, where the duration given here is another one.'),
  status: name.exactOptional().describe('How it ended: completed, failed, cancelled, timeout, ...'),
  cpuTime: atLeastZero.exactOptional().describe('CPU time of each of its processors in the mean, seconds.'),
  mem: atLeastZero.exactOptional().describe('Memory that it used, MiB for each of its processors in the mean.'),
}) satisfies z.ZodType<RecordedRun>

/** An event of another job. */
export const jobEventSchema = z.strictObject({
  job: name.describe('Id of that job.'),
  on: z.enum(['start', 'end']).exactOptional().describe('Its first start, or its end; default: end.'),
  think: atLeastZero.exactOptional().describe('Seconds from then on; default 0.'),
}) satisfies z.ZodType<JobEvent>

/** A job line. */
export const jobSchema = z.strictObject({
  id: name.describe('Unique in the file.'),
  submit: atLeastZero.describe('Seconds from the start of the workload; never less than on the line before.'),
  user: name.exactOptional().describe('Who submitted it.'),
  queue: name.exactOptional().describe('Path of the queue, for example root.ads; default: the user\'s own.'),
  group: name.exactOptional().describe('Group of the user.'),
  account: name.exactOptional().describe('Account that pays for it.'),
  partition: name.exactOptional().describe('Partition of the machine that it was submitted to.'),
  qos: name.exactOptional().describe('Quality of service that it asks for.'),
  licenses: z.record(name, z.int().min(1)).exactOptional().describe('Licences that it holds while it runs, by name, in the whole cluster.'),
  exclusive: z.union([z.boolean(), z.literal('user')]).exactOptional()
    .describe('It has its nodes for itself, whatever it asks for of them (--exclusive), under the queues of a slurm.conf; user: it shares them with jobs of its user alone, under `replan` with named nodes; default: it shares them.'),
  array: name.exactOptional().describe('The array that it is a task of; Slurm\'s backfill (`replan`) plans so many of its tasks at once.'),
  arrayThrottle: z.int().min(1).exactOptional()
    .describe('How many jobs of that array may run at once (--array=0-99%4); default: any number. `replan` keeps to it.'),
  application: name.exactOptional().describe('Program that it runs.'),
  priority: number.min(-Number.MAX_SAFE_INTEGER).exactOptional().describe('Larger is more important; default 0.'),
  preemptible: z.boolean().exactOptional()
    .describe('Whether what runs of it may be preempted: `kai-preempting` and `volcano` never preempt what may not, `yunikorn-preempting` last. Default: as they go by without.'),
  weight: number.positive().exactOptional().describe('Share relative to its neighbours under a fair order; default 1.'),
  estimate: atLeastZero.exactOptional().describe('The user\'s estimate of the run time, seconds.'),
  deadline: atLeastZero.exactOptional().describe('Seconds from the start of the workload.'),
  startup: atLeastZero.exactOptional().describe('Seconds between submission and the first task being schedulable.'),
  after: name.exactOptional().describe('Id of a job on an earlier line that must have ended.'),
  think: atLeastZero.exactOptional().describe('Seconds after the end of that job.'),
  afterAll: z.array(jobEventSchema).min(1).exactOptional().describe('Events of jobs on earlier lines that must all have happened.'),
  afterAny: z.array(jobEventSchema).min(1).exactOptional().describe('Events of jobs on earlier lines of which one must have happened.'),
  class: name.exactOptional().describe('Kind of job by which architectures choose a scheduler, for example batch or service.'),
  label: z.string().exactOptional().describe('Class of jobs for reports.'),
  recorded: recordedSchema.exactOptional().describe('What a log recorded of the job on the real machine, to compare with.'),
  gang: z.boolean().exactOptional()
    .describe('The job is one gang: its stages that are gangs start together or not at all, tasks of others follow them. No stage waits for another, is a master or has phases.'),
  topology: topologySchema.exactOptional().describe('How near its tasks are to each other, under placements that heed it (topology-tree, topology-aware). Where a stage says its own, each of the others alone.'),
  tags: tagsSchema.exactOptional().describe('Tags of all its tasks, by which rules select them: { "app": "web" }.'),
  placementRules: z.array(placementRuleSchema).exactOptional()
    .describe('Where its tasks are to each other and to those of other jobs, under the placement weighted. Where a stage says its own, this is of the others.'),
  stages: z.array(stageSchema).min(1).describe('What it does, in an order in which each comes after those it waits for.'),
}) satisfies z.ZodType<JobSpec>

/** The machine of a log. */
export const machineSchema = z.strictObject({
  procs: z.int().min(1).exactOptional().describe('Number of processors.'),
  nodes: z.int().min(1).exactOptional().describe('Number of nodes.'),
  resources: demandSchema.describe('All of it as one node, in what the jobs ask for: { "procs": 240 }.'),
  separate: z.literal(true).exactOptional().describe('Each unit of it is a node of its own; jobs are gangs.'),
  origin: z.string().describe('Where the amounts come from, as a sentence.'),
}) satisfies z.ZodType<Machine>

/** The first line of a native file. */
export const headerSchema = z.strictObject({
  format: z.literal(nativeFormat).describe('The format of the file.'),
  version: z.literal(nativeVersion).describe('Its version.'),
  name: z.string().exactOptional().describe('Name of the workload.'),
  jobs: z.int().min(0).exactOptional().describe('Number of job lines; with it a file that was cut short is noticed.'),
  start: number.min(-Number.MAX_SAFE_INTEGER).exactOptional()
    .describe('What time 0 is on the clock of the log that the jobs were read from: seconds since 1970, or of some logs since the start of a window.'),
  timeZone: name.refine(isTimeZone, 'a time zone, for example Europe/Stockholm').exactOptional()
    .describe('Time zone of the place of that log, by whose midnight calendars of policies go; without it the times are those of clocks there already.'),
  machine: machineSchema.exactOptional().describe('The parallel machine of a log of rigid jobs.'),
  header: z.array(z.tuple([name, z.string()])).exactOptional().describe('Names and values of the header of the log that the jobs were read from.'),
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
