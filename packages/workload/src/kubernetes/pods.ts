import type { Constraints, Demand, JobSpec, Seconds, StageSpec } from '@sched/core'
import { z } from 'zod'
import { Documents, inObject } from '../json/documents.js'
import { Fields } from '../json/fields.js'
import { HeldJobs } from '../table/held-jobs.js'
import { ruleReport } from '../trace/facts.js'
import type { LineParser, LinePlace, TraceFormat } from '../trace/format.js'
import { constraintsOfPod, demandOfPod, marksOf, timeAt, trueSince } from './objects.js'

export const kubernetesOptions = z.strictObject({
  queue: z.enum(['label', 'namespace']).default('label').describe('What names the queue of a job: the label or annotation for Kueue, Volcano, KAI or YuniKorn, the namespace where there is none; or always the namespace.'),
  gang: z.enum(['groups', 'jobs', 'none']).default('groups')
    .describe('Whose pods start together: those of pod groups and of jobs in queues of Kueue, those of every job, or nobody\'s.'),
  nodeSelector: z.enum(['require', 'ignore']).default('require').describe('Labels that pods ask of nodes (nodeSelector, required affinity): required, or ignored.'),
})
type KubernetesOptions = z.output<typeof kubernetesOptions>

/**
 * Pods of Kubernetes that have ended, and the Jobs that they are of: `kubectl get jobs,pods -A -o json`. The pods of a controller that runs to
 * completion are the tasks of a job, any other pod is a job; a pod runs from the time it was scheduled until its last container ended. A job was submitted
 * when its Job or its first pod was created. A Job whose pods are gone has as many as its `completions`, of which `parallelism` ran at a time.
 *
 * Deviations: all pods of a job are asked for at once. Pods of daemons, and those that have not ended, are left out.
 */
