import { taintText, type ClusterModel } from '@sched/cluster'
import { resolve as resolvePlug, SchedError, type JobSpec, type NodeId, type NodeRequirement, type NodeSelectorTerm, type Plug, type Policy, type Registry, type Taint, type Toleration, type Workload } from '@sched/core'
import { jobPlace, queuePolicy, readQueues, slurmDefaults, type ClusterFacts, type Place, type QueueFile, type SourceText } from '@sched/queue-files'
import { mapJobs } from '@sched/workload'
import { existsSync } from 'node:fs'
import type { ClassOf } from '@sched/metrics'
import { basename, extname, resolve } from 'node:path'
import { amountsOf, totalOf } from '../cluster-amounts.js'
import { sourceOf } from '../read-text.js'
import type { NamedPolicy } from './policies.js'
import type { ExperimentSpec } from './schema.js'
import { tellingUndeclared } from './undeclared-partitions.js'

/** Files that are read as one, joined by +: a slurm.conf and what sacctmgr prints, a yarn-site.xml and a resource-types.xml. A file whose name has a + is itself. */
export const filesOf = (file: string, directory: string): string[] => (existsSync(resolve(directory, file)) ? [file] : file.split('+').map((part) => part.trim()))

/** A queue file, or several as one. Paths are relative to `directory`; messages name files as they were written. */
export function openQueues(file: string, directory: string): QueueFile {
  const [first, ...beside] = filesOf(file, directory).map((each) => sourceOf(each, directory)) as [SourceText, ...SourceText[]]
  return readQueues(first, ...beside)
}

/** A yarn-site.xml, or several files as one; none where none is given. */
export const openSites = (file: string | undefined, directory: string): SourceText[] => (file === undefined ? [] : filesOf(file, directory).map((each) => sourceOf(each, directory)))

/** What of a cluster decides what a queue file means on it. */
export function clusterFacts(cluster: ClusterModel): ClusterFacts {
  const { resources, nodes, heartbeat, labels, nodeNames, total, groupNames } = cluster
  return {
    resources,
    nodes,
    nodeNames,
    racks: groupNames[1]?.length ?? 0,
    totals: Object.fromEntries(resources.map((name, r) => [name, totalOf(cluster, r)])),
    heartbeat: heartbeat !== undefined,
    partitions: labels.values('partition'),
    taintsOf: (wanted) => {
      const own = nodeNames.flatMap((_, node) => {
        const isSuch = Object.entries(wanted).every(([label, value]) => labels.of(node as NodeId, label) === value)
        return isSuch ? [labels.taintsOf(node as NodeId)] : []
      })
      return own[0]?.filter((taint) => own.every((taints) => taints.includes(taint))).map((taint) => taintText(labels.taints[taint] as Taint))
    },
    totalsWith: (label) => Object.fromEntries(resources.map((name, r) => [name, amountsOf(cluster, r).reduce((sum, amount, node) => (labels.of(node as NodeId, label) === undefined ? sum : sum + amount), 0)])),
    sizesWith: (label) => {
      const sizes = nodeNames.flatMap((_, node) => (label !== undefined && labels.of(node as NodeId, label) === undefined ? [] : [resources.map((name, r) => [name, total[r * nodes + node] as number] as const)]))
      return [...new Map(sizes.map((size) => [String(size), Object.fromEntries(size)])).values()]
    },
    nodesWith: (label) => (labels.keys.includes(label) ? nodeNames.filter((_, node) => labels.of(node as NodeId, label) !== undefined) : []),
  }
}

/** The policies of the queue files of an experiment, each under the name of its file. */
export function queuePolicies(registry: Registry, { queues, yarnSite }: ExperimentSpec, cluster: ClusterModel, directory: string): NamedPolicy[] {
  const files = queues === undefined ? [] : typeof queues === 'string' ? [queues] : queues
  if (files.length === 0 && yarnSite !== undefined) throw new SchedError('BAD_INPUT', 'stands without a queue file.', { field: 'yarnSite' }, 'Give one with `queues`.')
  const twice = files.findIndex((file, i) => files.slice(0, i).some((other) => resolve(directory, other) === resolve(directory, file)))
  if (twice > 0) throw new SchedError('BAD_INPUT', `"${files[twice] ?? ''}" is there twice.`, { field: 'queues' }, 'Name each file once.')
  const names = files.map((file) => filesOf(file, directory).map((each) => basename(each, extname(each))).join('+'))
  const reads = files.map((file) => openQueues(file, directory))
  if (yarnSite !== undefined && !reads.some(({ kind }) => kind === 'fair' || kind === 'capacity'))
    throw new SchedError('BAD_INPUT', 'is for queue files of YARN, and none is given.', { field: 'yarnSite' }, 'Leave it out.')
  return files.map((file, i) => {
    const read = reads[i] as QueueFile
    const made = queuePolicy(read, clusterFacts(cluster), ...openSites(yarnSite, directory))
    const plug = inFile(file, () => resolvePlug(registry, 'policy', made.policy))
    const name = names.indexOf(names[i] as string) === names.lastIndexOf(names[i] as string) ? (names[i] as string) : file
    const path = typeof queues === 'string' ? ['queues'] : ['queues', i]
    const common = { name, path, findings: made.findings }
    if (read.kind === 'slurm') {
      const fill = slurmDefaults(read, clusterFacts(cluster))
      return { ...common, plug: tellingUndeclared(plug, read), ...(fill !== undefined && { workload: filling(fill) }) }
    }
    const isYarn = read.kind === 'fair' || read.kind === 'capacity'
    const place = jobPlace(read, made) ?? (isYarn ? () => ({}) : undefined)
    return { ...common, ...(place === undefined ? { plug } : placed(plug, place, isYarn)) }
  })
}

