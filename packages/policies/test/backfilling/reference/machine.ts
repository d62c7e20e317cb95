/** A part of a job that starts with the others and ends by itself: so many tasks of a size each. */
export interface Part {
  readonly runtime: number
  readonly tasks: number
  readonly size: readonly number[]
}

/** What a job waits for: the end, or the start, of another one, and `think` seconds more. */
export interface Follows {
  /** Its place in the list of jobs, before that of the job itself. */
  readonly job: number
  readonly on: 'start' | 'end'
  readonly think: number
}

/** A rigid job: whole numbers only; `size` is its demand, one amount per resource. With `parts` it runs as long as the longest, and its size is that of all. */
export interface RigidJob {
  /** The least estimate to which its own may be lowered, and whether it must be on consecutive nodes: for the plain reference of named nodes. */
  readonly least?: number
  readonly isContiguous?: boolean
  readonly submit: number
  readonly follows?: Follows
  readonly runtime: number
  readonly estimate: number
  readonly size: readonly number[]
  readonly parts?: readonly Part[]
}

export interface Running {
  readonly job: RigidJob
  readonly start: number
  /** Start + estimate, until the job outlives it. */
  expected: number
  /** Parts that have ended hold nothing any more. */
  parts: readonly Part[]
}

/** The job itself is the only part of one that has none. */
export const partsOf = (job: RigidJob): readonly Part[] => job.parts ?? [{ runtime: job.runtime, tasks: 1, size: job.size }]

const held = ({ parts }: Running, r: number) => sum(parts.map(({ tasks, size }) => tasks * (size[r] ?? 0)))

/** A machine as a reference discipline sees it: plain arrays, in the order in which jobs came. */
export class Machine {
  now = 0
  readonly capacity: readonly number[]
  waiting: RigidJob[] = []
  running: Running[] = []
  /** Running jobs that ended since the last pass, with what they were expected to be; and those of which a part did, or the last one. */
  ended: Running[] = []
  gaveBack: Running[] = []
  readonly starts = new Map<RigidJob, number>()
  /** When jobs came that have waited for others; the others came when they say. */
  readonly came = new Map<RigidJob, number>()

  constructor(capacity: readonly number[]) {
    this.capacity = capacity
  }

  start(job: RigidJob): void {
    this.waiting = this.waiting.filter((other) => other !== job)
    this.running.push({ job, start: this.now, expected: this.now + job.estimate, parts: partsOf(job) })
    this.starts.set(job, this.now)
  }

  /** What is not held by running jobs at this moment. */
  free(): number[] {
    return this.capacity.map((amount, r) => amount - sum(this.running.map((running) => held(running, r))))
  }

  /** What will not be held by running jobs at time t, if they end as expected. */
  freeAt(t: number): number[] {
    return this.capacity.map((amount, r) => amount - sum(this.running.filter(({ expected }) => expected > t).map((running) => held(running, r))))
  }
}

export const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
export const fits = (size: readonly number[], free: readonly number[]) => size.every((amount, r) => amount <= (free[r] ?? 0))
export const minus = (a: readonly number[], b: readonly number[]) => a.map((amount, r) => amount - (b[r] ?? 0))

/** Decides at one instant, when all ends and submissions of the instant have happened; may say when it wants to be asked again. */
export type Pass = (machine: Machine) => number | void

/** Start times of all jobs under a discipline. At each instant: ends, then submissions, then one pass. */
export function schedule(jobs: readonly RigidJob[], capacity: readonly number[], pass: Pass, extension = 60): number[] {
  const machine = new Machine(capacity)
  const coming = [...jobs].sort((a, b) => a.submit - b.submit)
  let came = 0
  let asked: number[] = [] // also by plans that have been changed since
  while (came < coming.length || machine.running.length > 0 || asked.length > 0) {
    machine.now = Math.min(...asked, coming[came]?.submit ?? Infinity, ...machine.running.flatMap(({ start, parts }) => parts.map(({ runtime }) => start + runtime)))
    const isLeft = ({ start }: Running, { runtime }: Part) => start + runtime > machine.now
    machine.gaveBack = machine.running.filter((running) => !running.parts.every((part) => isLeft(running, part)))
    for (const running of machine.gaveBack) running.parts = running.parts.filter((part) => isLeft(running, part))
    machine.ended = machine.gaveBack.filter(({ parts }) => parts.length === 0)
    machine.running = machine.running.filter((running) => !machine.ended.includes(running))
    for (let job = coming[came]; job !== undefined && job.submit <= machine.now; job = coming[++came]) machine.waiting.push(job)
    for (const running of machine.running) extend(running, machine.now, extension)
    asked = [...asked, pass(machine) ?? Infinity].filter((time) => time > machine.now && time < Infinity)
  }
  return jobs.map((job) => machine.starts.get(job) ?? NaN)
}

/** A job that still runs at its expected end is given 60 s more, then 120 s, and so on; `isWhole` false: others may still end in this second, and so may it. */
export function extend(running: Running, now: number, extension: number, isWhole = true): void {
  const isOver = (end: number) => (isWhole ? end <= now : end < now)
  if (!isOver(running.expected) || running.start === now) return
  let end = running.start + running.job.estimate
  for (let more = extension; isOver(end); more *= 2) end += more
  running.expected = end
}
