import { kubernetesResource, type Demand, type PlacementRule } from '@sched/core'
import type { Fields } from '../json/fields.js'
import { isApart } from './apart.js'
import { shareOfGpus } from './gpu-shares.js'
import { Namespaces } from './namespaces.js'
import { constraintsOfPod } from './node-constraints.js'
import { demandOfPod, needed } from './objects.js'
import { CLASS } from './priority-classes.js'
import type { KubernetesOptions } from './options.js'
import type { Task } from './owners.js'
import { labelsSelected, rulesOfPod, tagsAsked, tagsOf } from './placement-rules.js'

/** Resources that always count. */
const OF_ALL: ReadonlySet<string> = new Set(['cpu', 'memory', 'nvidia.com/gpu'].map((name) => kubernetesResource(name).resource))
/** Name of the number of pods on a node among resources. */
const PODS = 'pods'

/** What pods ask for: amounts, nodes, and other pods near them or away. */
export class PodRequests {
  /** Pods without requests; with terms that could not be read; that ask for memory of a GPU of unknown size; that share several GPUs; that ask for what does not count. */
  readonly counts = { nothing: 0, unread: 0, ofMemory: 0, ofSeveral: 0, uncounted: 0 }
  /** Resources that pods ask for and that do not count. */
  readonly uncounted = new Set<string>()
  readonly #gpuMemory: number | undefined
  readonly #resources: ReadonlySet<string>
  readonly #asksLabels: boolean
  readonly #namespaces = new Namespaces()
  /** Labels of pods by which rules or disruption budgets select pods. Other labels are not kept, since many occur on one pod only. */
  readonly #tags = new Set<string>()
  /** Labels by which rules of Kueue select workloads, which have those of their Jobs. */
  readonly #ofWorkloads = new Set<string>()
  /** Whether rules of Kueue select workloads by priority class. */
  #asksClasses = false

  constructor({ gpuMemory, resources, nodeSelector }: Pick<KubernetesOptions, 'gpuMemory' | 'resources' | 'nodeSelector'>) {
    this.#gpuMemory = gpuMemory
    this.#resources = new Set(resources)
    this.#asksLabels = nodeSelector === 'require'
  }

  /** Adds a Namespace, which pods may select by its labels. */
  addNamespace(object: Fields, name: string): void {
    this.#namespaces.add(object, name)
  }

  /** Adds a PodDisruptionBudget: the labels by which it selects pods are kept. */
  addBudget(object: Fields): void {
    for (const key of labelsSelected(object.object('spec'))) this.#tags.add(key)
  }

  /** Adds a PreemptionConfig of Kueue: the labels by which its rules select workloads are kept. */
  addPreemptionConfig(object: Fields): void {
    for (const rule of object.object('spec')?.list('rules') ?? []) {
      const selectors = rule.list('candidateSelectors')
      const ofClasses = [rule.object('preemptorPriorityClassSelector'), ...selectors.map((each) => each.object('priority'))]
      this.#asksClasses ||= ofClasses.some((each) => each?.value('matchNames') !== undefined || each?.value('notMatchNames') !== undefined)
      const numeric = selectors.flatMap((each) => each.list('numericLabels')).flatMap((each) => each.text('key') ?? [])
      for (const key of [...labelsSelected(rule, 'preemptorSelector'), ...selectors.flatMap((each) => labelsSelected(each, 'labelSelector')), ...numeric]) this.#ofWorkloads.add(key)
    }
    for (const key of this.#ofWorkloads) this.#tags.add(key)
  }

  /** Once all have been read: of the labels of a Job those by which rules of Kueue select it, and its priority class, if they select it by that. */
  ofWorkload(labels: Fields | undefined, priorityClass: string | undefined): Readonly<Record<string, string>> {
    const own = Object.entries(tagsOf(labels)).filter(([key]) => this.#ofWorkloads.has(key))
    return { ...Object.fromEntries(own), ...(this.#asksClasses && priorityClass !== undefined && { [CLASS]: priorityClass }) }
  }

  /** What a pod, or a template of pods, asks for. Throws `BadLine`. */
  of(pod: Fields, namespace: string): Pick<Task, 'demand' | 'constraints' | 'tags' | 'rules' | 'gracePeriod'> {
    const [spec, metadata] = [needed(pod, 'spec'), pod.object('metadata')]
    const labels = metadata?.object('labels')
    const demand = this.#demand(spec, metadata)
    this.#namespaces.see(namespace)
    const { rules, isUnread } = rulesOfPod({ spec, labels, namespace }, this.#asksLabels)
    const tags = tagsOf(labels)
    if (isUnread) this.counts.unread++
    for (const key of tagsAsked(rules)) this.#tags.add(key)
    return { demand, constraints: constraintsOfPod(spec, this.#asksLabels, isApart(rules, tags, namespace)), tags, rules, gracePeriod: spec.number('terminationGracePeriodSeconds') }
  }

  #demand(spec: Fields, metadata: Fields | undefined): Demand {
    const asked = this.#counted(demandOfPod(spec))
    const share = asked['gpu'] === undefined ? shareOfGpus(metadata, this.#gpuMemory) : undefined
    if (share?.unlike === 'memory') this.counts.ofMemory++
    if (share?.unlike === 'several') this.counts.ofSeveral++
    const demand = share === undefined ? asked : { ...asked, gpu: share.gpu }
    if (Object.keys(demand).length > 0) return demand
    this.counts.nothing++
    return { cpu: 1 }
  }

  /** What counts of that; each pod is one of `pods`. */
  #counted(asked: Demand): Demand {
    const others = Object.keys(asked).filter((name) => !OF_ALL.has(name) && !this.#resources.has(name))
    for (const name of others) this.uncounted.add(name)
    if (others.length > 0) this.counts.uncounted++
    const counted = Object.entries(asked).filter(([name]) => !others.includes(name))
    return Object.fromEntries(this.#resources.has(PODS) ? [...counted, [PODS, 1]] : counted)
  }

  /** Once all have been read: a task with only the labels by which rules select pods, and with rules whose namespaces are known. */
  readonly selectable = <T extends Task>(task: T): T => ({ ...task, rules: this.#resolved(task), tags: Object.fromEntries(Object.entries(task.tags).filter(([key]) => this.#tags.has(key)).sort(([a], [b]) => (a < b ? -1 : 1))) })

  #resolved({ rules }: Task): PlacementRule[] {
    const found = rules.map((rule) => this.#namespaces.resolved(rule))
    if (found.includes('unread')) this.counts.unread++
    return found.filter((rule) => typeof rule === 'object')
  }
}