/** What `make` makes of a queue file, which a message names. */
function inFile<T>(file: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw error instanceof SchedError ? error.at({ file }) : error
  }
}

/**
 * Gives jobs the queues that a file or the mappings of its policy say, and has them ask there as it says; a job that it refuses is refused by the policy.
 * `isYarn`: the queue "default" counts as none.
 */
function placed(plug: Plug<'policy'>, placeOf: Place, isYarn: boolean): Pick<NamedPolicy, 'plug' | 'workload'> {
  const refused = new WeakMap<JobSpec, string>()
  const copies = new WeakMap<JobSpec, { queue?: string }>()
  const place = (spec: JobSpec): JobSpec => {
    const { queue, tolerations = [], nodes, stages = spec.stages, estimate = spec.estimate, asked: inFull, refused: why } = placeOf(spec)
    const result = { ...on(nodes, tolerating({ ...spec, stages, ...(estimate !== undefined && { estimate }) }, tolerations)), ...(queue !== undefined && { queue }) }
    if (why !== undefined) refused.set(result, why)
    askedQueues.set(result, isYarn && spec.queue === 'default' ? undefined : (inFull ?? spec.queue))
    copies.set(result, result)
    return result
  }
  const create: Plug<'policy'>['create'] = (env) => {
    const policy: Policy = plug.create(env)
    const admits = policy.admits?.bind(policy)
    policy.admits = (spec) => {
      const why = refused.get(spec) ?? admits?.(spec)
      const queue = why === undefined ? policy.queueFor?.(spec) : undefined
      const own = copies.get(spec)
      if (queue !== undefined && own !== undefined) own.queue = queue // not before: mappings may depend on the queues that are there by now
      return why
    }
    return policy
  }
  return { plug: { ...plug, create }, workload: (workload) => mapJobs(workload, place) }
}

/** A job that tolerates more taints. */
function tolerating(spec: JobSpec, more: readonly Toleration[]): JobSpec {
  if (more.length === 0) return spec
  const stages = spec.stages.map((stage) => ({ ...stage, constraints: { ...stage.constraints, tolerations: [...(stage.constraints?.tolerations ?? []), ...more] } }))
  return { ...spec, stages }
}

/** A job that runs only on nodes of which this is so, too. */
function on(nodes: NodeRequirement | undefined, spec: JobSpec): JobSpec {
  if (nodes === undefined) return spec
  const isEmpty = ({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm) => matchExpressions.length + matchFields.length === 0 // it holds for no node
  const also = (term: NodeSelectorTerm): NodeSelectorTerm => (isEmpty(term) ? term : { ...term, matchExpressions: [...(term.matchExpressions ?? []), nodes] })
  const stages = spec.stages.map((stage) => ({ ...stage, constraints: { ...stage.constraints, nodeSelectorTerms: stage.constraints?.nodeSelectorTerms?.map(also) ?? [{ matchExpressions: [nodes] }] } }))
  return { ...spec, stages }
}

/** What the workload says of the queue of a job that rules have put somewhere. */
const askedQueues = new WeakMap<JobSpec, string | undefined>()
const asked = (spec: JobSpec) => (askedQueues.has(spec) ? askedQueues.get(spec) : spec.queue)

/** The queue of a job as its workload has it, otherwise as rules do. */
export const queueOf: ClassOf = (spec) => short(asked(spec) ?? spec.queue)

/** The queue that rules have put a job in, otherwise that of its workload. */
export const placedQueueOf: ClassOf = ({ queue }) => short(queue)

/** The same, but the label of a job goes before where rules have put it, which differs from file to file. */
export const queueOrLabelOf: ClassOf = (spec) => short(asked(spec) ?? spec.label ?? spec.queue)

/** Some schedulers write `root.` before the names of all queues, others do not. */
const short = (queue: string | undefined) => queue?.replace(/^root\./, '')

/** Gives the jobs of a workload what they leave out, and remembers what they asked for. */
const filling = (place: (spec: JobSpec) => JobSpec) => (workload: Workload): Workload =>
  mapJobs(workload, (spec) => {
    const result = place(spec)
    if (result !== spec) askedQueues.set(result, spec.queue)
    return result
  })
