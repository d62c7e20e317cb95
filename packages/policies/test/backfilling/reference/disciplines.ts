import { fits, minus, partsOf, sum, type Machine, type Pass, type RigidJob } from './machine.js'

/** How a reference looks for a time: at every second, or (in long logs) only where something is expected to end. */
export type Moments = (from: number, ends: readonly number[]) => Iterable<number>

export function* everySecond(from: number, ends: readonly number[]): Iterable<number> {
  for (let t = from; t <= Math.max(from, ...ends); t++) yield t
}
export const endsOnly: Moments = (from, ends) => [from, ...ends.filter((end) => end > from).sort((a, b) => a - b)]

/** The first job in the queue starts when it fits; until then nobody does. */
export const fcfs: Pass = (machine) => {
  for (let head = machine.waiting[0]; head !== undefined && fits(head.size, machine.free()); head = machine.waiting[0]) machine.start(head)
}

/** Survey, section 8: (1) start heads, (2) shadow and extra of the first that does not fit, (3) scan the others. */
export const easy =
  (moments: Moments = everySecond, backfillOrder: (jobs: RigidJob[]) => RigidJob[] = (jobs) => jobs): Pass =>
  (machine) => {
    fcfs(machine)
    const [head, ...others] = machine.waiting
    if (head === undefined) return
    const shadow = shadowOf(head, machine, moments)
    let extra = minus(machine.freeAt(shadow), head.size)
    for (const job of backfillOrder(others)) {
      const endsBefore = machine.now + job.estimate <= shadow
      if (!fits(job.size, machine.free()) || !(endsBefore || fits(job.size, extra))) continue
      machine.start(job)
      if (!endsBefore) extra = minus(extra, job.size)
    }
  }

/** The earliest time at which enough is free for the head, by the estimates of what runs. */
function shadowOf(head: RigidJob, machine: Machine, moments: Moments): number {
  const ends = machine.running.map(({ expected }) => expected)
  for (const t of moments(machine.now, ends)) if (fits(head.size, machine.freeAt(t))) return t
  throw new Error('the head is larger than the machine')
}

export interface FattenedChoice {
  readonly delayReference: 'firstShadow' | 'currentShadow'
  readonly delayingBackfillsPerHead: number
  readonly awt?: number
  readonly moments?: Moments
  /** Told of each start that delays the head: by how much after its first shadow time, and AWT at that moment. */
  readonly onDelay?: (delay: number, awt: number) => void
}

/** Survey, section 8: as EASY, but a job may also start if the head is delayed by less than the mean wait of finished jobs. */
export function fattened({ delayReference, delayingBackfillsPerHead, awt, moments = everySecond, onDelay }: FattenedChoice): Pass {
  const waits: number[] = []
  const firstShadow = new Map<RigidJob, number>()
  const delays = new Map<RigidJob, number>()
  return (machine) => {
    for (const { job, start } of machine.ended) waits.push(start - (machine.came.get(job) ?? job.submit))
    const limit = awt ?? (waits.length === 0 ? 0 : sum(waits) / waits.length)
    fcfs(machine)
    const [head, ...others] = machine.waiting
    if (head === undefined) return
    let shadow = shadowOf(head, machine, moments)
    if (!firstShadow.has(head)) firstShadow.set(head, shadow)
    for (const job of others) {
      if (!fits(job.size, machine.free())) continue
      const running = { job, start: machine.now, expected: machine.now + job.estimate, parts: partsOf(job) }
      machine.running.push(running)
      const after = shadowOf(head, machine, moments)
      machine.running.pop()
      const reference = delayReference === 'firstShadow' ? (firstShadow.get(head) ?? NaN) : shadow
      const mayDelay = (delays.get(head) ?? 0) < delayingBackfillsPerHead && after - reference < limit
      if (after > shadow && !mayDelay) continue
      machine.start(job)
      if (after > shadow) {
        delays.set(head, (delays.get(head) ?? 0) + 1)
        onDelay?.(after - (firstShadow.get(head) ?? NaN), limit)
      }
      shadow = after
    }
  }
}
