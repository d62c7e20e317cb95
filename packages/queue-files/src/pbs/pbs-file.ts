import { SchedError } from '@sched/core'
import type { SourceText } from '../source-text.js'
import { isQmgr, readQmgr, type Qmgr } from './qmgr.js'
import { checkResourceGroup, isResourceGroup } from './resource-group.js'
import { isSchedConfig, readSchedConfig, SchedConfig } from './sched-config.js'

/** What `qmgr` prints of a server of OpenPBS, with its sched_config and holidays, if they are given. */
export interface PbsFile extends Qmgr {
  /** Tells the models of files apart. */
  readonly kind: 'pbs'
  /** Name of the first file, for messages. */
  readonly file: string
  readonly config: SchedConfig
  /** The file of holidays; `undefined`: it is prime time always. */
  readonly holidays: SourceText | undefined
  /** The file of shares; `undefined`: nobody has shares but those who are unknown. */
  readonly resourceGroup: SourceText | undefined
}

/** Whether a text is of OpenPBS: what `qmgr` prints, or a sched_config. */
export const isPbs = (text: string): boolean => isQmgr(text) || isSchedConfig(text)

/** Whether a text is a file of holidays: its first line that is neither empty nor a comment is one of it. */
const isHolidays = (text: string): boolean => /^\uFEFF?(?:[ \t]*(?:[#*].*)?\r?\n)*[ \t]*(HOLIDAYFILE_VERSION1|YEAR|weekday|(sun|mon|tues|wednes|thurs|fri|satur)day)\b/.test(text)

/**
 * Reads files of OpenPBS, in any order: what `qmgr` prints (several are read as one), a sched_config, and files of holidays and of shares (resource_group). Throws `BAD_INPUT` for any other text,
 * for two of any but the first, and with the line for a mistake.
 */
export function readPbs(...sources: readonly SourceText[]): PbsFile {
  const kinds = [isQmgr, isSchedConfig, isHolidays, isResourceGroup]
  const of = (kind: (text: string) => boolean) => sources.filter(({ text }) => kinds.find((is) => is(text)) === kind)
  const [configs, holidays, groups] = [of(isSchedConfig), of(isHolidays), of(isResourceGroup)]
  const other = sources.find(({ text }) => !kinds.some((is) => is(text)))
  if (other !== undefined)
    throw new SchedError('BAD_INPUT', 'stands beside files of OpenPBS.', { file: other.file }, 'Beside them stand a sched_config, a file of holidays and one of shares alone: server.qmgr+sched_config+holidays+resource_group.')
  const second = configs[1] ?? holidays[1] ?? groups[1]
  if (second !== undefined) throw new SchedError('BAD_INPUT', `is a second ${configs.length > 1 ? 'sched_config' : holidays.length > 1 ? 'file of holidays' : 'resource_group'}.`, { file: second.file }, 'Give one.')
  if (groups[0] !== undefined) checkResourceGroup(groups[0])
  const settings = configs[0] && readSchedConfig(configs[0])
  return { kind: 'pbs', file: (sources[0] as SourceText).file, ...readQmgr(of(isQmgr)), config: new SchedConfig(settings), holidays: holidays[0], resourceGroup: groups[0] }
}
