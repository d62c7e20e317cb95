import { SchedError, type Config } from '@sched/core'
import { byPlace } from '../finding.js'
import type { Place } from '../placed.js'
import type { ClusterFacts, QueuePolicy } from '../queue-policy.js'
import { linesOf } from '../source-text.js'
import { withoutEmpty } from '../slurm/without-empty.js'
import { booleanOf } from './attributes.js'
import { disciplineOf, makesPlans, tellDepths } from './discipline.js'
import { namesFairShare, sharesAt, tellFairShare } from './fair-share.js'
import { limitsOf, tellLimits } from './limits.js'
import { goesByQueue, namesSortedBy, ordersOf, takesTurns, tellOrder } from './order.js'
import { serverAmounts, tellAmounts, tellQueues, tellRest } from './other-settings.js'
import type { PbsFile } from './pbs-file.js'
import { placeInPbs } from './place-jobs.js'
import { placementOf, tellPlacement } from './placement.js'
import { preemptingOptions, preemptionOf, tellPreemption, type Preemption } from './preemption.js'
import { executionQueues } from './queues.js'
import type { Status } from './sched-config.js'
import { Verdicts } from './verdicts.js'

/** The policy that files of OpenPBS describe. */
export interface PbsPolicy extends QueuePolicy {
  /** Tells the policies of files apart. */
  readonly kind: 'pbs'
  /** Options of the outermost policy. */
  readonly options: Readonly<Record<string, unknown>>
  /** How jobs come into queues. */
  readonly place: Place
}

/**
 * The policy of a server of OpenPBS: an order under `greedy`, `easy` or `strict` (strict_ordering); `pbs-preempting` around it where jobs preempt or there are hard
 * limits, with `pbs-levels` around the order where they preempt; and `prime-time` around all where there are holidays. Throws `BAD_INPUT` with the line for a value that PBS
 * does not take.
 */
export function pbsPolicy(file: PbsFile, facts: ClusterFacts): PbsPolicy {
  const preemption = preemptionOf(file, facts)
  const statuses: readonly Status[] = file.holidays === undefined ? ['prime'] : ['prime', 'nonPrime']
  const [prime, nonPrime] = (['prime', 'nonPrime'] as const).map((status) => policyAt(file, status, preemption, facts)) as [Config, Config]
  const policy: Config = file.holidays === undefined ? prime : { 'prime-time': { ...primeTimeOptions(file), policy: prime, ...(JSON.stringify(prime) !== JSON.stringify(nonPrime) && { nonPrime }) } }
  const place = placeInPbs(file, facts)
  const verdicts = new Verdicts(file.file)
  const at = (holds: (status: Status) => boolean) => statuses.filter(holds)
  const preempts = at((status) => file.config.isOn('preemptive_sched', status))
  const names = namesSortedBy(file, statuses, facts)
  tellStatuses(file, preemption.hasSoft && preempts.length > 0, verdicts)
  tellQueues(file, facts, (preemption.hasLevels && preempts.length > 0) || at((status) => goesByQueue(file, status) || takesTurns(file, status)).length > 0 || names.includes('queue_priority'), verdicts)
  tellOrder(file, facts, statuses, verdicts)
  tellDepths(file, at((status) => file.config.isOn('strict_ordering', status)).length > 0, verdicts)
  tellPreemption(file, preemption, preempts, verdicts)
  const inPlans = at((status) => makesPlans(file, status)).length > 0
  tellFairShare(file, facts, { acts: at((status) => sharesAt(file, status)), named: names.some(namesFairShare), inPlans }, verdicts)
  const noSoft = (named: string) => named || (preempts.length === 0 ? 'preemptive_sched is off' : '')
  tellLimits(file.server, facts, { noSoft: noSoft(preemption.noSoft.server), inPlans }, verdicts)
  for (const { attributes } of executionQueues(file)) tellLimits(attributes, facts, { noSoft: noSoft(preemption.noSoft.queues), inPlans }, verdicts)
  tellPlacement(file, facts, statuses, verdicts)
  tellAmounts(file, facts, verdicts)
  tellRest(file, verdicts)
  return { kind: 'pbs', policy, options: Object.values(policy)[0] as Record<string, unknown>, place, findings: [...verdicts.findings.all].sort(byPlace) }
}