export const kubernetesFormat: TraceFormat<typeof kubernetesOptions> = {
  name: 'kubernetes',
  title: 'pods and Jobs of Kubernetes (kubectl get jobs,pods -A -o json)',
  source: 'Kubernetes API, core/v1 and batch/v1',
  options: kubernetesOptions,
  isHeld: true,
  detect: (head) => /^[\s[]*\{/.test(head) && /"apiVersion"\s*:/.test(head) && /"kind"\s*:\s*"(Pod|PodList|Job|JobList)"/.test(head),
  parser: (options, place) => new KubernetesJobs(options, place),
}

interface Task {
  readonly start: Seconds
  readonly end: Seconds
  readonly demand: Demand
  readonly constraints: Constraints | undefined
}

/** Who has pods: what is told of a job by the first that tells it. */
interface Owner {
  readonly id: string
  readonly namespace: string
  readonly line: number
  created: Seconds
  queue?: string | undefined
  priority?: number | undefined
  deadline?: Seconds | undefined
  isGang: boolean
  hasFailed: boolean
  /** Of a Job, what would be its tasks if no pod of it is listed. */
  template?: Task & { readonly tasks: number }
  readonly pods: Task[]
}

const QUEUES = ['kueue.x-k8s.io/queue-name', 'volcano.sh/queue-name', 'scheduling.volcano.sh/queue-name', 'kai.scheduler/queue', 'yunikorn.apache.org/queue', 'queue']
const GROUPS = ['kueue.x-k8s.io/pod-group-name', 'scheduling.k8s.io/group-name', 'scheduling.x-k8s.io/pod-group', 'pod-group.scheduling.sigs.k8s.io']
/** What Kueue writes on pods of a job that it has admitted as a whole. */
const ADMITTED = ['kueue.x-k8s.io/workload', 'kueue.x-k8s.io/podset']
/** Controllers that keep pods running: each of theirs is for itself. */
const SERVICES = ['ReplicaSet', 'StatefulSet', 'ReplicationController', 'Deployment']
const DAEMONS = ['DaemonSet', 'Node']

class KubernetesJobs implements LineParser {
  readonly #documents: Documents
  readonly #held = new HeldJobs('first', { renames: true })
  readonly #owners = new Map<string, Owner>()
  readonly #counts = { others: 0, daemons: 0, going: 0, unknown: 0, nothing: 0, empty: 0 }
  #isEnded = false

  constructor(
    private readonly options: KubernetesOptions,
    private readonly place: LinePlace,
  ) {
    this.#documents = new Documents(place, 'items')
  }

  line(bytes: Uint8Array, from: number, to: number): undefined {
    this.#documents.line(bytes, from, to, ({ value, line }) => {
      try {
        this.#object(new Fields(value), line)
      } catch (error) {
        throw inObject(error, line, this.place)
      }
    })
  }

  end(): void {
    for (const owner of this.#owners.values()) this.#add(owner)
    this.#held.end()
    this.#isEnded = true
    this.#documents.end()
  }

  more(): JobSpec | undefined {
    return this.#isEnded ? this.#held.more() : undefined
  }

  report() {
    const { others, daemons, going, unknown, nothing, empty } = this.#counts
    return ruleReport([
      { rule: 'others', jobs: others, text: 'objects other than pods and Jobs: passed over' },
      { rule: 'daemons', jobs: daemons, text: 'pods of daemons and of nodes: left out' },
      { rule: 'going', jobs: going, text: 'pods still running or pending: left out' },
      { rule: 'unknown', jobs: unknown, text: 'pods without a known start or end: left out' },
      { rule: 'empty', jobs: empty, text: 'without an end, and without pods that have ended: left out' },
      { rule: 'nothing', jobs: nothing, text: 'pods without requests: a millicore' },
      ...this.#held.rules(),
    ])
  }

  #object(object: Fields, line: number): void {
    const kind = object.text('kind')
    const metadata = object.object('metadata')
    const name = metadata?.text('name')
    if (name === undefined) throw object.bad('metadata.name', 'is missing.')
    if (kind === 'Pod') this.#pod(object, name, line)
    else if (kind === 'Job' && object.text('apiVersion')?.startsWith('batch/') === true) this.#job(object, name, line)
    else this.#counts.others++
  }

  #pod(pod: Fields, name: string, line: number): void {
    const metadata = pod.object('metadata') as Fields
    const mark = marksOf(metadata)
    const controller = metadata.list('ownerReferences').find((each) => each.value('controller') === true) ?? metadata.list('ownerReferences')[0]
    const kind = controller?.text('kind') ?? ''
    if (DAEMONS.includes(kind)) return void this.#counts.daemons++
    const [spec, status] = [needed(pod, 'spec'), needed(pod, 'status')]
    const phase = status.text('phase')
    if (phase === 'Running' || phase === 'Pending') return void this.#counts.going++
    const start = trueSince(status, 'PodScheduled') ?? timeAt(status, 'startTime')
    const ends = [...status.list('initContainerStatuses'), ...status.list('containerStatuses')].flatMap((each) => timeAt(each.object('state')?.object('terminated'), 'finishedAt') ?? [])
    if (start === undefined || ends.length === 0) return void this.#counts.unknown++
    const group = mark(...GROUPS)
    const isOwned = controller !== undefined && !SERVICES.includes(kind)
    const [ownerKind, ownerName] = isOwned ? [kind, controller.text('name') ?? name] : group !== undefined && controller === undefined ? ['PodGroup', group] : ['Pod', name]
    const owner = this.#owner(ownerKind, ownerName, metadata, line)
    owner.priority ??= spec.number('priority', -Infinity)
    owner.deadline ??= spec.number('activeDeadlineSeconds')
    if (group !== undefined || mark(...ADMITTED) !== undefined) owner.isGang = true
    if (phase === 'Failed') owner.hasFailed = true
    owner.pods.push({ start, end: Math.max(start, ...ends), demand: this.#demand(spec), constraints: this.#constraints(spec) })
  }

  #job(job: Fields, name: string, line: number): void {
    const metadata = job.object('metadata') as Fields
    const [spec, status] = [needed(job, 'spec'), job.object('status')]
    const owner = this.#owner('Job', name, metadata, line)
    owner.deadline ??= spec.number('activeDeadlineSeconds')
    const parallelism = Math.max(1, spec.whole('parallelism') ?? 1)
    const tasks = Math.max(1, spec.whole('completions') ?? parallelism)
    if (marksOf(metadata)(QUEUES[0] as string) !== undefined && tasks <= parallelism) owner.isGang = true
    const [start, end] = [timeAt(status, 'startTime'), timeAt(status, 'completionTime') ?? trueSince(status, 'Complete', 'Failed')]
    if (trueSince(status, 'Failed') !== undefined) owner.hasFailed = true
    const pod = spec.object('template')?.object('spec')
    if (start === undefined || end === undefined || pod === undefined) return
    const each = (Math.max(0, end - start) * Math.min(parallelism, tasks)) / tasks
    owner.template = { tasks, start, end: start + each, demand: this.#demand(pod), constraints: this.#constraints(pod) }
  }

  #owner(kind: string, name: string, metadata: Fields, line: number): Owner {
    const namespace = metadata.text('namespace') ?? 'default'
    const created = timeAt(metadata, 'creationTimestamp')
    if (created === undefined) throw metadata.bad('creationTimestamp', 'is missing.')
    const queue = this.options.queue === 'label' ? marksOf(metadata)(...QUEUES) : undefined
    const key = `${namespace}/${kind}/${name}`
    const known = this.#owners.get(key)
    if (known === undefined) {
      const made: Owner = { id: `${namespace}/${name}`, namespace, line, created, queue, isGang: false, hasFailed: false, pods: [] }
      this.#owners.set(key, made)
      return made
    }
    known.created = Math.min(known.created, created)
    known.queue ??= queue
    return known
  }

  #demand(spec: Fields): Demand {
    const demand = demandOfPod(spec)
    if (Object.keys(demand).length > 0) return demand
    this.#counts.nothing++
    return { cpu: 1 }
  }

  #constraints(spec: Fields): Constraints | undefined {
    return this.options.nodeSelector === 'require' ? constraintsOfPod(spec) : undefined
  }

  #add({ id, namespace, line, created, queue, priority, deadline, isGang, hasFailed, template, pods }: Owner): void {
    const stages = pods.length > 0 ? stagesOf(pods) : template === undefined ? [] : [stageOf(template, template.tasks, template.end - template.start)]
    if (stages.length === 0) return void this.#counts.empty++
    const { gang } = this.options
    const start = pods.reduce((first, each) => Math.min(first, each.start), pods.length > 0 ? Infinity : (template?.start ?? NaN))
    const together = gang === 'jobs' || (gang === 'groups' && isGang)
    this.#held.add({
      id, submit: Math.min(created, start), user: namespace, queue: queue ?? namespace,
      ...(priority !== undefined && priority !== 0 && { priority }), ...(deadline !== undefined && { estimate: deadline }),
      recorded: { wait: Math.max(0, start - created), status: hasFailed ? 'failed' : 'completed' },
      stages: stages.map((stage) => (together && stage.tasks > 1 ? { ...stage, gang: true } : stage)),
    }, line)
  }
}

/** Pods that ask alike are the tasks of a stage; no stage waits for another. */
function stagesOf(pods: readonly Task[]): StageSpec[] {
  const alike = new Map<string, Task[]>()
  for (const pod of pods) {
    const key = JSON.stringify([pod.demand, pod.constraints])
    alike.set(key, [...(alike.get(key) ?? []), pod])
  }
  return [...alike.values()].map((tasks, i) => stageOf(tasks[0]!, tasks.length, tasks.map(({ start, end }) => end - start), i))
}

function stageOf({ demand, constraints }: Task, tasks: number, duration: Seconds | readonly Seconds[], index = 0): StageSpec {
  return { name: index === 0 ? 'pods' : `pods-${index + 1}`, tasks, demand, duration, ...(constraints !== undefined && { constraints }) }
}

function needed(object: Fields, key: string): Fields {
  const found = object.object(key)
  if (found === undefined) throw object.bad(key, 'is missing.', 'Print whole objects: kubectl get jobs,pods -A -o json')
  return found
}
