import { knownWords, ownValue, SchedError } from '@sched/core'
import { isOfPbs, pbsResourceIndex } from '@sched/policies'
import type { ClusterFacts } from '../queue-policy.js'
import { withoutEmpty } from '../slurm/without-empty.js'
import { byResource, wholeOf, type Attribute, type Attributes } from './attributes.js'
import type { Verdicts } from './verdicts.js'

/** Limits of the server or of a queue as `pbs-preempting` takes them. */
export interface Limits {
  readonly hard: Readonly<Record<string, unknown>>
  readonly soft: Readonly<Record<string, unknown>>
}

/** Limits of older versions on the number of jobs, and for whom each is. */
const older = knownWords({ max_running: 'o:PBS_ALL', max_user_run: 'u:PBS_GENERIC', max_group_run: 'g:PBS_GENERIC' })

/** The same on amounts. */
const olderOfAmounts = knownWords({ max_user_res: 'u:PBS_GENERIC', max_group_res: 'g:PBS_GENERIC' })

const LIMITS = /^(\s*\[\s*[ugpo]:\s*"?[^="\]]+"?\s*=\s*\d+(\.\d+)?[kmgtp]?[bw]?\s*\]\s*,?)+\s*$/i

/** Why an amount cannot be limited here; empty: it can, as one of the cluster or as a licence of jobs. */
export function whyNotCounted(resource: string, { resources }: Pick<ClusterFacts, 'resources'>): string {
  if (isOfPbs(resource)) return pbsResourceIndex(resource, resources) < 0 ? `the cluster has nothing that is ${resource}` : ''
  return ['walltime', 'cput', 'pcput', 'nodect', 'vmem', 'pmem', 'pvmem', 'select', 'place', 'mpiprocs', 'nodes'].includes(resource) ? `jobs have no ${resource} that is counted` : ''
}

/** The limits of the server or of a queue. Throws `BAD_INPUT` with the line for a text that is no limit. */
export function limitsOf(attributes: Attributes, facts: Pick<ClusterFacts, 'resources'>): Limits {
  const [hard, soft] = ['', '_soft'].map((suffix) => {
    const counts = [...listOf(attributes.get(`max_run${suffix}`)), ...Object.entries(older).flatMap(([name, of]) => olderLimit(attributes.get(`${name}${suffix}`), of))]
    const amounts: Record<string, string> = {}
    const add = (resource: string, texts: readonly string[]) => {
      if (whyNotCounted(resource, facts) === '') amounts[resource] = [ownValue(amounts, resource) ?? [], texts].flat().join(', ')
    }
    for (const [resource, attribute] of byResource(attributes, `max_run_res${suffix}`)) add(resource, listOf(attribute))
    for (const [name, of] of Object.entries(olderOfAmounts)) for (const [resource, { value }] of byResource(attributes, `${name}${suffix}`)) add(resource, [`[${of}=${value}]`])
    return withoutEmpty({ [`max_run${suffix}`]: counts.length === 0 ? undefined : counts.join(', '), [`max_run_res${suffix}`]: amounts })
  }) as [Limits['hard'], Limits['soft']]
  return { hard, soft }
}

function listOf(attribute: Attribute | undefined): string[] {
  if (attribute === undefined) return []
  const wrong = attribute.lines.find(({ value }) => !LIMITS.test(value))
  if (wrong !== undefined) throw new SchedError('BAD_INPUT', `found the limit "${wrong.value}".`, { file: wrong.file, line: wrong.line, field: wrong.name }, 'Write [u:PBS_GENERIC=5], [u:ann=2], [g:physics=20] or [o:PBS_ALL=100].')
  return [attribute.value]
}

const olderLimit = (attribute: Attribute | undefined, of: string): string[] => (attribute === undefined ? [] : [`[${of}=${wholeOf(attribute)}]`])

/**
 * Tells what becomes of limits. `noSoft`: why soft limits have no effect, empty if they have; `inPlans`: whether there are plans, which do not reckon with hard
 * limits.
 */
export function tellLimits(attributes: Attributes, facts: Pick<ClusterFacts, 'resources'>, { noSoft, inPlans }: { readonly noSoft: string; readonly inPlans: boolean }, verdicts: Verdicts): void {
  for (const [key, attribute] of attributes) {
    const [name = '', resource] = [key.split('.')[0] as string, key.split('.')[1]]
    const plain = name.replace(/_soft$/, '')
    if (!(plain === 'max_run' || plain === 'max_run_res' || plain in older || plain in olderOfAmounts)) continue
    const whyNot = (resource === undefined ? '' : whyNotCounted(resource, facts)) || (plain === name ? '' : noSoft)
    const notes = [/\[\s*p:/i.test(attribute.value) ? 'projects are taken for accounts, as groups are' : '', plain === name && inPlans ? 'reservations of top jobs do not reckon with it' : ''].filter((note) => note !== '')
    if (whyNot !== '') verdicts.tell(attribute, 'ignored', whyNot)
    else verdicts.tell(attribute, notes.length > 0 ? 'approximated' : 'honoured', notes.join('; '))
  }
}
