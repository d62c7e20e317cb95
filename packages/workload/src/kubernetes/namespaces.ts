import { tagsMeet, type NodeRequirement, type PlacementRule } from '@sched/core'
import type { Fields } from '../json/fields.js'
import { tagsOf, type PodRule } from './placement-rules.js'

/** The label that every namespace has. */
const NAME = 'kubernetes.io/metadata.name'

/** The namespaces of a list, for selectors by labels. */
export class Namespaces {
  /** Labels by name of the namespace. */
  readonly #labels = new Map<string, Readonly<Record<string, string>>>()
  #areListed = false

  /** Adds a Namespace. */
  add(object: Fields, name: string): void {
    this.#areListed = true
    this.#labels.set(name, { ...tagsOf(object.object('metadata')?.object('labels')), [NAME]: name })
  }

  /** Notes that a namespace contains something. Without a Namespace of that name its only label is its name. */
  see(name: string): void {
    if (!this.#labels.has(name)) this.#labels.set(name, { [NAME]: name })
  }

  /**
   * The rule with the selected namespaces, once all have been read. `unread`: the selection depends on labels, and no Namespace is listed; `of
   * nobody`: it selects none.
   *
   * Source: kube-scheduler, interpodaffinity/plugin.go (mergeAffinityTermNamespacesIfNotEmpty, GetNamespaceLabelsSnapshot).
   */
  resolved({ namespaces, ...rule }: PodRule): PlacementRule | 'unread' | 'of nobody' {
    if (namespaces === undefined || rule.kind === 'nodes') return rule
    if (!this.#areListed && namespaces.some(({ key }) => key !== NAME)) return 'unread'
    const users = [...new Set([...(rule.of?.users ?? []), ...this.#selected(namespaces)])].sort()
    return users.length === 0 ? 'of nobody' : { ...rule, of: { ...rule.of, users } }
  }

  #selected(matchExpressions: readonly NodeRequirement[]): string[] {
    return [...this.#labels].flatMap(([name, labels]) => (tagsMeet(labels, { matchExpressions }) ? [name] : []))
  }
}
