/** A job of one gang on one pool: so much of it for so many seconds, with or without an estimate. */
export interface PoolJob {
  readonly id: string
  readonly submit: number
  readonly size: number
  readonly duration: number
  readonly estimate?: number
}

/** A run of a job, until its end or its preemption. */
export interface Piece {
  readonly id: string
  readonly from: number
  readonly to: number
}

interface State {
  readonly job: PoolJob
  readonly rank: number
  /** Seconds that it has run in all. */
  done: number
  /** When it started, while it runs. */
  started: number | undefined
  /** Of LAS. */
  queue: number
  service: number
  ran: number
  waited: number
  /** Its place among the jobs of its queue, smallest first. */
  place: number
}

export type Rule =
  | { readonly kind: 'las'; readonly bySize: boolean; readonly queues: readonly number[]; readonly promote: number }
  | { readonly kind: 'srtf'; readonly bySize: boolean; readonly checkpoints: boolean }

/** Plays jobs on a pool under a rule, event by event; preemption loses and costs nothing. In the order of the ends of pieces, and of jobs inside an instant. */
export function playPool(capacity: number, jobs: readonly PoolJob[], rule: Rule): Piece[] {
  const states = jobs.map((job, rank): State => ({ job, rank, done: 0, started: undefined, queue: 0, service: 0, ran: 0, waited: 0, place: rank }))
  const pieces: Piece[] = []
  let now = 0
  const present = () => states.filter(({ job, done }) => job.submit <= now && done < job.duration)
  const stop = (state: State) => {
    pieces.push({ id: state.job.id, from: state.started as number, to: now })
    state.started = undefined
  }
  let last = states.length
  const toTheEnd = (state: State) => (state.place = ++last)
  for (;;) {
    for (const state of states) if (state.job.submit === now) toTheEnd(state)
    for (const state of present()) if (requeue(state, rule)) toTheEnd(state)
    schedule(capacity, present(), rule, now, stop)
    const inOrder = states.toSorted((a, b) => a.place - b.place)
    for (const state of inOrder.filter(({ started }) => started !== undefined)) toTheEnd(state)
    for (const state of inOrder.filter(({ started }) => started === undefined)) toTheEnd(state)
    const next = Math.min(...states.map((state) => nextOf(state, rule, now)))
    if (next === Infinity) return pieces
    for (const state of present()) pass(state, rule, next - now)
    now = next
    for (const state of states) if (state.started !== undefined && state.done === state.job.duration) stop(state)
  }
}

const rateOf = ({ job }: State, { bySize }: Rule) => (bySize ? job.size : 1)

/** When something happens to the job by itself. */
function nextOf(state: State, rule: Rule, now: number): number {
  const { job, done, started, queue, service, ran, waited } = state
  if (done === job.duration) return Infinity
  if (job.submit > now) return job.submit
  const times: number[] = []
  if (started !== undefined) times.push(now + job.duration - done)
  if (rule.kind === 'las') {
    const threshold = rule.queues[queue]
    if (started !== undefined && threshold !== undefined) times.push(now + (threshold - service) / rateOf(state, rule))
    if (started === undefined && queue > 0 && rule.promote > 0) times.push(now + rule.promote * ran - waited)
  }
  return Math.min(Infinity, ...times)
}

function pass(state: State, rule: Rule, seconds: number): void {
  if (state.started !== undefined) {
    state.done += seconds
    state.ran += seconds
    state.service += seconds * rateOf(state, rule)
  } else if (state.queue > 0) state.waited += seconds
}

/** Puts a job where its service or its wait puts it; whether it is the last of another queue from now on. */
function requeue(state: State, rule: Rule): boolean {
  if (rule.kind !== 'las') return false
  const queue = rule.queues.filter((threshold) => state.service >= threshold).length
  if (queue > state.queue) {
    if (state.queue === 0) state.waited = 0
    state.queue = queue
    return true
  }
  const returns = state.started === undefined && state.queue > 0 && rule.promote > 0 && state.waited >= rule.promote * state.ran
  if (returns) Object.assign(state, { queue: 0, service: 0, ran: 0, waited: 0 })
  return returns
}

/** What comes first in the order, of numbers compared one after the other. */
function keyOf(state: State, rule: Rule, now: number): number[] {
  const { job, rank, started, place, queue, done } = state
  if (rule.kind === 'las') return [queue, place]
  const waits = started === undefined ? 1 : 0
  const behind = rule.checkpoints ? done : started === undefined ? 0 : now - started
  return [Math.max(0, (job.estimate ?? Infinity) - behind) * rateOf(state, rule), waits, rank]
}

function schedule(capacity: number, present: readonly State[], rule: Rule, now: number, stop: (state: State) => void): void {
  const evicted = new Set<State>()
  for (let before = -1; before < evicted.size; ) {
    before = evicted.size
    const keys = new Map(present.map((state) => [state, keyOf(state, rule, now)]))
    const order = present.toSorted((a, b) => compare(keys.get(a) as number[], keys.get(b) as number[])).filter((state) => !evicted.has(state))
    const chosen = new Set<State>()
    let left = capacity
    for (const state of order) {
      if (state.job.size > left) continue
      left -= state.job.size
      chosen.add(state)
    }
    const free = () => capacity - present.reduce((sum, { started, job }) => sum + (started === undefined ? 0 : job.size), 0)
    for (const state of order) {
      if (state.started !== undefined || !chosen.has(state)) continue
      const gone: State[] = []
      let room = free()
      for (const other of order.toReversed()) {
        if (room >= state.job.size || other.started === undefined || chosen.has(other)) continue
        gone.push(other)
        room += other.job.size
      }
      if (room < state.job.size) throw new Error('what was chosen by amounts has no room')
      for (const other of gone.toReversed()) {
        if (room - other.job.size >= state.job.size) room -= other.job.size
        else {
          stop(other)
          evicted.add(other)
        }
      }
      state.started = now
    }
    for (const state of order) if (state.started === undefined && !evicted.has(state) && state.job.size <= free()) throw new Error('somebody fits and was not chosen')
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  const i = a.findIndex((value, at) => value !== b[at])
  return i < 0 ? 0 : (a[i] as number) < (b[i] as number) ? -1 : 1
}
