import type { KubernetesObject } from '@sched/cluster'
import { knownWords } from '@sched/core'
import { where } from './fields.js'
import type { Findings } from './finding.js'

/** Adds a finding for each kind of object that the scheduler does not read, at the first object of the kind. `whyOf`: reasons by kind. */
export function tellOthers(others: readonly KubernetesObject[], findings: Findings, whyOf = knownWords<string>({})): void {
  for (const kind of new Set(others.map((each) => each.kind))) {
    const [first, ...more] = others.filter((each) => each.kind === kind) as [KubernetesObject, ...KubernetesObject[]]
    const why = whyOf[kind] ?? 'no part of the scheduling here'
    findings.add('ignored', where(first, []), kind === '' ? 'an object' : kind, '', more.length === 0 ? why : `${why} (${more.length + 1} of them)`)
  }
}
