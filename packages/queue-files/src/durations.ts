import { secondsOfGo } from '@sched/core'

/** Seconds of a duration as Go writes it, where days (d) and weeks (w) are units too; `undefined` if the text is no such duration. */
export const secondsWithDays = (text: string): number | undefined =>
  secondsOfGo(text.replace(/(\d+(?:\.\d+)?)([dw])/g, (_, amount: string, unit: string) => `${Number(amount) * (unit === 'w' ? 168 : 24)}h`))

/** Seconds of a duration as Go writes it, `undefined` for a duration of 0 too. */
export const secondsAbove0 = (text: string): number | undefined => {
  const seconds = secondsOfGo(text)
  return seconds === 0 ? undefined : seconds
}
