import { knownWords, SchedError, suggest } from '@sched/core'
import type { CapacitySchedulerOptions } from '@sched/policies'
import type { Setting } from '../setting.js'

type Mappings = NonNullable<CapacitySchedulerOptions['mappings']>
/** The queue that each policy of a rule gives, inside the rule's `parentQueue` if it has one. */
const patterns = knownWords<string>({ specified: '%specified', user: '%user', primaryGroup: '%primary_group', primaryGroupUser: '%primary_group.%user', defaultQueue: '%default' })
/** The field that names the queue, by the policies that have one; a rule without it is refused. */
const fields = knownWords<string>({ custom: 'customPlacement', setDefaultQueue: 'value' })
/** Policies whose rules are left out here, and why. */
const without = knownWords<string>({
  secondaryGroup: 'jobs have no secondary groups',
  secondaryGroupUser: 'jobs have no secondary groups',
  applicationName: 'jobs are not placed by their names',
})
/** A rule in words, with its queue, and why it is left out if it is. */
interface ToldRule {
  readonly value: string
  readonly without?: string
}

const inside = ['user', 'primaryGroup', 'primaryGroupUser']
const fallbacks = knownWords<'skip' | 'default' | 'reject'>({ skip: 'skip', placeDefault: 'default', reject: 'reject' })

/**
 * The rules of `mapping-rule-json` as mappings of the policy. `rules`: each in words, and why it is left out if it is. Throws `BAD_INPUT` with the line of the
 * property.
 *
 * Source: Hadoop 3, MappingRuleCreator.
 */
export function jsonMappings({ value, file, line, name }: Setting): { readonly mappings: Mappings; readonly rules: readonly ToldRule[] } {
  const bad = (what: string, wayOut = '') => new SchedError('BAD_INPUT', what, { file, line, field: name }, wayOut)
  const mappings: Mappings[number][] = []
  const told: ToldRule[] = []
  for (const [i, rule] of rulesOf(value, bad).entries()) {
    const text = (key: string) => (typeof rule[key] === 'string' ? rule[key] : undefined)
    const [type, matches, policy = '', fallback = 'skip'] = [text('type'), text('matches'), text('policy'), text('fallbackResult')]
    if (type !== 'user' && type !== 'group' && type !== 'application') throw bad(`rule ${i + 1} has the type "${type ?? ''}".`, 'Write user, group or application.')
    if (matches === undefined || matches === '') throw bad(`rule ${i + 1} does not say what it matches.`, 'Write "matches".')
    if (type === 'group' && matches === '*') throw bad(`rule ${i + 1} is for all groups.`, 'Write "type": "user" for all jobs.')
    if (!(policy in patterns) && !(policy in without) && !(policy in fields) && policy !== 'reject')
      throw bad(`rule ${i + 1} has the policy "${policy}".`, suggest(policy, [...Object.keys(patterns), ...Object.keys(without), ...Object.keys(fields), 'reject']))
    if (!(fallback in fallbacks)) throw bad(`rule ${i + 1} has the fallbackResult "${fallback}".`, suggest(fallback, Object.keys(fallbacks)))
    const field = fields[policy]
    const written = field && text(field)
    if (field !== undefined && written === undefined) throw bad(`rule ${i + 1} has no "${field}".`, `Write "${field}": "root.%user", for example.`)
    const isUnknown = type === 'application' || /%(application|secondary_group)/.test(written ?? '')
    const whose = `${type} ${matches}`
    if (isUnknown || policy in without) told.push({ value: `${whose}: ${written ?? policy}`, without: without[policy] ?? 'jobs have neither names nor secondary groups' })
    else {
      const parent = text('parentQueue')
      const queue = written ?? (policy === 'reject' ? undefined : `${parent !== undefined && inside.includes(policy) ? `${parent}.` : ''}${patterns[policy] ?? ''}`)
      const isDefault = policy === 'setDefaultQueue'
      told.push({ value: `${whose}: ${isDefault ? `%default = ${queue}` : (queue ?? policy)}` })
      mappings.push({
        [type]: matches,
        ...(queue !== undefined && { [isDefault ? 'defaultQueue' : 'queue']: queue }),
        create: rule['create'] !== false && policy !== 'defaultQueue',
        fallback: fallbacks[fallback] as 'skip' | 'default' | 'reject',
      })
    }
  }
  return { mappings, rules: told }
}

function rulesOf(text: string, bad: (what: string, wayOut?: string) => SchedError): readonly Readonly<Record<string, unknown>>[] {
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    throw bad('it is no JSON.', 'Write { "rules": [...] }.')
  }
  const rules = typeof read === 'object' && read !== null && 'rules' in read ? read.rules : undefined
  if (!Array.isArray(rules) || !rules.every((rule) => typeof rule === 'object' && rule !== null)) throw bad('it holds no rules.', 'Write { "rules": [...] }.')
  return rules as Readonly<Record<string, unknown>>[]
}
