import { SchedError, type Env, type NodeId, type Seconds } from '@sched/core'
import { RunClock } from '../run-clock.js'

/** The label of nodes that says in which zone they are. */
const ZONE = 'volcano.sh/revocable-zone'
const DAY: Seconds = 86_400
/** What `#zones` has for a node in no zone. */
const NONE = -1

/** A part of every day, in seconds after midnight; the end does not belong to it. */
interface Hours {
  readonly from: Seconds
  readonly to: Seconds
}

/**
 * Nodes that jobs may use only in some hours of the day: those with the label `volcano.sh/revocable-zone`. A zone is open from the beginning of its hours
 * to the end of the second in which they end, by the clock of the workload's time zone. Of hours that go over midnight, those after it do not count. A
 * zone without hours is never open.
 *
 * Source: Volcano, plugins/tdm (availableRevocableZone).
 */
export class RevocableZones {
  readonly #hours: readonly (Hours | undefined)[]
  /** By node: the index of its zone in `#hours`, or `NONE`. */
  readonly #zones: Int32Array
  readonly #areOpen: Uint8Array
  /** The nodes that are in a zone. */
  readonly nodes: readonly NodeId[]
  readonly #clock: RunClock
  #next: Seconds = -Infinity

  /** `hours`: by zone, `10:00-21:00`. Throws `BAD_OPTION` for hours that are written otherwise. */
  constructor(hours: Readonly<Record<string, string>>, { cluster, start, timeZone, warn }: Pick<Env, 'cluster' | 'start' | 'timeZone' | 'warn'>) {
    const names = Object.keys(hours)
    const all: (Hours | undefined)[] = names.map((name) => hoursOf(hours[name] as string, name))
    this.#zones = Int32Array.from({ length: cluster.nodes }, (_, node) => {
      const name = cluster.label(node as NodeId, ZONE)
      if (name === undefined || name === '') return NONE
      const known = names.indexOf(name)
      if (known >= 0) return known
      all.push(undefined)
      names.push(name)
      return all.length - 1
    })
    this.nodes = [...this.#zones.keys()].filter((node) => this.#zones[node] !== NONE) as NodeId[]
    this.#hours = all
    this.#areOpen = new Uint8Array(all.length)
    this.#clock = new RunClock({ start, timeZone }, 0)
    if (!this.#clock.isDated && all.some((each) => each !== undefined && each.to - each.from < DAY))
      warn('the zones of tdm have hours, and the workload does not say when it began: they count as if that had been at midnight')
  }

  /** The next time at which a zone opens or closes; `Infinity`: never. */
  get next(): Seconds {
    return this.#next
  }

  isIn(node: NodeId): boolean {
    return this.#zones[node] !== NONE
  }

  isOpen(node: NodeId): boolean {
    return this.#areOpen[this.#zones[node] as number] === 1
  }

  /** Brings current which zones are open; returns whether any has opened or closed. */
  look(now: Seconds): boolean {
    if (now < this.#next) return false
    let isOther = false
    const clock = this.#clock.shown(now)
    const time = clock - Math.floor(clock / DAY) * DAY
    this.#next = Infinity
    for (const [zone, hours] of this.#hours.entries()) {
      if (hours === undefined) continue
      const isOpen = Number(hours.from <= time && time < hours.to)
      isOther ||= this.#areOpen[zone] !== isOpen
      this.#areOpen[zone] = isOpen
      this.#next = Math.min(this.#next, this.#changeAfter(now, clock - time, hours))
    }
    return isOther
  }

  /** The first time after `now` at which these hours begin or end; `midnight`: the beginning of the day on the clock. */
  #changeAfter(now: Seconds, midnight: Seconds, { from, to }: Hours): Seconds {
    if (to - from === DAY) return Infinity
    for (let day = midnight; ; day += DAY)
      for (const at of [day + from, day + to]) {
        const time = this.#clock.timeOf(at)
        if (time > now) return time
      }
  }
}

/** Hours of the day as Volcano reads them (`15:04` of Go): the hour with one or two digits, the minute with two. */
const HOURS = /^([01]?\d|2[0-3]):([0-5]\d)-([01]?\d|2[0-3]):([0-5]\d)$/

function hoursOf(text: string, zone: string): Hours {
  const found = HOURS.exec(text.trim())
  if (found === null)
    throw new SchedError('BAD_OPTION', `found ${JSON.stringify(text)}, expected hours of the day.`, { field: `revocableZones.${zone}` }, 'Write them as 10:00-21:00.')
  const [hour, minute, lastHour, lastMinute] = found.slice(1).map(Number) as [number, number, number, number]
  const [from, end] = [hour * 3600 + minute * 60, lastHour * 3600 + lastMinute * 60]
  return { from, to: from < end ? end + 1 : DAY }
}
