import { SchedError } from '@sched/core'
import type { SourceText } from '../source-text.js'
import { isQmgr, readQmgr, type Qmgr } from './qmgr.js'
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
}

/** Whether a text is of OpenPBS: what `qmgr` prints, or a sched_config. */
export const isPbs = (text: string): boolean => isQmgr(text) || isSchedConfig(text)

/** Whether a text is a file of holidays: its first line that is neither empty nor a comment is one of it. */
const isHolidays = (text: string): boolean => /^\uFEFF?(?:[ \t]*(?:[#*].*)?\r?\n)*[ \t]*(HOLIDAYFILE_VERSION1|YEAR|weekday|(sun|mon|tues|wednes|thurs|fri|satur)day)\b/.test(text)

/**
 * Reads files of OpenPBS, in any order: what `qmgr` prints (several are read as one), a sched_config, and a file of holidays. Throws `BAD_INPUT` for any other text,
 * for two of the latter, and with the line for a mistake.
 */
export function readPbs(...sources: readonly SourceText[]): PbsFile {
  const [configs, holidays] = [sources.filter(({ text }) => isSchedConfig(text)), sources.filter(({ text }) => isHolidays(text))]
  const other = sources.find(({ text }) => !isPbs(text) && !isHolidays(text))
  if (other !== undefined)
    throw new SchedError('BAD_INPUT', 'stands beside files of OpenPBS.', { file: other.file }, 'Beside them stand a sched_config and a file of holidays alone: server.qmgr+sched_config+holidays.')
  const second = configs[1] ?? holidays[1]
  if (second !== undefined) throw new SchedError('BAD_INPUT', `is a second ${configs.length > 1 ? 'sched_config' : 'file of holidays'}.`, { file: second.file }, 'Give one.')
  const settings = configs[0] && readSchedConfig(configs[0])
  return { kind: 'pbs', file: (sources[0] as SourceText).file, ...readQmgr(sources.filter(({ text }) => isQmgr(text))), config: new SchedConfig(settings), holidays: holidays[0] }
}