/** The policy in prime time, or outside it. */
function policyAt(file: PbsFile, status: Status, preemption: Preemption, facts: ClusterFacts): Config {
  const placement = placementOf(file, status, facts)
  const preempts = preemption.hasLevels && file.config.isOn('preemptive_sched', status)
  const { levels } = preemption
  const { ofJobs, all } = ordersOf(file, status, facts, (order) => (preempts ? { 'pbs-levels': { ...levels, order } } : order))
  const policy = disciplineOf(file, status, all, placement)
  const hard = limitsOf(file.server, facts).hard
  const ofQueues = Object.fromEntries(executionQueues(file).map(({ name, attributes }) => [name, limitsOf(attributes, facts).hard]))
  const supplied = withoutEmpty({ resources_available: serverAmounts(file, facts) })
  if (preempts) {
    const queues = Object.fromEntries(executionQueues(file).map(({ name }) => [name, { ...(levels['queues'] as Record<string, object> | undefined)?.[name], ...ofQueues[name] }]))
    return { 'pbs-preempting': { ...levels, ...withoutEmpty({ server: { ...(levels['server'] as object | undefined), ...hard }, queues: withoutEmpty(queues) }), ...preemptingOptions(file), ...supplied, order: ofJobs, policy } }
  }
  const limits = { ...withoutEmpty({ server: hard, queues: withoutEmpty(ofQueues) }), ...supplied }
  // one level: nobody preempts, and nobody needs to be suspended
  return Object.keys(limits).length === 0 ? policy : { 'pbs-preempting': { preempt_prio: 'normal_jobs', preempt_order: 'R', ...limits, policy } }
}

/** Names of settings that `prime-time` reads. */
const ofPrimeTime = ['primetime_prefix', 'nonprimetime_prefix', 'backfill_prime', 'prime_spill', 'prime_exempt_anytime_queues']

/** The options of `prime-time` but for its policies. Throws `BAD_INPUT` with the line for a value that PBS does not take. */
function primeTimeOptions({ config, holidays }: PbsFile): Readonly<Record<string, unknown>> {
  const lines = (name: string) => config.settings.filter((setting) => setting.name === name)
  for (const setting of lines('backfill_prime')) booleanOf(setting)
  const wrong = lines('prime_spill').find(({ value }) => !/^(\d+:){0,2}\d+$/.test(value))
  if (wrong !== undefined) throw new SchedError('BAD_INPUT', `found "${wrong.value}", expected a time.`, { file: wrong.file, line: wrong.line, field: wrong.name }, 'Write hours:minutes:seconds, or seconds.')
  const isGiven = config.settings.length > 0
  const prefix = (name: string) => (isGiven ? { [name]: config.last(name, 'prime')?.value ?? '' } : {})
  return {
    holidays: linesOf(holidays?.text ?? '').join('\n'),
    ...prefix('primetime_prefix'),
    ...prefix('nonprimetime_prefix'),
    ...withoutEmpty({
      backfill_prime: lines('backfill_prime').map(({ withStatus }) => withStatus),
      prime_spill: lines('prime_spill').map(({ withStatus }) => withStatus),
      prime_exempt_anytime_queues: config.isOn('prime_exempt_anytime_queues', 'prime'),
    }),
  }
}

/**
 * Tells of settings for prime time or outside it, where nothing says when that is, and of those that lines behind them set again. `hasSoft`: whether jobs may be over soft
 * limits.
 */
function tellStatuses({ config, holidays }: PbsFile, hasSoft: boolean, verdicts: Verdicts): void {
  const unknown = 'without a file of holidays it is prime time always'
  for (const setting of config.settings) {
    if (holidays === undefined && setting.holds.length === 1 && setting.holds[0] === 'nonPrime') verdicts.tell(setting, 'ignored', unknown)
    else if (ofPrimeTime.includes(setting.name)) verdicts.honour(setting, holidays === undefined ? unknown : '')
    else if (['strict_ordering', 'by_queue', 'round_robin'].includes(setting.name)) {
      const counts = setting.holds.some((status) => config.last(setting.name, status) === setting)
      if (setting.name === 'by_queue' && counts && hasSoft && booleanOf(setting)) verdicts.tell(setting, 'approximated', 'jobs over a soft limit come after those of all queues')
      const turns = setting.name === 'by_queue' && setting.holds.every((status) => config.isOn('round_robin', status))
      verdicts.honour(setting, !counts ? 'another line sets it again' : turns && booleanOf(setting) ? 'round_robin counts' : '')
    }
  }
}
