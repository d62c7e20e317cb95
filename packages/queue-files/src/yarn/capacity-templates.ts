import { wildcardPaths, type CapacitySchedulerOptions } from '@sched/policies'
import type { CapacityFile, CapacityQueue } from './capacity-model.js'
import { patterned, queueProperties } from './capacity-queue-properties.js'
import type { MadeOptions, Told } from './capacity-use.js'
import { depthBelow, FLEXIBLE, makes, REMOVAL } from './made-queues.js'
import { booleanOf } from './site.js'
import type { Findings } from '../finding.js'
import type { ClusterFacts } from '../queue-policy.js'
import type { Setting } from '../setting.js'

type Templates = NonNullable<CapacitySchedulerOptions['templates']>[string]
type Kind = 'leaf' | 'parent'

/** Whether a property, by the part of its name after the path, is for queues that are made inside the queue of the path, not for that queue itself. */
export const isOfMade = (suffix: string): boolean => /^auto-queue-creation-v2\.(leaf-|parent-)?template\./.test(suffix)

/** The settings of a template that count for leaves, and those that count for the parent queues around them. */
const counting: Readonly<Record<Kind, RegExp>> = {
  leaf: /^(capacity|maximum-capacity|priority|minimum-user-limit-percent|user-limit-factor|maximum-allocation.*|user-settings\..*|ordering-policy.*|default-application-priority|maximum-applications|max-parallel-apps|accessible-node-labels.*|default-node-label-expression|disable_preemption|intra-queue-preemption\.disable_preemption|maximum-am-resource-percent|acl_.*|.*lifetime)$/,
  parent: /^(capacity|maximum-capacity|priority|maximum-allocation.*|user-settings\..*|ordering-policy|max-parallel-apps|accessible-node-labels.*|default-node-label-expression|disable_preemption|intra-queue-preemption\.disable_preemption|acl_.*|.*lifetime)$/,
}

/**
 * Uses one setting of a template, as a property of a queue inside `around`, which thus is never the root. Returns what becomes of it if that is not simply
 * honoured.
 */
export function useInTemplate(options: MadeOptions, suffix: string, property: Setting, cluster: ClusterFacts, around: CapacityQueue, kind: Kind): Told | undefined | void {
  if (suffix === REMOVAL) return void (options.autoRemoval = booleanOf(property))
  const use = queueProperties[suffix] ?? patterned(suffix)
  if (use === undefined || !counting[kind].test(suffix))
    return { verdict: 'ignored', note: `queues made at first use have no setting ${suffix} here${kind === 'parent' ? ' if they hold others' : ''}` }
  return use(options, property, cluster, { ...around, parent: around, queues: kind === 'leaf' ? [] : [around] })
}

/**
 * The templates of a capacity-scheduler.xml for queues made at first use (auto-queue-creation-v2). A setting in leaf-template or parent-template is preferred
 * to the same in template, which is for both. Within each, the queue's own path is preferred to the paths in which more and more of the last names are *.
 *
 * Source: Hadoop 3.4, AutoCreatedQueueTemplate.
 */
export class CapacityTemplates {
  readonly #file: CapacityFile
  readonly #cluster: ClusterFacts
  readonly #told = new Map<Setting, Told | undefined>()

  constructor(file: CapacityFile, cluster: ClusterFacts) {
    this.#file = file
    this.#cluster = cluster
  }

  /** The templates of a listed queue with template settings at its own path; for others `byPath` has them. */
  of(queue: CapacityQueue): Templates {
    const isTold = makes(queue) === 'any' && [...queue.properties.keys()].some(isOfMade)
    return isTold ? this.#at(queue.path, queue, [queue.path]) : {}
  }

  /** The templates at paths that are not listed. */
  byPath(): Record<string, Templates> {
    const found: Record<string, Templates> = {}
    for (const path of this.#file.unlisted.keys()) {
      const templates = this.#at(path, this.#file.root, [])
      if (Object.keys(templates).length > 0) found[path] = templates
    }
    return found
  }

  /** Adds a finding for each setting. To be called after all templates are made. */
  tell(findings: Findings): void {
    const tell = (suffix: string, property: Setting, otherwise: string): void => {
      if (!isOfMade(suffix)) return
      const told = this.#told.has(property) ? this.#told.get(property) : { verdict: 'ignored' as const, note: otherwise }
      findings.add(told?.verdict ?? 'honoured', property, property.name, property.value, told?.note)
    }
    const visit = (queue: CapacityQueue): void => {
      const none = makes(queue) === 'any' ? BEHIND : `no queue is made there at first use with it: ${queue.path}.${FLEXIBLE}.enabled is not true${makes(queue) === 'leaves' ? ', and auto-create-child-queue.enabled is' : ''}`
      for (const [suffix, property] of queue.properties) tell(suffix, property, none)
      queue.queues.forEach(visit)
    }
    visit(this.#file.root)
    for (const settings of this.#file.unlisted.values())
      for (const [suffix, property] of settings) {
        if (isOfMade(suffix)) tell(suffix, property, BEHIND)
        else findings.add('ignored', property, property.name, property.value, suffix === `${FLEXIBLE}.maximum-queue-depth` ? 'how deep queues are made is said at a queue that is listed' : 'queues made at first use have what the template says alone')
      }
  }

  #at(path: string, around: CapacityQueue, listed: readonly string[]): Templates {
    const settingsAt = (each: string) => (listed.includes(each) ? around.properties : this.#file.unlisted.get(each))
    const chain = [...new Set(wildcardPaths(path, depthBelow(settingsAt(path), this.#file.general)))]
    const of = (kind: Kind): MadeOptions => {
      const options: MadeOptions = {}
      for (const [suffix, property] of entries(chain.map((each) => settingsAt(each) ?? new Map<string, Setting>()), kind)) this.#use(options, suffix, property, around, kind)
      return options
    }
    const [leaf, parent] = [of('leaf'), of('parent')]
    return { ...(Object.keys(leaf).length > 0 && { template: leaf }), ...(Object.keys(parent).length > 0 && { parentTemplate: parent }) }
  }

  /** Uses a setting and notes what becomes of it. A setting for both kinds of queues counts if it counts for one of them. */
  #use(options: MadeOptions, suffix: string, property: Setting, around: CapacityQueue, kind: Kind): void {
    const told = useInTemplate(options, suffix, property, this.#cluster, around, kind) ?? undefined
    const known = this.#told.get(property)
    if (!this.#told.has(property) || known?.verdict === 'ignored') this.#told.set(property, told)
  }
}

const BEHIND = 'what leaf-template and parent-template say goes before it'

/** The settings for one kind of made queues, by name. Settings for the kind are preferred to those for both, and earlier ones in `chain` to later ones. */
function entries(chain: readonly ReadonlyMap<string, Setting>[], kind: Kind): Map<string, Setting> {
  const found = new Map<string, Setting>()
  for (const beginning of [`${FLEXIBLE}.${kind}-template.`, `${FLEXIBLE}.template.`])
    for (const settings of chain)
      for (const [suffix, property] of settings) {
        const own = suffix.startsWith(beginning) ? suffix.slice(beginning.length) : undefined
        if (own !== undefined && !found.has(own)) found.set(own, property)
      }
  return found
}
