import type { KubernetesObject } from '@sched/cluster'
import { secondsOfGo } from '@sched/core'
import type { KueueOptions } from '@sched/policies'
import { at, fieldsOf, textOf, unexpected, where, wholeAt } from '../fields.js'
import type { Findings } from '../finding.js'
import { BOOST_GATE, gate, GATES, readGate } from './gates.js'

const INTERVAL = ['timeSharing', 'interval']
const BOOST = ['timeSharing', 'negativeBoost']
const MOST = ['maxWorkloadPriority']
const OFF = `off: \`${GATES}: { ${BOOST_GATE}: true }\` turns it on`

/**
 * How workloads of the same priority take turns: the configuration of the controller kueue-priority-booster, if the gate for it is open. Adds a finding for
 * each setting. Throws `BAD_INPUT` with the line for a value that it does not take.
 *
 * Source: Kueue, cmd/experimental/kueue-priority-booster, config.go. Deviation: without the configuration nothing changes priorities, annotations of Workloads
 * neither.
 */
export function timeSharingOf(booster: KubernetesObject | undefined, configuration: KubernetesObject | undefined, findings: Findings): KueueOptions['timeSharing'] {
  const isOpen = gate(configuration, BOOST_GATE) === true
  if (configuration !== undefined) readGate(configuration, BOOST_GATE, findings, isOpen && booster === undefined ? 'annotations that change priorities are not read, and there is no configuration of kueue-priority-booster' : '')
  if (booster === undefined) return undefined
  const { object } = booster
  const given = at(object, INTERVAL) ?? undefined
  const interval = given === undefined || given === '' || textOf(given) === '0' ? 0 : typeof given === 'string' ? secondsOfGo(given) : undefined
  if (interval === undefined) throw unexpected(booster, INTERVAL, 'a duration such as 30m or 1h')
  const negativeBoost = wholeAt(booster, BOOST, 0)
  const maxWorkloadPriority = wholeAt(booster, MOST, -(2 ** 31))
  for (const path of [INTERVAL, BOOST, MOST]) if ((at(object, path) ?? undefined) !== undefined) findings.add(isOpen ? 'honoured' : 'ignored', where(booster, path), path.join('.'), textOf(at(object, path)), isOpen ? '' : OFF)
  for (const field of Object.keys(fieldsOf(object)).filter((each) => !['timeSharing', ...MOST].includes(each))) findings.add('ignored', where(booster, [field]), field, '', 'not simulated: it is about all workloads here')
  if (!isOpen || interval === 0) return undefined
  return { interval, ...(negativeBoost !== undefined && { negativeBoost }), ...(maxWorkloadPriority !== undefined && { maxWorkloadPriority }) }
}
