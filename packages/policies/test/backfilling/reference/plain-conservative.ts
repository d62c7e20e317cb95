import { fits, type Pass, type RigidJob } from './machine.js'

/** From `time` until the time of the next step this is free; the last step has no end. */
interface Step {
  time: number
  free: number[]
}

/**
 * Conservative backfilling with a list of steps instead of a scan over seconds, for logs: the profile is built from what
 * runs and is reserved at every pass, and a reservation is really taken out before an earlier place is looked for.
 */
export function plainConservative(): Pass {
  const reserved = new Map<RigidJob, number>()
  return (machine) => {
    const { now } = machine
    const profile: Step[] = [{ time: now, free: [...machine.capacity] }]
    for (const { job, expected } of machine.running) change(profile, now, expected, job.size, -1)
    for (const [job, start] of reserved) change(profile, start, start + job.estimate, job.size, -1)
    if (machine.ended.some(({ expected }) => expected > now))
      for (const job of machine.waiting) {
        const old = reserved.get(job)
        if (old === undefined) continue
        change(profile, old, old + job.estimate, job.size, 1)
        place(job, Math.min(old, earliest(profile, job)), profile, reserved)
      }
    for (const job of machine.waiting) if (!reserved.has(job)) place(job, earliest(profile, job), profile, reserved)
    for (const job of machine.waiting)
      if (reserved.get(job) === now && fits(job.size, machine.free())) {
        reserved.delete(job)
        machine.start(job)
      }
    return Math.min(...[...reserved.values()].filter((start) => start > now))
  }
}

function place(job: RigidJob, start: number, profile: Step[], reserved: Map<RigidJob, number>): void {
  reserved.set(job, start)
  change(profile, start, start + job.estimate, job.size, -1)
}

function earliest(profile: readonly Step[], job: RigidJob): number {
  const from = profile.findIndex(({ time }, i) => {
    for (let k = i; k < profile.length && (k === i || (profile[k] as Step).time < time + job.estimate); k++) if (!fits(job.size, (profile[k] as Step).free)) return false
    return true
  })
  return (profile[from] as Step).time
}

function change(profile: Step[], from: number, to: number, size: readonly number[], sign: 1 | -1): void {
  split(profile, from)
  split(profile, to)
  for (const step of profile) if (step.time >= from && step.time < to) step.free = step.free.map((amount, r) => amount + sign * (size[r] ?? 0))
}

function split(profile: Step[], time: number): void {
  const after = profile.findIndex((step) => step.time >= time)
  if (after >= 0 && profile[after]?.time === time) return
  const at = after < 0 ? profile.length : after
  const before = profile[at - 1]
  if (before !== undefined) profile.splice(at, 0, { time, free: before.free })
}
