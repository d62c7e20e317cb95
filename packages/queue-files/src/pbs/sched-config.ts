import { SchedError } from '@sched/core'
import type { Setting } from '../setting.js'
import { linesOf, type SourceText } from '../source-text.js'
import { booleanOf } from './attributes.js'

/** Prime time, or non-prime time. */
export type Status = 'prime' | 'nonPrime'

/** A line of a sched_config. */
export interface ConfigSetting extends Setting {
  /** When it holds. */
  readonly holds: readonly Status[]
  /** The value with the word behind it that says when it holds, as `prime-time` takes it. */
  readonly withStatus: string
}

/** Names by which a sched_config is known. */
const known = [
  'strict_ordering', 'by_queue', 'round_robin', 'fair_share', 'backfill_prime', 'primetime_prefix', 'nonprimetime_prefix', 'prime_spill', 'prime_exempt_anytime_queues',
  'help_starving_jobs', 'max_starve', 'job_sort_key', 'node_sort_key', 'smp_cluster_dist', 'load_balancing', 'preemptive_sched', 'preempt_prio', 'preempt_order', 'preempt_queue_prio', 'fairshare_usage_res', 'fairshare_entity', 'fairshare_decay_time', 'fairshare_decay_factor', 'fairshare_enforce_no_shares', 'unknown_shares', 'half_life', 'dedicated_prefix', 'resources(?=[ \\t]*:[ \\t]*")',
]

/** Whether a text is a sched_config: its first line that is neither empty nor a comment has a setting of it. */
export const isSchedConfig = (text: string): boolean => new RegExp(String.raw`^\uFEFF?(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*(${known.join('|')})[ \t]*:`).test(text)

const LINE = /^\s*([^\s:]+)(?:\s*:\s*|\s+)(?:"([^"]*)"|'([^']*)'|(\S+))\s*(\S*)/

/**
 * The lines of a sched_config, `name: value`, with `prime`, `non_prime`, `all` or `none` behind it. Throws `BAD_INPUT` with the line where there is no value, and
 * for another word behind it.
 *
 * Source: OpenPBS, parse_config of parse.cpp, which passes over such lines.
 */
export function readSchedConfig({ file, text }: SourceText): ConfigSetting[] {
  return linesOf(text).flatMap((content, i) => {
    if (/^\s*(#|$)/.test(content)) return []
    const line = i + 1
    const [found, name = '', double, single, bare, word = ''] = LINE.exec(content) ?? []
    if (found === undefined) throw new SchedError('BAD_INPUT', `found "${content.trim()}", expected NAME: VALUE.`, { file, line }, 'Write for example strict_ordering: true ALL.')
    const value = double ?? single ?? bare ?? ''
    const status = statusOf(word)
    if (status === undefined) throw new SchedError('BAD_INPUT', `found "${word}" behind the value.`, { file, line, field: name }, 'Write prime, non_prime, all or none.')
    return [{ name, value, file, line, holds: status, withStatus: word === '' ? value : `${value} ${word.toLowerCase()}` }]
  })
}

function statusOf(word: string): readonly Status[] | undefined {
  switch (word.startsWith('#') ? '' : word.toLowerCase()) {
    case '': case 'all': return ['prime', 'nonPrime']
    case 'prime': return ['prime']
    case 'non_prime': return ['nonPrime']
    case 'none': return []
    default: return undefined
  }
}

/** Settings of the sched_config that is shipped, which hold where none is given. */
const shipped: Readonly<Record<string, boolean>> = { by_queue: true, preemptive_sched: true }

/** The settings of a sched_config by status; of several lines of one name the last counts. */
export class SchedConfig {
  readonly settings: readonly ConfigSetting[]
  readonly #isGiven: boolean

  constructor(settings: readonly ConfigSetting[] | undefined) {
    this.settings = settings ?? []
    this.#isGiven = settings !== undefined
  }

  /** The line that counts; `undefined`: there is none. */
  last(name: string, status: Status): ConfigSetting | undefined {
    return this.settings.findLast((setting) => setting.name === name && setting.holds.includes(status))
  }

  /** All lines of a name that hold. */
  all(name: string, status: Status): ConfigSetting[] {
    return this.settings.filter((setting) => setting.name === name && setting.holds.includes(status))
  }

  /** Whether a setting is on. Of a sched_config that is not given, as shipped; of one that is, what it leaves out is off. Throws `BAD_INPUT` with the line. */
  isOn(name: string, status: Status): boolean {
    const setting = this.last(name, status)
    return setting === undefined ? !this.#isGiven && shipped[name] === true : booleanOf(setting)
  }
}
