const units: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 }

/** Seconds of a duration as Go writes it: 30s, 1m30s, 0; `undefined`: none. */
export function secondsOf(text: string): number | undefined {
  if (text === '0') return 0
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined
  let sum = 0
  for (const [, amount, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) sum += Number(amount) * (units[unit] as number)
  return sum
}

/** The same with days and weeks. */
export const secondsWithDays = (text: string): number | undefined =>
  secondsOf(text.replace(/(\d+(?:\.\d+)?)([dw])/g, (_, amount: string, unit: string) => `${Number(amount) * (unit === 'w' ? 168 : 24)}h`))

/** The same of durations that mean nothing where they are 0. */
export const secondsAbove0 = (text: string): number | undefined => {
  const seconds = secondsOf(text)
  return seconds === 0 ? undefined : seconds
}
