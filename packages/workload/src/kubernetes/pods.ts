import type { JobSpec, Seconds } from '@sched/core'
import { Documents, inObject, type Found } from '../json/documents.js'
import { Fields } from '../json/fields.js'
import { HeldJobs } from '../table/held-jobs.js'
import { ruleReport } from '../trace/facts.js'
import { lineText } from '../trace/fields.js'
import type { LineParser, LinePlace, TraceFormat } from '../trace/format.js'
import { kindOf, leastOf } from './least-pods.js'
import { marksOf, needed, timeAt, trueSince } from './objects.js'
import { kubernetesOptions, type KubernetesOptions } from './options.js'
import { OwnerJobs } from './owner-jobs.js'
import { controllerOf, keyOf, Owners, type Owner, type Task, type Template } from './owners.js'
import { PodRequests } from './pod-requests.js'
import { budgetOf, drainableBy, longestWaitOf, movableBy, preemptibleBy, preemptibleGroup } from './preemptibility.js'
import { CLASS, classOfWorkload, NO_CLASS, PriorityClasses, workloadClass } from './priority-classes.js'
import { gatesText, isBehindGates } from './scheduling-gates.js'
import { levelsAskedBy, levelsOfGroup, levelsOfPodSet, subgroupsOfKai, TopologyLevels } from './topology.js'
import { isOfVolcano, isVolcanoJob, runOfVolcanoJob, tasksOfVolcanoJob, textIn } from './volcano-objects.js'
import { volcanoSubgroups } from './volcano-subgroups.js'
import { isYaml, YamlObjects } from './yaml-objects.js'

/**
 * Pods of Kubernetes and their Jobs: `kubectl get jobs,pods -A -o json`, or yaml, or manifests one after another. The pods of a controller that runs
 * to completion are the tasks of a job; every other pod is a job. A pod runs from the time it was scheduled until its last container ended. A job was
 * submitted when its Job or its first pod was created. If the pods of a Job are gone, it has `completions` tasks, of which `parallelism` ran at a
 * time; if more pods are listed, failed pods and those started in their place are one task. A Workload of Kueue tells the queue and the priority of
 * its job and, if the pods are gone, its pods, which ran from its admission until it finished; a job of Volcano in the same way, from when it ran. The
 * Jobs of a JobSet (MPIJob, ...) are one job. Any other object that controls pods tells when it was created, and its queue. The class of a pod group, of a
 * job of Volcano or of Kueue gives the priority of its pods; in Volcano, pods without one have the default priority. Other pods without a number have the
 * priority of their PriorityClass.
 *
 * Pods of YuniKorn that name an application are one job, whatever controls them.
 *
 * Pods of one group that ask for different amounts are stages of one gang. If a group needs fewer pods than it has, these are of the first kinds, or
 * as many of each kind as its tasks (Volcano) or subgroups (KAI) say.
 *
 * Deviations: all pods of a job are asked for at once. Pods of daemons are left out, and so are pods that have not ended, unless an option says how
 * long they run. YuniKorn treats pods without an application as one application per namespace, without an end; here they are jobs of their own or of
 * their controllers.
 */
export const kubernetesFormat: TraceFormat<typeof kubernetesOptions> = {
  name: 'kubernetes',
  summary: 'pods, Jobs and Workloads of Kubernetes (kubectl get jobs,pods -A -o json)',
  source: 'Kubernetes API, core/v1 and batch/v1; Kueue, kueue.x-k8s.io',
  options: kubernetesOptions,
  isHeld: true,
  detect: (head) => isPrinted(head, 'Pod|Job|Workload') || (head.length >= LONG && isPrinted(head, 'Node|ClusterQueue|LocalQueue|PodGroup|JobSet|PodDisruptionBudget')),
  create: (options, place) => new KubernetesJobs(options, place),
}

/** Length of a text from which on pods may follow after its start, characters. */
const LONG = 65_536

