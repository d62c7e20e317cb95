/** A job; times in minutes. */
export interface PrimeJob {
  readonly submit: number
  readonly length: number
  readonly procs: number
  readonly queue: 'workq' | 'p_day' | 'np_night'
}

/** What a site of PBS sets, and what comes. */
export interface PrimeWorld {
  readonly jobs: readonly PrimeJob[]
  readonly procs: number
  /** By day of the week, Sunday first: when prime and non-prime time begin, as minutes of the day or words. */
  readonly days: readonly (readonly [prime: number | 'all' | 'none', nonPrime: number | 'all' | 'none'])[]
  /** Days from the first on that are holidays. */
  readonly holidays: readonly number[]
  readonly endsWith: { readonly prime: boolean; readonly nonPrime: boolean }
  readonly spill: { readonly prime: number; readonly nonPrime: number }
  readonly exempt: boolean
  /** Jobs that get a reservation; `strict`: nobody passes one that waits. */
  readonly depth: number | 'strict'
}

const DAY = 1440
const HORIZON = 70 * DAY

/**
 * When each job starts, minute by minute, everything computed anew; `undefined` for one that could never start. Written from the guide of PBS: what runs
 * and what is planned is a list of used processors by minute.
 */
export function primeCycles({ jobs, procs, days, holidays, endsWith, spill, exempt, depth }: PrimeWorld): (number | undefined)[] {
  const prime = Array.from({ length: HORIZON }, (_, minute) => {
    const [from, to] = days[Math.floor(minute / DAY) % 7] as PrimeWorld['days'][number]
    const now = minute % DAY
    if (holidays.includes(Math.floor(minute / DAY))) return false
    if (from === 'all' || to === 'none') return true
    if (from === 'none' || to === 'all') return false
    return from < to ? from <= now && now < to : !(to <= now && now < from)
  })
  const change = new Array<number>(HORIZON).fill(Infinity)
  for (let minute = HORIZON - 2; minute >= 0; minute--) change[minute] = prime[minute + 1] === prime[minute] ? (change[minute + 1] as number) : minute + 1
  const may = ({ queue, length }: PrimeJob, minute: number): boolean => {
    const isPrime = prime[minute] === true
    if ((queue === 'p_day' && !isPrime) || (queue === 'np_night' && isPrime)) return false
    if (queue === 'workq' && exempt) return true
    const end = change[minute] as number
    if (!(isPrime ? endsWith.prime : endsWith.nonPrime) || Math.floor(end / DAY) * DAY > minute + 7 * DAY) return true
    return minute + length <= end + (isPrime ? spill.nonPrime : spill.prime)
  }

  const used = new Int16Array(HORIZON)
  const take = (of: Int16Array, { length, procs: asked }: PrimeJob, from: number) => {
    for (let minute = from; minute < from + length; minute++) of[minute] = (of[minute] as number) + asked
  }
  const starts: (number | undefined)[] = jobs.map(() => undefined)
  const latest = Math.max(...jobs.map(({ submit }) => submit)) + 45 * DAY
  const isHopeless = jobs.map((job) => !Array.from({ length: 20 * DAY }, (_, i) => job.submit + i).some((minute) => may(job, minute)))
  for (let now = 0; now < latest; now++) {
    const isEvent = jobs.some(({ submit, length }, i) => submit === now || (starts[i] ?? Infinity) + length === now) || change[now - 1] === now
    const waiting = isEvent ? jobs.flatMap((job, i) => (job.submit <= now && starts[i] === undefined && isHopeless[i] === false ? [i] : [])) : []
    if (waiting.length === 0) continue
    const plan = used.slice()
    const fits = ({ length, procs: asked }: PrimeJob, from: number) => {
      for (let minute = from; minute < from + length; minute++) if ((plan[minute] as number) + asked > procs) return false
      return true
    }
    let planned = 0
    for (const i of waiting) {
      const job = jobs[i] as PrimeJob
      if (may(job, now) && fits(job, now)) {
        starts[i] = now
        take(used, job, now)
        take(plan, job, now)
      } else if (depth === 'strict') break
      else if (planned < depth) {
        let start = now + 1
        while (start < HORIZON - job.length && !(may(job, start) && fits(job, start))) start++
        planned++
        take(plan, job, start)
      }
    }
  }
  return starts
}
