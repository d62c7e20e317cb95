import { tagsMeet } from '@sched/core'
import type { PodRule } from './placement-rules.js'

const HOSTNAME = 'kubernetes.io/hostname'

/**
 * Whether a pod must not share its node with another pod that has the same labels, as the pods of one job do: it has a required anti-affinity over
 * hostnames that selects pods like itself. `rules`: all rules of the pod; `tags`: its labels.
 *
 * Source: Kubernetes, PodAffinityTerm.
 */
export const isApart = (rules: readonly PodRule[], tags: Readonly<Record<string, string>>, namespace: string): boolean =>
  rules.some((rule) => rule.kind === 'antiAffinity' && rule.weight === undefined && rule.over === HOSTNAME
    && rule.of?.users?.includes(namespace) !== false && tagsMeet(tags, rule.of ?? {}))
