import { SchedError, withoutUndefined } from '@sched/core'
import { didYouMean } from '../finding.js'
import type { ClusterFacts } from '../queue-policy.js'
import { listed } from '../setting.js'
import { withoutEmpty } from '../slurm/without-empty.js'
import { wholeOf, type Attribute } from './attributes.js'
import { limitsOf } from './limits.js'
import type { PbsFile } from './pbs-file.js'
import { executionQueues, priorityOf } from './queues.js'
import type { Status } from './sched-config.js'
import type { Verdicts } from './verdicts.js'

/** Levels of preempt_prio that are here. */
const levels = ['express_queue', 'normal_jobs', 'server_softlimits', 'queue_softlimits']
/** Levels that OpenPBS has or had, and are not here. */
const missing = ['fairshare', 'starving_jobs']
const EXPRESS = 150

/** What decides the preemption levels of jobs, as options of `pbs-levels`, and whom it concerns. */
export interface Preemption {
  readonly levels: Readonly<Record<string, unknown>>
  /** Whether there are jobs of different levels: of an express queue, or over a soft limit that preempt_prio names. */
  readonly hasLevels: boolean
  /** Whether some of them are for soft limits. */
  readonly hasSoft: boolean
  /** Why soft limits of the server, and of queues, have no effect; empty: they have. */
  readonly noSoft: { readonly server: string; readonly queues: string }
}

/** Throws `BAD_INPUT` with the line for a level or a number that PBS does not take. */
export function preemptionOf(file: PbsFile, facts: Pick<ClusterFacts, 'resources'>): Preemption {
  const { sched, server } = file
  const queues = executionQueues(file)
  const named = namedLevels(sched.get('preempt_prio'))
  const prio = named?.join(', ')
  const isNamed = (level: string) => (named ?? ['express_queue', 'normal_jobs']).some((each) => each.split('+').includes(level))
  const noSoft = (of: 'server' | 'queue') => (isNamed(`${of}_softlimits`) ? '' : `preempt_prio does not name ${of}_softlimits`)
  const express = wholeOf(sched.get('preempt_queue_prio'))
  const soft = { server: limitsOf(server, facts).soft, queues: Object.fromEntries(queues.map(({ name, attributes }) => [name, limitsOf(attributes, facts).soft])) }
  const isAny = (limits: object) => Object.keys(limits).length > 0
  const hasSoft = (noSoft('server') === '' && isAny(soft.server)) || (noSoft('queue') === '' && Object.values(soft.queues).some(isAny))
  return {
    hasSoft,
    levels: withoutEmpty({
      preempt_prio: prio,
      preempt_queue_prio: express,
      server: soft.server,
      queues: withoutEmpty(Object.fromEntries(queues.map((queue) => [queue.name, withoutEmpty({ Priority: priorityOf(queue) || undefined, ...soft.queues[queue.name] })]))),
    }),
    hasLevels: hasSoft || (isNamed('express_queue') && queues.some((queue) => priorityOf(queue) >= (express ?? EXPRESS))),
    noSoft: { server: noSoft('server'), queues: noSoft('queue') },
  }
}

/** The levels of preempt_prio without those that are not here, normal jobs where nothing is left; `undefined`: it is not given. */
function namedLevels(attribute: Attribute | undefined): string[] | undefined {
  if (attribute === undefined) return undefined
  const { name, file, line } = attribute.lines[0]
  const given = listed(attribute.value).map((level) => level.replaceAll(/\s/g, ''))
  const wrong = given.flatMap((level) => level.split('+')).find((level) => ![...levels, ...missing].includes(level))
  if (wrong !== undefined) throw new SchedError('BAD_INPUT', `found the level "${wrong}"${didYouMean(wrong, levels)}`, { file, line, field: name }, `Levels are ${levels.join(', ')}.`)
  const kept = given.filter((level) => !level.split('+').some((each) => missing.includes(each)))
  return kept.length === 0 ? ['normal_jobs'] : kept
}

