import { extend, Machine, type Pass, type RigidJob, type Running } from './machine.js'

/** A job that comes at a time which is known by now. */
interface Coming {
  readonly index: number
  readonly time: number
}

/**
 * Start times of all jobs, listed by submission, some of which may follow others; no job has parts. One pass per instant, or one after each event:
 *
 * `ends-first`: all ends of the instant in the order of the starts, also of what a pass between them starts and ends at once; then all submissions,
 * those of the list before those that have waited for others; then what their passes start and end at once, and who follows that.
 * `submits-first`: all submissions, then one end; then who follows that, and so on.
 */
export function scheduleByEvent(jobs: readonly RigidJob[], capacity: readonly number[], pass: Pass, mode: 'ends-first' | 'submits-first' | undefined, extension = 60): number[] {
  const machine = new Machine(capacity)
  const listed = jobs.map(({ submit }, index): Coming => ({ index, time: submit }))
  let followers: Coming[] = []
  const started = new Map<RigidJob, number>()
  const ended = new Map<RigidJob, number>()
  let asked: number[] = []

  const follow = (index: number, happened: number) => void followers.push({ index, time: happened + (jobs[index]?.follows?.think ?? 0) })
  /** Jobs that have come in the list and wait for an event. */
  const held = new Set<number>()
  const happens = (job: RigidJob, on: 'start' | 'end') => {
    ;(on === 'start' ? started : ended).set(job, machine.now)
    for (const index of held) {
      const { follows } = jobs[index] as RigidJob
      if (follows === undefined || jobs[follows.job] !== job || follows.on !== on) continue
      held.delete(index)
      follow(index, machine.now)
    }
  }
  const decide = () => {
    for (const running of machine.running) extend(running, machine.now, extension, mode === undefined)
    asked = [...asked, pass(machine) ?? Infinity].filter((time) => time > machine.now && time < Infinity)
    machine.ended = machine.gaveBack = []
    for (const { job } of machine.running) if (!started.has(job)) happens(job, 'start')
  }
  const afterEvent = () => {
    if (mode !== undefined) decide()
  }

  /** Whether it is submitted. */
  const submit = (index: number): boolean => {
    const job = jobs[index] as RigidJob
    const { follows } = job
    const other = follows && jobs[follows.job]
    const happened = other === undefined ? -Infinity : (follows?.on === 'start' ? started : ended).get(other)
    if (happened === undefined) held.add(index)
    else if (happened + (follows?.think ?? 0) > machine.now) follow(index, happened)
    else machine.waiting.push(job)
    return machine.waiting.at(-1) === job
  }
  const submitAll = (): boolean => {
    let came = false
    for (let next = listed[0]; next !== undefined && next.time <= machine.now; next = listed[0]) {
      listed.shift()
      if (!submit(next.index)) continue
      came = true
      afterEvent()
    }
    const due = followers.filter(({ time }) => time <= machine.now)
    followers = followers.filter(({ time }) => time > machine.now)
    for (const { index } of due) {
      const job = jobs[index] as RigidJob
      machine.waiting.push(job)
      machine.came.set(job, machine.now)
      afterEvent()
    }
    return came || due.length > 0
  }
  const endOf = ({ start, job }: Running) => start + job.runtime
  const endOne = (): boolean => {
    const over = machine.running.find((running) => endOf(running) <= machine.now)
    if (over === undefined) return false
    machine.running = machine.running.filter((running) => running !== over)
    over.parts = []
    machine.ended = machine.gaveBack = [...machine.ended, over]
    happens(over.job, 'end')
    afterEvent()
    return true
  }
  const endAll = (): boolean => {
    let isAny = false
    while (endOne()) isAny = true
    return isAny
  }

  while (listed.length + followers.length + machine.running.length + asked.length > 0) {
    machine.now = Math.min(...asked, listed[0]?.time ?? Infinity, ...followers.map(({ time }) => time), ...machine.running.map(endOf))
    const isAsked = asked.includes(machine.now)
    asked = asked.filter((time) => time > machine.now)
    if (mode === 'submits-first') while (submitAll() || endOne());
    else if (mode === 'ends-first') while (endAll() || submitAll());
    else if ([endAll(), submitAll()].includes(true) || isAsked) decide()
    if (isAsked && mode !== undefined) decide()
  }
  return jobs.map((job) => machine.starts.get(job) ?? NaN)
}
