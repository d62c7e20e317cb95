import { SchedError, type NodeInclusion, type NodeRequirement, type PlacementRule } from '@sched/core'

const KINDS: readonly string[] = ['affinity', 'antiAffinity', 'cardinality', 'spread', 'nodes']
const OPERATORS: readonly NodeRequirement['operator'][] = ['In', 'NotIn', 'Exists', 'DoesNotExist']
const POLICIES: readonly NodeInclusion[] = ['Honor', 'Ignore']
const WHOLE = 'Give a whole number'

/** Throws `BAD_INPUT`, with job and field, for a placement rule that is incomplete or has an impossible value. */
export function checkRules(id: string, field: string, rules: readonly PlacementRule[]): void {
  for (const [i, rule] of rules.entries()) {
    const bad = (part: string, fact: string, wayOut: string) => new SchedError('BAD_INPUT', `job ${id} has a placement rule with ${fact}.`, { field: `${field}[${i}].${part}` }, wayOut)
    if (!KINDS.includes(rule.kind)) throw bad('kind', `the kind ${JSON.stringify(rule.kind)}`, `Give one of ${KINDS.join(', ')}.`)
    const isWeight = (weight: number | undefined) => weight === undefined || (Number.isInteger(weight) && weight >= 1 && weight <= 100)
    if ('weight' in rule && !isWeight(rule.weight)) throw bad('weight', `the weight ${rule.weight}`, `${WHOLE} from 1 to 100.`)
    if (rule.kind === 'nodes') {
      if (typeof rule.term !== 'object') throw bad('term', 'no term', 'Say what nodes it prefers.')
      if (rule.weight === undefined) throw bad('weight', 'no weight', `${WHOLE} from 1 to 100.`)
      continue
    }
    if (typeof rule.over !== 'string' || rule.over === '') throw bad('over', 'no groups of nodes', 'Give `node`, `rack` or the name of a label of nodes.')
    const wrong = rule.of?.matchExpressions?.find(({ operator }) => !OPERATORS.includes(operator))
    if (wrong !== undefined) throw bad('of.matchExpressions', `the operator ${JSON.stringify(wrong.operator)} for tags`, `Give one of ${OPERATORS.join(', ')}.`)
    const isLeast = (least: number, value: number | undefined) => value === undefined || (Number.isInteger(value) && value >= least)
    if (rule.kind === 'cardinality') {
      if (rule.min === undefined && rule.max === undefined) throw bad('max', 'neither min nor max', 'Give one of them.')
      if (!isLeast(0, rule.min) || !isLeast(0, rule.max)) throw bad('max', `the numbers ${rule.min ?? '-'} and ${rule.max ?? '-'}`, `${WHOLE}s, at least 0.`)
    } else if (rule.kind === 'spread') {
      if (rule.maxSkew === undefined || !isLeast(1, rule.maxSkew)) throw bad('maxSkew', `the maxSkew ${rule.maxSkew}`, `${WHOLE}, at least 1.`)
      for (const part of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const)
        if (!POLICIES.includes(rule[part] ?? 'Honor')) throw bad(part, `the ${part} ${JSON.stringify(rule[part])}`, `Give ${POLICIES.join(' or ')}.`)
      if (!isLeast(1, rule.minDomains)) throw bad('minDomains', `the minDomains ${rule.minDomains}`, `${WHOLE}, at least 1.`)
    }
  }
}