/** Whether a text begins like objects of Kubernetes and contains one of these kinds. */
function isPrinted(head: string, kinds: string): boolean {
  if (!isYaml(head)) return /"apiVersion"\s*:/.test(head) && new RegExp(`"kind"\\s*:\\s*"(${kinds})(List)?"`).test(head)
  return /^(---|apiVersion:|kind:|items:|metadata:|- )/.test(head.replace(/^(\s*(#.*)?\r?\n)*/, ''))
    && /(^|[\s{,])apiVersion:\s/.test(head)
    && new RegExp(`(^|[\\s{,])kind:\\s*["']?(${kinds})(List)?["']?\\s*([,}]|$)`, 'm').test(head)
}

const QUEUES = ['kueue.x-k8s.io/queue-name', 'volcano.sh/queue-name', 'scheduling.volcano.sh/queue-name', 'kai.scheduler/queue', 'yunikorn.apache.org/queue', 'queue']
const GROUPS = [
  'kueue.x-k8s.io/pod-group-name',
  'scheduling.k8s.io/group-name',
  'scheduling.x-k8s.io/pod-group',
  'pod-group.scheduling.sigs.k8s.io',
  'pod-group-name',
] // the last one is KAI's
/** Label or annotation that names the application of a pod for YuniKorn. */
const APPLICATION = 'yunikorn.apache.org/app-id'
/** Marks that Kueue puts on pods of a job that it has admitted as a whole. */
const ADMITTED = ['kueue.x-k8s.io/workload', 'kueue.x-k8s.io/podset']
const isQueuedByKueue = (metadata: Fields): boolean => marksOf(metadata)(QUEUES[0] as string) !== undefined
/** Label that a JobSet puts on its Jobs and their pods. */
const JOB_SET = 'jobset.sigs.k8s.io/jobset-name'
/** Controllers that keep pods running; each of their pods is a job. */
const SERVICES = ['ReplicaSet', 'StatefulSet', 'ReplicationController', 'Deployment']
const DAEMONS = ['DaemonSet', 'Node']

class KubernetesJobs implements LineParser {
  readonly #documents: Documents
  #yaml: YamlObjects | undefined
  #isBegun = false
  readonly #held = new HeldJobs('first', { renames: true })
  readonly #owners = new Owners()
  readonly #classes = new PriorityClasses()
  readonly #levels = new TopologyLevels()
  readonly #requests: PodRequests
  readonly #jobs: OwnerJobs
  readonly #counts = { others: 0, daemons: 0, going: 0, gated: 0, unfinished: 0, unknown: 0 }

  constructor(
    private readonly options: KubernetesOptions,
    private readonly place: LinePlace,
  ) {
    this.#documents = new Documents(place, 'items')
    this.#requests = new PodRequests(options)
    this.#jobs = new OwnerJobs(options, this.#requests, this.#classes, this.#levels)
  }

  line(bytes: Uint8Array, from: number, to: number): undefined {
    if (!this.#isBegun) this.#begin(lineText(bytes, from, Math.min(to, from + 96)))
    if (this.#yaml === undefined) this.#documents.line(bytes, from, to, this.#visit)
    else this.#yaml.line(lineText(bytes, from, to), this.place.line, this.#visit)
  }

  end(): void {
    try {
      this.#yaml?.end(this.#visit)
    } finally {
      const { owners, strangers } = this.#owners.jobs()
      this.#counts.others += strangers
      for (const owner of owners) {
        const job = this.#jobs.of(owner)
        if (job !== undefined) this.#held.add(job, owner.line)
      }
      this.#held.end()
    }
    this.#documents.end()
  }

  #begin(start: string): void {
    if (start.trim() === '') return
    this.#isBegun = true
    if (isYaml(start)) this.#yaml = new YamlObjects()
  }

  readonly #visit = ({ value, line }: Found): void => {
    try {
      this.#object(new Fields(value), line)
    } catch (error) {
      throw inObject(error, line, this.place)
    }
  }

  more(): JobSpec | undefined {
    return this.#held.more()
  }

  report() {
    const { others, daemons, going, gated, unfinished, unknown } = this.#counts
    const { empty, classes, levels } = this.#jobs.counts
    const { nothing, unread, ofMemory, ofSeveral, uncounted } = this.#requests.counts
    return ruleReport([
      { rule: 'others', jobs: others, text: 'objects other than pods and Jobs: passed over' },
      { rule: 'daemons', jobs: daemons, text: 'pods of daemons and of nodes: left out' },
      { rule: 'going', jobs: going, text: 'pods still running or pending: left out' },
      { rule: 'gated', jobs: gated, text: gatesText(this.options.gated) },
      { rule: 'unfinished', jobs: unfinished, text: `pods still running or pending: run ${this.options.unfinished ?? 0} s` },
      { rule: 'unknown', jobs: unknown, text: 'pods without a known start or end: left out' },
      { rule: 'empty', jobs: empty, text: 'without an end, and without pods that have ended: left out' },
      { rule: 'classes', jobs: classes, text: 'of a PriorityClass or WorkloadPriorityClass that is not in this file: the priority of their pods, or else 0' },
      { rule: 'minding', jobs: unread, text: 'pods with affinities to pods of namespaces selected by labels while no Namespace is listed, or with unknown operators: these are ignored' },
      { rule: 'gpuMemory', jobs: ofMemory, text: 'pods that ask for memory of a GPU: a whole GPU each, since `--option gpuMemory=MiB` does not say how much one has' },
      { rule: 'gpuShares', jobs: ofSeveral, text: 'pods that share several GPUs: their shares added up, in whole GPUs if above one' },
      { rule: 'resources', jobs: uncounted, text: uncountedText([...this.#requests.uncounted].sort().join(', ')) },
      { rule: 'topology', jobs: levels, text: 'that ask for a topology level that no Topology lists: ignored' },
      { rule: 'nothing', jobs: nothing, text: 'pods without requests: given a millicore' },
      ...this.#held.rules(),
    ])
  }

  #object(object: Fields, line: number): void {
    const kind = object.text('kind')
    const metadata = object.object('metadata')
    const name = metadata?.text('name')
    if (name === undefined) throw object.bad('metadata.name', 'is missing.')
    if (kind === 'Pod') this.#pod(object, name, line)
    else if (kind === 'PriorityClass') this.#classes.add(object, name)
    else if (kind === 'WorkloadPriorityClass') this.#classes.add(object, workloadClass(name) as string)
    else if (kind === 'Namespace') this.#requests.addNamespace(object, name)
    else if (kind === 'PodDisruptionBudget') this.#requests.addBudget(object)
    else if (kind === 'PreemptionConfig') this.#requests.addPreemptionConfig(object)
    else if (kind === 'Topology') this.#levels.add(object)
    else if (kind === 'HyperNode') this.#levels.addHyperNode(object)
    else if (kind === 'Job' && object.text('apiVersion')?.startsWith('batch/') === true) this.#job(object, name, line)
    else if (kind === 'Workload' && object.text('apiVersion')?.startsWith('kueue.') === true) this.#workload(object, name, line)
    else if (this.#other(object, kind ?? '', name) && isVolcanoJob(object, kind ?? '')) this.#volcanoJob(object, name, line)
  }

  /** Reads any other object, which may control pods: when it was created, its queue and the like. Returns whether it tells when. */
  #other(object: Fields, kind: string, name: string): boolean {
    const metadata = object.object('metadata') as Fields
    const created = timeAt(metadata, 'creationTimestamp')
    if (created === undefined) this.#counts.others++
    if (created === undefined) return false
    const namespace = namespaceOf(metadata)
    const key = keyOf(namespace, kind, name)
    const queue = this.options.queue === 'namespace' ? undefined : (marksOf(metadata)(...QUEUES) ?? textIn(object, kind, 'queue'))
    const priorityClass = workloadClass(marksOf(metadata)(CLASS)) ?? textIn(object, kind, 'priorityClassName') ?? (isOfVolcano(object, kind) ? NO_CLASS : undefined)
    const ofVolcano = isOfVolcano(object, kind) ? volcanoSubgroups(object, kind === 'Job') : undefined
    const isOfKueue = isQueuedByKueue(metadata)
    this.#owners.describe(key, { created, queue, isGang: isOfKueue, isOfKueue, least: leastOf(object, kind, metadata, ofVolcano), priorityClass, preemptible: preemptibleGroup(kind, object) ?? preemptibleBy(metadata), movable: movableBy(metadata, kind === 'PodGroup' ? object : undefined), budget: budgetOf(metadata), longestWait: longestWaitOf(metadata), levels: levelsOfGroup(object) ?? levelsAskedBy(metadata), subgroups: ofVolcano ?? (kind === 'PodGroup' ? subgroupsOfKai(object) : undefined) })
    this.#owners.addPart(key, namespace, controllerOf(metadata), undefined)
    return true
  }

  /** Reads what a job of Volcano tells besides: its pods, if none is listed, which ran as long as the job. */
  #volcanoJob(job: Fields, name: string, line: number): void {
    const tasks = tasksOfVolcanoJob(job)
    if (tasks.length === 0) return
    const metadata = job.object('metadata') as Fields
    const owner = this.#owner('Job', name, metadata, line)
    owner.isGang = true
    const run = runOfVolcanoJob(job.object('status'), this.options.unfinished)
    if (run === undefined) return
    const { hasFailed, start, seconds } = run
    if (hasFailed === undefined) owner.isGoing = true
    else if (hasFailed) owner.hasFailed = true
    else owner.isComplete = true
    owner.templates = tasks.map(({ template, labels, ...each }) => {
      const asked = this.#asked(template, namespaceOf(metadata), each.tasks)
      return { ...each, start, seconds, ...asked, tags: { ...asked.tags, ...labels } }
    })
  }

  #pod(pod: Fields, name: string, line: number): void {
    const metadata = pod.object('metadata') as Fields
    if (DAEMONS.includes(controllerOf(metadata)?.text('kind') ?? '')) return void this.#counts.daemons++
    const [spec, status] = [needed(pod, 'spec'), needed(pod, 'status')]
    const phase = status.text('phase')
    const isGoing = phase === 'Running' || phase === 'Pending'
    const { unfinished } = this.options
    if (isGoing && unfinished === undefined) return void this.#counts.going++
    const isGated = isBehindGates(spec, phase)
    if (isGated) this.#counts.gated++
    if (isGated && this.options.gated === undefined) return
    const start = trueSince(status, 'PodScheduled') ?? timeAt(status, 'startTime') ?? (isGoing ? Infinity : undefined)
    const ends = endsOfContainers(status)
    if (start === undefined || (!isGoing && ends.length === 0)) return void this.#counts.unknown++
    if (isGoing) this.#counts.unfinished++
    const owner = this.#ownerOfPod(spec, metadata, name, line)
    if (phase === 'Failed') owner.hasFailed = true
    if (isGoing && !isGated) owner.isGoing = true
    owner.pods.push({
      start,
      seconds: isGoing ? (unfinished as number) : Math.max(start, ...ends) - start,
      ...this.#asked(pod, namespaceOf(metadata)),
      kind: kindOf(metadata),
      ...(phase === 'Failed' && { hasFailed: true }), ...(isGated && { isGated }),
    })
  }

  /**
   * The owner of a pod, with what the pod tells about it: its controller, unless that keeps pods running; its pod group if it has no controller;
   * otherwise itself.
   */
  #ownerOfPod(spec: Fields, metadata: Fields, name: string, line: number): Owner {
    const mark = marksOf(metadata)
    const controller = controllerOf(metadata)
    const [kind, group] = [controller?.text('kind') ?? '', spec.object('schedulingGroup')?.text('podGroupName') ?? mark(...GROUPS)]
    const isOwned = controller !== undefined && !SERVICES.includes(kind)
    const [ownerKind, ownerName] = isOwned ? [kind, controller.text('name') ?? name] : group !== undefined && controller === undefined ? ['PodGroup', group] : ['Pod', name]
    const owner = this.#owner(ownerKind, ownerName, metadata, line)
    const [namespace, application] = [namespaceOf(metadata), applicationOf(spec, metadata)]
    const key = keyOf(namespace, ownerKind, ownerName)
    if (isOwned) this.#owners.addPart(key, namespace, undefined, mark(JOB_SET))
    if (application !== undefined) this.#owners.addToApplication(key, namespace, application)
    owner.priority ??= spec.number('priority', -Infinity)
    owner.priorityClass ??= spec.text('priorityClassName')
    owner.deadline ??= spec.number('activeDeadlineSeconds')
    if (group !== undefined || mark(...ADMITTED) !== undefined) owner.isGang = true
    if (group !== undefined) owner.group ??= keyOf(namespace, 'PodGroup', group)
    return owner
  }

  #job(job: Fields, name: string, line: number): void {
    const metadata = job.object('metadata') as Fields
    const [spec, status] = [needed(job, 'spec'), job.object('status')]
    const owner = this.#owner('Job', name, metadata, line)
    owner.least ??= leastOf(job, 'Job', metadata)
    owner.labels ??= metadata.object('labels')
    this.#owners.addPart(keyOf(namespaceOf(metadata), 'Job', name), namespaceOf(metadata), controllerOf(metadata), marksOf(metadata)(JOB_SET))
    owner.deadline ??= spec.number('activeDeadlineSeconds')
    owner.preemptible ??= preemptibleBy(metadata)
    owner.movable ??= movableBy(metadata)
    owner.budget ??= budgetOf(metadata)
    owner.longestWait ??= longestWaitOf(metadata)
    owner.levels ??= levelsAskedBy(metadata)
    const parallelism = Math.max(1, spec.whole('parallelism') ?? 1)
    const tasks = Math.max(1, spec.whole('completions') ?? parallelism)
    owner.size = tasks
    if (isQueuedByKueue(metadata) && tasks <= parallelism) owner.isGang = true
    const [start, end] = [timeAt(status, 'startTime'), timeAt(status, 'completionTime') ?? trueSince(status, 'Complete', 'Failed')]
    if (trueSince(status, 'Failed') !== undefined) owner.hasFailed = true
    else if (end !== undefined) owner.isComplete = true
    const template = spec.object('template')
    const pod = template?.object('spec')
    owner.priorityClass ??= pod?.text('priorityClassName')
    if (start === undefined || end === undefined || template === undefined || pod === undefined) return
    const each = (Math.max(0, end - start) * Math.min(parallelism, tasks)) / tasks
    owner.templates = [{ tasks, start, seconds: each, ...this.#asked(template, namespaceOf(metadata), Math.min(parallelism, tasks)) }]
  }

  /** Reads a job that Kueue has admitted: all its pods ran from then until it finished. */
  #workload(workload: Fields, name: string, line: number): void {
    const metadata = workload.object('metadata') as Fields
    const [spec, status] = [needed(workload, 'spec'), workload.object('status')]
    const controller = controllerOf(metadata)
    // a group of several pods
    const isGroup = controller?.text('kind') === 'Pod' && controller.value('controller') !== true
    const [kind, owned] = controller === undefined ? ['Workload', name] : isGroup ? ['PodGroup', name] : [controller.text('kind') ?? 'Workload', controller.text('name') ?? name]
    const owner = this.#owner(kind, owned, metadata, line)
    if (this.options.queue === 'label') owner.queue ??= spec.text('queueName')
    owner.wholePriority ??= spec.number('priority', -Infinity)
    owner.wholeClass ??= classOfWorkload(spec)
    owner.labels = metadata.object('labels') ?? owner.labels
    owner.deadline ??= spec.number('maximumExecutionTimeSeconds')
    owner.isGang = true
    const { unfinished } = this.options
    const end = trueSince(status, 'Finished')
    const start = trueSince(status, 'Admitted') ?? trueSince(status, 'QuotaReserved') ?? (end === undefined && unfinished !== undefined ? Infinity : undefined)
    const seconds = end === undefined ? unfinished : Math.max(0, end - (start ?? end))
    if (start === undefined || seconds === undefined) return
    if (end === undefined) owner.isGoing = true
    owner.workload = spec.list('podSets').flatMap((set): Template[] => {
      const template = set.object('template')
      const pod = template?.object('spec')
      const tasks = set.whole('count') ?? 1
      return template === undefined || pod === undefined || tasks === 0
        ? []
        : [{ tasks, start, seconds, ...this.#requests.of(template, namespaceOf(metadata)), levels: levelsOfPodSet(set) ?? levelsAskedBy(template.object('metadata')) }]
    })
  }

  #owner(kind: string, name: string, metadata: Fields, line: number): Owner {
    const namespace = namespaceOf(metadata)
    const created = timeAt(metadata, 'creationTimestamp')
    if (created === undefined) throw metadata.bad('creationTimestamp', 'is missing.')
    const queue = this.options.queue === 'label' ? marksOf(metadata)(...QUEUES) : undefined
    const known = this.#owners.get(
      keyOf(namespace, kind, name),
      () => ({
        id: `${namespace}/${name}`, namespace, line, created, queue, isGang: false, hasFailed: false, isGoing: false, templates: [],
        workload: [], pods: [],
      }),
    )
    known.created = Math.min(known.created, created)
    known.queue ??= queue
    known.wholeClass ??= workloadClass(marksOf(metadata)(CLASS))
    known.isOfKueue ||= isQueuedByKueue(metadata)
    return known
  }

  /** What a pod, or a template of pods, asks for. `count`: the number of pods of a template. */
  #asked(pod: Fields, namespace: string, count?: number): Pick<Task, 'demand' | 'constraints' | 'tags' | 'rules' | 'gracePeriod' | 'preemptible' | 'movable' | 'drainable' | 'levels'> {
    const metadata = pod.object('metadata')
    return { ...this.#requests.of(pod, namespace), preemptible: preemptibleBy(metadata), movable: movableBy(metadata), drainable: drainableBy(metadata), levels: levelsAskedBy(metadata, count) }
  }
}

/** When the containers of a pod ended, those that have. */
const endsOfContainers = (status: Fields): Seconds[] =>
  [...status.list('initContainerStatuses'), ...status.list('containerStatuses')].flatMap((each) => timeAt(each.object('state')?.object('terminated'), 'finishedAt') ?? [])

/** What happened to requests of resources that do not count. */
const uncountedText = (names: string): string => `pods that ask for ${names}: not counted, unless \`--option 'resources=[${names}]'\` names them`

const namespaceOf = (metadata: Fields): string => metadata.text('namespace') ?? 'default'

/**
 * The application that a pod names for YuniKorn, in the first of several places. Pods without one are jobs here, although YuniKorn treats them as one
 * application per namespace.
 */
function applicationOf(spec: Fields, metadata: Fields): string | undefined {
  if (spec.text('schedulerName') !== 'yunikorn') return undefined
  return marksOf(metadata)(APPLICATION) ?? metadata.object('labels')?.text('applicationId') ?? metadata.object('labels')?.text('spark-app-selector')
}
