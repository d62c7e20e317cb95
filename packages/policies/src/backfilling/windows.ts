import { SchedError, suggest, ownValue, type ClusterView, type Round, type Seconds } from '@sched/core'
import type { Window } from './options.js'
import type { Profile } from './profile.js'
import type { RigidLane } from './rigid-lane.js'

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
    for (const [i, window] of windows.entries()) check(window, i, cluster)
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

function check({ from, to, demand }: Window, index: number, { resources }: ClusterView): void {
  const field = `windows[${index}]`
  if (!(to > from)) throw new SchedError('BAD_OPTION', `the window ends at ${to} s and begins at ${from} s.`, { field: `${field}.to` }, 'Let it end after its beginning.')
  const unknown = demand === 'all' ? undefined : Object.keys(demand).find((name) => !resources.includes(name))
  if (unknown !== undefined) throw new SchedError('BAD_OPTION', `the cluster has no resource "${unknown}".`, { field: `${field}.demand` }, suggest(unknown, resources))
}

/** Throws `BAD_OPTION` for a window of amounts, which a plan that names nodes cannot respect. */
export function refuseAmounts(windows: readonly Window[]): void {
  const counted = windows.findIndex(({ demand }) => demand !== 'all')
  if (counted < 0) return
  throw new SchedError('BAD_OPTION', 'a window takes amounts, but reservations name nodes.', { field: `windows[${counted}].demand` }, "Take 'all', or use { nodes: 'counted' }.")
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
