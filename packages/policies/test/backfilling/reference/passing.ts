import { endsOnly } from './disciplines.js'
import { fits, minus, type Machine, type Pass, type RigidJob } from './machine.js'

interface Passing {
  readonly extra: boolean
  readonly endBefore: boolean
  readonly keepHead: boolean
}

/** EASY with what simulators make of it: who may pass the first waiting job, and whether that stays the first. `order` sorts what waits; `backfills: false`: nobody passes. */
export const passing = ({ extra: hasExtra, endBefore, keepHead }: Passing, order: (jobs: RigidJob[]) => RigidJob[], backfills = true): Pass => {
  let kept: { head: RigidJob; shadow: number } | undefined
  return (machine) => {
    if (kept !== undefined && fits(kept.head.size, machine.free())) machine.start(kept.head)
    if (kept !== undefined && machine.starts.has(kept.head)) kept = undefined
    while (kept === undefined) {
      const head = order(machine.waiting)[0]
      if (head === undefined) return
      if (fits(head.size, machine.free())) machine.start(head)
      else kept = { head, shadow: backfills ? shadowOf(head, machine) : -1 }
    }
    const { head, shadow } = kept
    let extra = hasExtra ? minus(machine.freeAt(shadow), head.size) : head.size.map(() => -1)
    for (const job of order(machine.waiting)) {
      const end = machine.now + job.estimate
      const inTime = endBefore ? end < shadow : end <= shadow
      if (job === head || !fits(job.size, machine.free()) || !(inTime || fits(job.size, extra))) continue
      machine.start(job)
      if (end > shadow) extra = minus(extra, job.size)
    }
    if (!keepHead) kept = undefined
  }
}

const shadowOf = (head: RigidJob, machine: Machine): number => {
  const ends = machine.running.map(({ expected }) => expected)
  for (const t of endsOnly(machine.now, ends)) if (fits(head.size, machine.freeAt(t))) return t
  throw new Error('the head is larger than the machine')
}
