/** The date of a day since 1970 in the Gregorian calendar: `2024-01-31`. Years start in March here, so that the leap day comes last. */
export function dateText(days: number): string {
  const sinceMarch0 = days + 719_468
  const era = Math.floor(sinceMarch0 / 146_097) // 400 years
  const dayOfEra = sinceMarch0 - era * 146_097
  const yearOfEra = Math.floor((dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365)
  const dayOfYear = dayOfEra - (yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const month = Math.floor((5 * dayOfYear + 2) / 153) // counted from March
  const day = dayOfYear - Math.floor((153 * month + 2) / 5) + 1
  const year = era * 400 + yearOfEra + (month > 9 ? 1 : 0)
  return `${String(year).padStart(4, '0')}-${two(month > 9 ? month - 9 : month + 3)}-${two(day)}`
}

/** A time of day in parts of a second as `10:00:00` or `10:00:00.25`. */
export function clockText(time: number | bigint, perSecond: number): string {
  const [seconds, rest] = parted(time, perSecond)
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(String(perSecond).length - 1, '0').replace(/0+$/, '')}`
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`
}

/** A time since 1970 as `2024-01-31 10:00:00`; in UTC if the column is. */
export function momentText(time: number | bigint, perSecond: number): string {
  const [seconds, rest] = parted(time, perSecond)
  const day = Math.floor(seconds / 86_400)
  return `${dateText(day)} ${clockText((seconds - day * 86_400) * perSecond + rest, perSecond)}`
}

/** Whole seconds and the remaining parts of a second. Nanoseconds since 1970 exceed exact numbers, so they may be bigints. */
function parted(time: number | bigint, perSecond: number): [seconds: number, rest: number] {
  const value = Number(time)
  if (Number.isSafeInteger(value)) {
    const seconds = Math.floor(value / perSecond)
    return [seconds, value - seconds * perSecond]
  }
  const rest = BigInt(time) % BigInt(perSecond)
  const left = rest < 0n ? rest + BigInt(perSecond) : rest
  return [Number((BigInt(time) - left) / BigInt(perSecond)), Number(left)]
}

const two = (part: number) => (part < 10 ? `0${part}` : String(part))
