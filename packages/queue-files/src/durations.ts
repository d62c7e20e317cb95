const units: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 }

/** Seconds of a duration as Go writes it, such as 30s, 1m30s or 0; `undefined` if the text is no such duration. */
export function secondsOf(text: string): number | undefined {
  if (text === '0') return 0
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined
  let sum = 0
  for (const [, amount, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) sum += Number(amount) * (units[unit] as number)
  return sum
}

/** The same, where days (d) and weeks (w) are units too. */
export const secondsWithDays = (text: string): number | undefined =>
  secondsOf(text.replace(/(\d+(?:\.\d+)?)([dw])/g, (_, amount: string, unit: string) => `${Number(amount) * (unit === 'w' ? 168 : 24)}h`))

/** The same, but `undefined` for a duration of 0 too. */
export const secondsAbove0 = (text: string): number | undefined => {
  const seconds = secondsOf(text)
  return seconds === 0 ? undefined : seconds
}
