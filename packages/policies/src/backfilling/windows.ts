import { SchedError, suggest, ownValue, type ClusterView, type Env, type Round, type Seconds } from '@sched/core'
import type { WindowOption } from './options.js'
import type { Profile } from './profile.js'
import type { RigidLane } from './rigid-lane.js'
import { secondsOf } from './shown-time.js'

/** A span of time, in seconds of the run, in which amounts, or everything, are kept free. */
export interface Window extends Pick<WindowOption, 'demand'> {
  readonly from: Seconds
  readonly to: Seconds
  /** The option that it is of, such as `windows[0]`. */
  readonly field: string
}

/** The windows of an option, one by one if they come again. Throws `BAD_OPTION` for times that cannot be and resources that are not there. */
export function windowsOf(options: readonly WindowOption[], env: Env): Window[] {
  return options.flatMap((option, index) => occurrences(option, `windows[${index}]`, env))
}

function occurrences({ from: begin, to: end, every, times, demand }: WindowOption, field: string, env: Env): Window[] {
  const [from, to] = [secondsOf(begin, `${field}.from`, env), secondsOf(end, `${field}.to`, env)]
  const bad = (part: string, fact: string, wayOut: string) => new SchedError('BAD_OPTION', fact, { field: `${field}.${part}` }, wayOut)
  if (!(to > from)) throw bad('to', `the window ends at ${shown(end)} and begins at ${shown(begin)}.`, 'Let it end after its beginning.')
  if (every !== undefined && times === undefined) throw bad('every', `the window comes every ${every} s, for ever.`, 'Say how often in all (times).')
  if (every === undefined && times !== undefined) throw bad('times', `the window comes ${times} times.`, 'Say after how many seconds it comes again (every).')
  if (every !== undefined && every < to - from) throw bad('every', `the window lasts ${to - from} s and comes every ${every} s.`, 'Let it end before it comes again.')
  const { resources } = env.cluster
  const unknown = demand === 'all' ? undefined : Object.keys(demand).find((name) => !resources.includes(name))
  if (unknown !== undefined) throw bad('demand', `the cluster has no resource "${unknown}".`, suggest(unknown, resources))
  return Array.from({ length: times ?? 1 }, (_, i) => ({ from: from + i * (every ?? 0), to: to + i * (every ?? 0), demand, field }))
}

/** Reservations in advance and maintenance, as entries of a profile. */
export class Windows {
  readonly isEmpty: boolean
  /** Per window: from, to, and the amounts in the cluster's resources. */
  readonly #from: readonly Seconds[]
  readonly #to: readonly Seconds[]
  readonly #amounts: readonly (Window['demand'])[]
  readonly #cluster: ClusterView
  /** By lane and window, its amounts by resource of the lane. */
  readonly #taken = new Map<RigidLane, Float64Array[]>()

  constructor(windows: readonly Window[], cluster: ClusterView) {
    this.isEmpty = windows.length === 0
    this.#from = windows.map(({ from }) => from)
    this.#to = windows.map(({ to }) => to)
    this.#amounts = windows.map(({ demand }) => demand)
    this.#cluster = cluster
  }

  /** Takes the amounts that windows keep free out of the profile, from its first step on. */
  takeFrom(profile: Profile, lane: RigidLane): void {
    const now = profile.times[profile.first] as number
    for (let i = 0; i < this.#to.length; i++)
      if ((this.#to[i] as number) > now) profile.take(Math.max(now, this.#from[i] as number), this.#to[i] as number, this.#amountsIn(lane, i), 0)
  }

  /** Asks for a round at the next end of a window: that may let a job start, and nothing else need happen then. */
  wake(round: Round): void {
    const { now } = round
    let next = Infinity
    for (let i = 0; i < this.#to.length; i++) {
      const to = this.#to[i] as number
      if (to > now && to < next) next = to
    }
    if (next < Infinity) round.wakeAt(next)
  }

  /** By resource of the lane, what a window takes. */
  #amountsIn(lane: RigidLane, window: number): Float64Array {
    const demand = this.#amounts[window] as Window['demand']
    if (demand === 'all') return lane.capacity
    let amounts = this.#taken.get(lane)
    if (amounts === undefined) this.#taken.set(lane, (amounts = []))
    return (amounts[window] ??= Float64Array.from(lane.resources, (resource) => ownValue(demand, this.#cluster.resources[resource] ?? '') ?? 0))
  }
}

const shown = (time: number | string): string => (typeof time === 'number' ? `${time} s` : time)

/** Throws `BAD_OPTION` for a window of amounts, which a plan that names nodes cannot respect. */
export function refuseAmounts(windows: readonly Window[]): void {
  const counted = windows.find(({ demand }) => demand !== 'all')
  if (counted === undefined) return
  throw new SchedError('BAD_OPTION', 'a window takes amounts, but reservations name nodes.', { field: `${counted.field}.demand` }, "Take 'all', or use { nodes: 'counted' }.")
}

/** Fills the profile with what running pieces hold until their expected ends, and with windows. */
export function planRunning(profile: Profile, lane: RigidLane, windows: Windows, now: Seconds): void {
  profile.reset(now, lane.free)
  const { width, running } = lane
  const { ends, held } = running
  const { to } = ends
  for (let i = 0; i < to; ) {
    const end = ends.endAt(i)
    if (end === Infinity) break
    if (end > (profile.times[profile.last] as number)) profile.append(end)
    const isWhole = ends.beginsChunk(i) && ends.latestIn(i) === end
    const column = isWhole ? ends.sumsIn(i, held, width) : held
    const from = isWhole ? 0 : ends.pieceAt(i) * width
    const at = profile.last * width
    for (let r = 0; r < width; r++) profile.free[at + r] = (profile.free[at + r] as number) + (column[from + r] as number)
    i = isWhole ? ends.afterChunk(i) : ends.after(i)
  }
  if (!windows.isEmpty) windows.takeFrom(profile, lane)
}
