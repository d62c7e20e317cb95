import { randomStream, streamKey, type JobSpec } from '@sched/core'
import { BATCH_SCHEDULERS, machine, task, thinking, type OmegaWorld } from '../benchmarks/omega-world.js'
import type { Outcome } from '../harness/benchmark.js'
import type { DecisionHash } from '../harness/decision-hash.js'
import { ObjectHeap } from './object-heap.js'

interface Machine {
  cpu: number
  mem: number
  sequence: number
}
interface Job {
  readonly spec: JobSpec
  readonly rank: number
  left: number
  isHeld: boolean
}
interface Claim {
  readonly machine: number
  readonly seen: number
}
interface Transaction {
  readonly job: Job
  readonly claims: readonly Claim[]
}
interface Scheduler {
  readonly kind: 'batch' | 'service'
  readonly random: () => number
  readonly candidates: number[]
  queue: Job[]
  transaction: Transaction | undefined
}

/** Kinds of events of one instant, in order. */
const [END, SUBMIT, CLOSE, LET_GO] = [0, 1, 2, 3]

/**
 * Shared state as the paper tells it, without plug-ins and metrics: machines, jobs and events are objects, and every
 * transaction clones the machines. The same decisions as `sharedState` with coarse detection, `fifo` and `random-fit`.
 */
export function naiveOmega({ machines, workload }: OmegaWorld, hash?: DecisionHash): Outcome {
  return new NaiveOmega(machines, hash).run(workload.open())
}

class NaiveOmega {
  readonly #cell: Machine[]
  readonly #schedulers: Scheduler[]
  readonly #events = new ObjectHeap()
  readonly #subjects: (() => void)[] = []
  readonly #hash: DecisionHash | undefined
  #now = 0
  #launches = 0
  #transactions = 0

  constructor(machines: number, hash: DecisionHash | undefined) {
    this.#hash = hash
    this.#cell = Array.from({ length: machines }, () => ({ ...machine, sequence: 0 }))
    const names = [...Array.from({ length: BATCH_SCHEDULERS }, (_, i) => `batch-${i}`), 'service']
    this.#schedulers = names.map((name) => ({
      kind: name === 'service' ? 'service' : 'batch',
      random: randomStream(1, `policy:${name}:random-fit`),
      candidates: Array.from({ length: machines }, (_, i) => i),
      queue: [],
      transaction: undefined,
    }))
  }

  run(source: { next(): JobSpec | undefined }): Outcome {
    for (let spec = source.next(), rank = 0; spec !== undefined; spec = source.next(), rank++) {
      const job = { spec, rank, left: spec.stages[0]?.tasks ?? 0, isHeld: false }
      const owner = this.#schedulers[spec.class === 'service' ? BATCH_SCHEDULERS : (streamKey(0, spec.id) >>> 0) % BATCH_SCHEDULERS] as Scheduler
      this.#at(spec.submit, SUBMIT, () => owner.queue.push(job))
    }
    while (this.#events.next < Infinity) {
      this.#now = this.#events.next
      while (this.#events.next === this.#now) this.#subjects[this.#events.pop()?.subject ?? -1]?.()
      for (const scheduler of this.#schedulers) this.#begin(scheduler)
    }
    return { work: this.#launches, check: this.#now, facts: { transactions: this.#transactions } }
  }

  #at(time: number, kind: number, act: () => void): void {
    this.#events.push(time, kind, this.#subjects.push(act) - 1)
  }

  #begin(scheduler: Scheduler): void {
    const [job] = scheduler.transaction === undefined ? scheduler.queue.filter(({ isHeld }) => !isHeld).sort((a, b) => a.rank - b.rank) : []
    if (job === undefined) return
    const claims = place(job, this.#cell.map((each) => ({ ...each })), scheduler)
    scheduler.transaction = { job, claims }
    const { job: perJob, task: perTask } = thinking[scheduler.kind]
    this.#at(this.#now + (perJob + perTask * job.left), CLOSE, () => this.#commit(scheduler, job, claims))
  }

  #commit(scheduler: Scheduler, job: Job, claims: readonly Claim[]): void {
    scheduler.transaction = undefined
    if (claims.length > 0) this.#transactions++
    const accepted = claims.filter(({ machine, seen }) => this.#cell[machine]?.sequence === seen && fits(this.#cell[machine]))
    for (const { machine } of accepted) this.#start(job, machine)
    job.left -= accepted.length
    if (job.left === 0) scheduler.queue = scheduler.queue.filter((other) => other !== job)
    else {
      job.isHeld = true
      this.#at(this.#now + 1, LET_GO, () => (job.isHeld = false))
    }
  }

  #start({ spec, rank }: Job, machine: number): void {
    const on = this.#cell[machine] as Machine
    take(on)
    on.sequence++
    this.#launches++
    this.#hash?.add(rank, machine, this.#now)
    this.#at(this.#now + (spec.stages[0]?.duration as number), END, () => {
      on.cpu += task.cpu
      on.mem += task.mem
    })
  }
}

const fits = (on: Machine | undefined): boolean => on !== undefined && on.cpu >= task.cpu && on.mem >= task.mem

function take(on: Machine): void {
  on.cpu -= task.cpu
  on.mem -= task.mem
}

/** Random machines of a copy of the cell; one on which nothing fits any more is dropped for this transaction. */
function place(job: Job, copy: Machine[], { candidates, random }: Scheduler): Claim[] {
  const claims: Claim[] = []
  for (let pool = candidates.length; pool > 0 && claims.length < job.left; ) {
    const at = Math.floor(random() * pool)
    const machine = candidates[at] as number
    const on = copy[machine] as Machine
    if (fits(on)) {
      claims.push({ machine, seen: on.sequence })
      take(on)
    } else {
      pool--
      candidates[at] = candidates[pool] as number
      candidates[pool] = machine
    }
  }
  return claims
}
