import { defineOrder, type Env, type JobId, type LaneId, type Plug } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { byKey } from './by-key.js'
import { byScore } from './by-score.js'
import { estimates } from './estimates.js'
import { Formula } from './formula.js'

/** Smallest estimate that counts, in seconds: many formulas divide by the estimate. */
const SHORTEST = 1

/**
 * Formulas by name; the largest value comes first. WFP3 and UNICEF: Tang, Lan, Desai and Buettner, IEEE Cluster 2009; F1 to F4: Carastan-Santos and de
 * Camargo, SC 2017, where the smallest comes first; SAF: Carastan-Santos et al., CCGrid 2019; the others: Lelong, Reis and Trystram, JSSPP 2017. UNICEF
 * divides by the logarithm of the size, which is 0 for jobs of one processor: they come first, among each other by wait over estimate.
 */
const named: ReadonlyMap<string, string> = new Map(Object.entries({
  wfp3: '(wait / estimate)^3 * size',
  unicef: 'wait / (log2(size + 1e-15) * estimate)',
  f1: '-(log10(estimate) * size + 870 * log10(submit))',
  f2: '-(sqrt(estimate) * size + 25600 * log10(submit))',
  f3: '-(estimate * size + 6860000 * log10(submit))',
  f4: '-(estimate * sqrt(size) + 530000 * log10(submit))',
  saf: '-estimate * size',
  laf: 'estimate * size',
  sqf: '-size',
  lqf: 'size',
  lcfs: 'submit',
}))

const scoreOptions = z.strictObject({
  formula: z
    .string()
    .default('wfp3')
    .describe(`${[...named.keys()].join(', ')}, or an expression of submit, wait and estimate (seconds), size (of the first resource), numbers, + - * / ^ ( ), log, log2, log10, sqrt, min and max`),
})
/** Options of `score`; all may be left out. */
export type ScoreOptions = z.input<typeof scoreOptions>

/**
 * Jobs by the value of a formula, largest first; ties by submission. Jobs for which it gives no number come last. `submit` is the time of submission in
 * the run, `estimate` is at least 1 s, `size` is what the job asks of the first resource at once. A formula with `wait` is computed anew in every instant,
 * others once, when the job begins to wait.
 */
export const scoreOrder = defineOrder({
  name: 'score',
  summary: 'by a formula of wait, estimate and size, as WFP3, UNICEF, F1 to F4, smallest area',
  source: 'Tang et al., IEEE Cluster 2009; Carastan-Santos and de Camargo, SC 2017',
  options: scoreOptions,
  create(options, env) {
    const formula = new Formula(named.get(options.formula) ?? options.formula)
    const score = scoreOf(formula, env)
    return formula.uses('wait') ? byScore(env, score) : byKey(env, (job, lane) => -score(job, NaN, lane))
  },
})

/** By a formula, largest first. */
export const score = (options: ScoreOptions = {}): Plug<'order'> => scoreOrder.plug({}, options)

function scoreOf(formula: Formula, env: Env): (job: JobId, now: number, lane: LaneId) => number {
  const { cluster, work } = env
  const estimate = formula.uses('estimate') ? estimates(env, 'have an endless one in the formula of score') : () => NaN
  const sized = formula.uses('size')
  return (job, now, lane) => {
    const resource = cluster.lanes[lane]?.resources[0]
    const submit = work.submitted(job)
    const size = sized && resource !== undefined ? work.asked(job, lane, resource) : NaN
    const value = formula.value(submit, now - submit, Math.max(estimate(job), SHORTEST), size)
    return Number.isNaN(value) ? -Infinity : value
  }
}