/** Options of `pbs-preempting` on how jobs are preempted, and by whom. Throws `BAD_INPUT` with the line for what PBS does not take. */
export function preemptingOptions(file: PbsFile): Readonly<Record<string, unknown>> {
  const { sched, server } = file
  const order = sched.get('preempt_order')
  if (order !== undefined && !/^\s*[SCRD]{1,4}(\s+\d{1,2}\s+[SCRD]{1,4})*\s*$/.test(order.value)) throw refused(order, 'Write for example SCR, or SR 80 R.')
  const sort = sched.get('preempt_sort')
  if (sort !== undefined && sort.value !== 'min_time_since_start') throw refused(sort, 'Write min_time_since_start, or leave it out.')
  const targets = Object.fromEntries(executionQueues(file).flatMap(({ name, attributes }) => {
    const found = targetsOf(attributes.get('resources_default.preempt_targets'))
    return found === undefined ? [] : [[name, found]]
  }))
  const released = server.get('restrict_res_to_release_on_suspend')
  return withoutUndefined({
    preempt_order: order?.value,
    preempt_targets: Object.keys(targets).length === 0 ? undefined : targets,
    restrict_res_to_release_on_suspend: released && listed(released.value),
  })
}

function refused({ value, lines: [{ name, file, line }] }: Attribute, wayOut: string): SchedError {
  return new SchedError('BAD_INPUT', `found "${value}".`, { file, line, field: name }, wayOut)
}

/** The queues whose jobs alone are preempted, of `queue=workq,queue=night` or NONE; `undefined`: not told, or told by what is not here. */
function targetsOf(attribute: Attribute | undefined): string[] | undefined {
  if (attribute === undefined) return undefined
  if (/^none$/i.test(attribute.value)) return []
  const parts = listed(attribute.value).map((part) => /^queue\s*=\s*(\S+)$/i.exec(part)?.[1])
  return parts.includes(undefined) ? undefined : (parts as string[])
}

/** Tells what becomes of the settings of preemption. `acts`: when it does. */
export function tellPreemption(file: PbsFile, { hasLevels }: Preemption, acts: readonly Status[], verdicts: Verdicts): void {
  const { config, sched, server } = file
  const whyNot = hasLevels ? (acts.length > 0 ? '' : 'preemptive_sched is off') : 'all jobs are of one level'
  const prio = sched.get('preempt_prio')
  if (whyNot === '' && prio !== undefined && missing.some((level) => prio.value.includes(level))) verdicts.tell(prio, 'approximated', `without levels that name ${missing.filter((level) => prio.value.includes(level)).join(' or ')}`)
  const order = sched.get('preempt_order')
  if (whyNot === '' && order?.value.includes('C') === true) verdicts.tell(order, 'approximated', 'nobody is checkpointed: C is passed over')
  for (const name of ['preempt_prio', 'preempt_queue_prio', 'preempt_order', 'preempt_sort', 'sched_preempt_enforce_resumption']) {
    const attribute = sched.get(name)
    if (name === 'sched_preempt_enforce_resumption' && whyNot === '' && attribute !== undefined && !/^t/i.test(attribute.value)) verdicts.tell(attribute, 'ignored', 'suspended jobs go on as where it is True')
    verdicts.honour(attribute, whyNot)
  }
  verdicts.honour(server.get('restrict_res_to_release_on_suspend'), whyNot)
  for (const setting of config.settings.filter(({ name }) => name === 'preemptive_sched')) verdicts.honour(setting, hasLevels ? '' : whyNot)
  for (const { attributes } of executionQueues(file)) {
    const targets = attributes.get('resources_default.preempt_targets')
    verdicts.honour(targets, whyNot !== '' || targets === undefined ? whyNot : targetsOf(targets) === undefined ? 'only queues are read as targets' : '')
  }
}
