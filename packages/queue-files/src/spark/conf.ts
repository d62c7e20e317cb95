import { SchedError, suggest } from '@sched/core'
import { linesOf, type SourceText } from '../source-text.js'
import type { Setting } from '../setting.js'

/** Whether a text is a spark-defaults.conf: its first line that is neither empty nor a comment sets a property of Spark. */
export const isSparkConf = (text: string): boolean => /^\uFEFF?(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*spark\.[\w.-]+[ \t:=]/.test(text)

/** The properties of a spark-defaults.conf; of equal names the last counts. Throws `BAD_INPUT` with the line for a name that does not begin with `spark.`. */
export function readSparkConf({ text, file }: SourceText): Setting[] {
  const found = new Map<string, Setting>()
  for (const [i, content] of linesOf(text).entries()) {
    if (/^\s*(#|$)/.test(content)) continue
    const [, name = '', value = ''] = /^\s*([^\s:=]+)\s*[:=]?\s*(.*?)\s*$/.exec(content) ?? []
    if (!name.startsWith('spark.'))
      throw new SchedError(
        'BAD_INPUT',
        `found "${name}", expected a property that begins with spark.`,
        { file, line: i + 1 },
        'Write NAME VALUE in each line.',
      )
    found.set(name, { name, value, file, line: i + 1 })
  }
  return [...found.values()]
}

/** Units of Spark's times, in seconds. */
const units: Readonly<Record<string, number>> = { us: 1e-6, ms: 0.001, s: 1, m: 60, min: 60, h: 3600, d: 86_400 }

/** The seconds of a time such as 3s, 500ms or 1min; without a unit it is in milliseconds. Throws `BAD_INPUT` with the line for any other text. */
export function secondsOf({ name, value, file, line }: Setting): number {
  const [, number = '', unit = 'ms'] = /^(\d+)([a-z]+)?$/.exec(value.toLowerCase()) ?? []
  const factor = units[unit]
  if (number === '' || factor === undefined)
    throw new SchedError(
      'BAD_INPUT',
      `found "${value}", expected a time such as 3s or 500ms.`,
      { file, line, field: name },
      'Units are us, ms, s, m or min, h and d.',
    )
  return factor < 1 ? Number(number) / Math.round(1 / factor) : Number(number) * factor
}

/** The mode FAIR or FIFO, in any case. Throws `BAD_INPUT` with the line for any other text. */
export function schedulerMode({ name, value, file, line }: Setting): 'FAIR' | 'FIFO' {
  const mode = value.toUpperCase()
  if (mode !== 'FAIR' && mode !== 'FIFO') throw new SchedError('BAD_INPUT', `there is no scheduling mode "${value}".`, { file, line, field: name }, suggest(mode, ['FAIR', 'FIFO']))
  return mode
}
