import fc from 'fast-check'
import type { EndRow, JobId, JobSpec, LaneId, NodeId, Observer, StartRow, TaskEnd, TaskId, WorkView } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { counts, fairness, jobRows, jobTimes, jobWait, locality, median, preemption, promises, standardMetrics, utilisation, waitReasons, type JobRow, type LaterTasks, type Summary, type WaitRow } from '../src/index.js'
import { simulated, type Recorded, type SmallRun } from './simulated.js'

const smallRun: fc.Arbitrary<SmallRun> = fc.record({
  seed: fc.nat(1e6),
  heartbeat: fc.boolean(),
  until: fc.constantFrom(Infinity, 25, 60),
  evictions: fc.constantFrom(0, 0.05),
  jobs: fc.array(
    fc.record({
      gap: fc.constantFrom(0, 0.5, 7),
      maps: fc.integer({ min: 1, max: 9 }),
      reduces: fc.integer({ min: 0, max: 3 }),
      queue: fc.constantFrom('ads', 'web'),
      label: fc.constantFrom(undefined, 'bin 2', 'bin 10'),
    }),
    { minLength: 1, maxLength: 8 },
  ),
})

/** Every law holds on 60 random runs; a failure prints its seed. */
const holds = (law: (recorded: Recorded, summary: Summary, run: SmallRun) => void) =>
  fc.assert(
    fc.property(smallRun, (run) => {
      const metrics = standardMetrics({ fairness: { queues: true } })
      law(simulated(run, [metrics]), metrics.result(), run)
    }),
    { seed: 7, numRuns: 60 },
  )

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const submitOf = ({ submits }: Recorded, job: string) => submits.find((each) => each.job === job)?.now as number

/** Tells an observer of one task at a time. */
function taskByTask(observer: ReturnType<typeof standardMetrics>): Observer {
  return {
    onRunStart: (run) => observer.onRunStart(run),
    onSubmit: (job, spec, now) => observer.onSubmit(job, spec, now),
    onJobEnd: (job, spec, now) => observer.onJobEnd(job, spec, now),
    onRunEnd: (now) => observer.onRunEnd(now),
    onTasksStart: (row: StartRow, now: number) => {
      for (let i = 0; i < row.count; i++) observer.onTasksStart({ ...row, count: 1, tasks: row.tasks.slice(i), nodes: row.nodes.slice(i) }, now)
    },
    onTasksEnd: (row: EndRow, now: number) => {
      for (let i = 0; i < row.count; i++) observer.onTasksEnd({ ...row, count: 1, tasks: row.tasks.slice(i), nodes: row.nodes.slice(i) }, now)
    },
  }
}

describe('standard metrics', () => {
  it('are the same, to the last bit, told of tasks in rows or one by one', { tags: 'long' }, () => {
    let longest = 0
    fc.assert(
      fc.property(smallRun, (run) => {
        const [rows, single] = [standardMetrics(), standardMetrics()]
        simulated({ ...run, jitter: 0 }, [rows, taskByTask(single), { onTasksEnd: ({ count }) => void (longest = Math.max(longest, count)) }])
        expect(rows.result()).toEqual(single.result())
      }),
      { seed: 7, numRuns: 60 },
    )
    expect(longest).toBeGreaterThan(1)
  })

  it('agree with a recount of waits and responses from the list of events', () => {
    holds((recorded, { times }) => {
      const first = new Map<string, number>()
      for (const { job, now } of recorded.starts) if (!first.has(job)) first.set(job, now)
      const expected = [...first].map(([job, now]) => now - submitOf(recorded, job))
      const responses = recorded.finishes.map(({ job, now }) => now - submitOf(recorded, job))
      expect(times.started).toBe(first.size)
      expect(times.wait.median).toBe(median(expected))
      expect(times.wait.mean).toBeCloseTo(sum(expected) / expected.length, 9)
      expect(times.response.max).toBe(responses.length === 0 ? NaN : Math.max(...responses))
      expect(times.response.median).toBe(median(responses))
      expect(times.makespan).toBe((recorded.finishes.at(-1)?.now ?? NaN) - (recorded.submits[0]?.now as number))
    })
  })

  it('agree with a recount of launches by level, over tasks and over jobs', () => {
    holds((recorded, { locality: near }) => {
      const withData = recorded.starts.filter(({ level }) => level >= 0)
      expect(near.launches).toEqual([0, 1, 2].map((level) => withData.filter((start) => start.level === level).length))
      const shares = [...new Set(withData.map(({ job }) => job))].map((job) => {
        const own = withData.filter((start) => start.job === job)
        return own.filter(({ level }) => level === 0).length / own.length
      })
      expect(near.jobs).toBe(shares.length)
      if (shares.length > 0) expect(near.jobShare[0]).toBeCloseTo(sum(shares) / shares.length, 12)
    })
  })

  it('account for every busy slot second, which a sweep over instants finds as well', () => {
    let several = 0
    holds((recorded, { utilisation: { span, resources, queues } }) => {
      expect(span).toBe(recorded.end - (recorded.submits[0]?.now as number))
      for (const [lane, use] of resources.entries()) {
        expect(use.useful + use.lost + use.unreported + use.unfinished).toBeCloseTo(use.busy, 9)
        expect(use.busy).toBeCloseTo(busySeconds(recorded, lane), 6)
        expect(use.lost).toBeCloseTo(sum(recorded.ends.filter((end) => end.lane === lane && end.how === 'evicted').map(({ started, stopped }) => stopped - started)), 9)
        expect(use.capacity).toBe(6)
        if (span > 0) expect(use.utilisation).toBeLessThanOrEqual(1 + 1e-12)
      }
      const names = [...new Set(recorded.submits.map(({ spec }) => spec.queue as string))].sort()
      expect(queues?.map(({ queue }) => queue)).toEqual(names.length > 1 ? names : undefined)
      for (const { queue, busy, utilisation } of queues ?? [])
        for (const [lane, amount] of busy.entries()) {
          const isOwn = ({ job }: { readonly job: string }) => recorded.submits.find((submit) => submit.job === job)?.spec.queue === queue
          const own = { ...recorded, starts: recorded.starts.filter(isOwn), ends: recorded.ends.filter(isOwn) }
          expect(amount).toBeCloseTo(busySeconds(own, lane), 6)
          if (span > 0) expect(utilisation[lane]).toBeCloseTo(amount / (6 * span), 12)
          several++
        }
    })
    expect(several).toBeGreaterThan(50)
  })

  it('lose no job, task or launch', () => {
    holds((recorded, { counts: all, times, classes, preemption: lost }, { until }) => {
      expect(all.launches).toBe(recorded.starts.length)
      expect(all.jobs).toBe(recorded.submits.length)
      expect(all.evicted).toBe(lost.tasks)
      expect(sum(lost.queues.map(({ tasks }) => tasks))).toBe(lost.tasks)
      expect(times.finished).toBe(all.finished)
      expect(sum(classes.map(({ times: own }) => own.jobs))).toBe(recorded.submits.filter(({ spec }) => spec.label !== undefined).length)
      if (until === Infinity) expect([all.tasksDone, all.launches, all.finished]).toEqual([all.tasks, all.tasks + all.evicted, all.jobs])
    })
  })

  it('sample the shares that the list of events gives for the end of that instant', () => {
    fc.assert(
      fc.property(smallRun, (run) => {
        const sampler = fairness({ series: ['ads', 'web'], step: 0.7 })
        const recorded = simulated(run, [sampler])
        for (const [lane, { seconds, times, series, queues }] of sampler.result().entries()) {
          expect(seconds).toBeLessThanOrEqual(recorded.end - (recorded.submits[0]?.now as number) + 1e-9)
          for (const { queue, share } of series) expect(share).toEqual(times.map((time) => heldAt(recorded, lane, queue, time) / 6))
          for (const { share, fairShare, deviation } of queues) expect(deviation).toBeGreaterThanOrEqual(Math.abs(share - fairShare) - 1e-9)
        }
      }),
      { seed: 7, numRuns: 40 },
    )
  })

  it('were tried on runs with evictions, unreported ends, runs cut short and launches at every level', () => {
    const seen = { evicted: 0, unreported: 0, unfinished: 0, levels: [0, 0, 0] }
    holds((_, { counts: all, utilisation: { resources }, locality: near }) => {
      seen.evicted += all.evicted
      seen.unreported += sum(resources.map(({ unreported }) => unreported))
      seen.unfinished += sum(resources.map(({ unfinished }) => unfinished))
      seen.levels = seen.levels.map((count, level) => count + (near.launches[level] as number))
    })
    expect(Math.min(seen.evicted, seen.unreported, seen.unfinished, ...seen.levels)).toBeGreaterThan(10)
  })

  it('are the single observers, one for one', () => {
    fc.assert(
      fc.property(smallRun, (run) => {
        const [all, near, use, lost, kept, fair, times] = [counts(), locality(), utilisation(), preemption(), promises(), fairness({ queues: false }), jobTimes()]
        const together = standardMetrics()
        simulated(run, [all, together, near, use, lost, kept, fair, times])
        const summary = together.result()
        expect(summary).toMatchObject({
          counts: all.result(), utilisation: use.result(), preemption: lost.result(), promises: kept.result(), fairness: fair.result(), times: times.result().overall,
        })
        expect(summary.locality).toEqual(near.result().overall)
        expect(summary.classes.map(({ label, times: own, locality: launches }) => [{ label, ...own }, { label, ...launches }])).toEqual(
          times.result().classes.map((own, i) => [own, near.result().classes[i]]),
        )
      }),
      { seed: 8, numRuns: 30 },
    )
  })

  it('have the same keys whatever happened', () => {
    const empty = standardMetrics()
    simulated({ seed: 1, heartbeat: false, until: 1, evictions: 0, jobs: [{ gap: 0, maps: 1, reduces: 0, queue: 'ads', label: undefined }] }, [empty])
    const full = standardMetrics()
    simulated({ seed: 1, heartbeat: true, until: Infinity, evictions: 0.1, jobs: [{ gap: 0, maps: 9, reduces: 2, queue: 'ads', label: 'bin 2' }] }, [full])
    const keys = (summary: Summary) => Object.entries(summary).map(([key, value]) => [key, Object.keys(Array.isArray(value) ? {} : (value as object))])
    expect(keys(empty.result())).toEqual(keys(full.result()))
    expect(JSON.parse(JSON.stringify(empty.result()))).toMatchObject({ times: { response: { mean: null } } })
  })

  it('do not change between two runs of one seed, nor by being asked twice', () => {
    const run: SmallRun = { seed: 5, heartbeat: true, until: Infinity, evictions: 0.05, jobs: [1, 2, 3, 4].map((i) => ({ gap: i, maps: 2 * i, reduces: 1, queue: 'ads', label: `bin ${i}` })) }
    const results = [1, 2].map(() => {
      const metrics = standardMetrics()
      simulated(run, [metrics])
      return [JSON.stringify(metrics.result()), JSON.stringify(metrics.result())]
    })
    expect(new Set(results.flat()).size).toBe(1)
  })
})

describe('explained waits', () => {
  it('are the waits of the job rows, second for second', () => {
    fc.assert(
      fc.property(smallRun, (run) => {
        const rows: JobRow[] = []
        const waits: WaitRow[] = []
        const observers: Observer[] = [jobRows((row) => rows.push(row)), waitReasons({ onRow: (row) => waits.push(row) })]
        simulated(run, observers)
        for (const { id, wait } of rows) {
          const explained = waits.find((each) => each.id === id) as WaitRow
          expect(explained.wait).toBe(wait)
          expect(sum(explained.parts)).toBe(wait)
        }
      }),
      { seed: 9, numRuns: 30 },
    )
  })

  it('of one job go without a gap from its submission to its first task, each second to one reason', { tags: 'long' }, () => {
    let explained = 0
    fc.assert(
      fc.property(smallRun, (run) => {
        const rows: JobRow[] = []
        const waits = run.jobs.map((_, at) => jobWait(`job ${at}`))
        const { end, submits, starts } = simulated(run, [...waits, jobRows((row) => rows.push(row))])
        const order = submits.map(({ job }) => job)
        for (const observer of waits) {
          const job = observer.result()
          if (job === undefined) continue // the run ended before
          explained += job.spans.length
          const row = rows.find(({ id }) => id === job.id)
          if (row !== undefined) expect([job.submit, job.until, job.wait, job.end]).toEqual([row.submit, row.start, row.wait, row.end])
          else if (job.outcome === 'still waiting') expect(job.until).toBe(end)
          const later = order.slice(order.indexOf(job.id) + 1)
          const wereFirst = later.filter((id) => starts.some((start) => start.job === id && (start.now < job.until || job.outcome === 'still waiting')))
          expect(job.passedBy).toBe(wereFirst.length) // those of the instant in which it starts were not before it
          expect(sum(Object.values(job.parts))).toBe(job.wait)
          const times = job.spans.flatMap(({ from, to }) => [from, to])
          expect(times.length === 0 ? [job.submit, job.until] : [times[0], times.at(-1)]).toEqual([job.submit, job.until])
          for (const [i, { from, to, why }] of job.spans.entries()) {
            expect(to).toBeGreaterThan(from)
            if (i > 0) expect([job.spans[i - 1]?.to, job.spans[i - 1]?.why === why]).toEqual([from, false])
          }
          expect(sum(job.holders.map(({ share }) => share))).toBeLessThanOrEqual(2 + 1e-9) // two lanes, each held once
        }
      }),
      { seed: 5, numRuns: 60 },
    )
    expect(explained).toBeGreaterThan(100)
  })
})

describe('explained waits of later tasks', () => {
  it('are each task second from the first start to the last, of each stage, and each to one reason', { tags: 'long' }, () => {
    const seen = { later: 0, evicted: 0, reduces: 0, cut: 0, reasons: new Set<string>() }
    fc.assert(
      fc.property(smallRun, (run) => {
        const waits = run.jobs.map((_, at) => jobWait(`job ${at}`))
        const tasks = new TaskTimes()
        const { end } = simulated(run, [tasks, ...waits])
        for (const observer of waits) {
          const job = observer.result()
          if (job === undefined) continue
          const own = tasks.events.filter(({ id }) => id === job.id)
          const starts = own.filter(({ isStart }) => isStart)
          const [from, to] = [starts[0]?.now ?? NaN, starts.at(-1)?.now ?? NaN]
          const counts = tasks.counts.get(job.id) as readonly number[]
          if (sum(counts) === 1 || !(to > from)) {
            expect(job.later).toBe(null)
            continue
          }
          const later = job.later as LaterTasks
          expect([later.from, later.to, later.wait]).toEqual([from, to, to - from])
          expect(sum(Object.values(later.parts))).toBe(later.wait)
          expect(sum(Object.values(later.taskParts))).toBe(later.taskSeconds)
          expect(sum(later.stages.map(({ taskSeconds }) => taskSeconds))).toBe(later.taskSeconds)
          const times = later.spans.flatMap((span) => [span.from, span.to])
          expect([times[0], times.at(-1)]).toEqual([from, to])
          for (const [i, span] of later.spans.entries()) {
            expect(span.to).toBeGreaterThan(span.from)
            if (i > 0) expect([later.spans[i - 1]?.to, later.spans[i - 1]?.why === span.why]).toEqual([span.from, false])
            expect(span.waiting > 0).toBe(span.why !== 'none waited')
          }
          expect(sum(later.spans.map((span) => span.waiting * (span.to - span.from)))).toBeCloseTo(later.taskSeconds, 6)
          expect([later.periods[0]?.from, later.periods.at(-1)?.to]).toEqual([from, to])
          for (const [i, period] of later.periods.entries()) {
            expect(sum(Object.values(period.parts))).toBe(period.to - period.from)
            if (i > 0) expect(period.from).toBe(later.periods[i - 1]?.to)
          }
          expect(sum(later.periods.map((period) => period.waiting * (period.to - period.from)))).toBeCloseTo(later.taskSeconds, 6)
          for (const [s, stage] of later.stages.entries()) {
            const { waited, left } = recount(own.filter((event) => event.stage === s), counts[s] as number, from, to)
            expect(sum(Object.values(stage.taskParts))).toBe(stage.taskSeconds)
            expect(stage.taskSeconds).toBeCloseTo(waited, 6)
            const ofStage = starts.filter((event) => event.stage === s)
            expect([stage.tasks, stage.firstStart, stage.lastStart]).toEqual([counts[s], ofStage[0]?.now ?? null, ofStage.at(-1)?.now ?? null])
            if (left > 0) seen.cut++
          }
          expect(later.starts).toBe(starts.filter(({ now }) => now > from).length)
          const ran = sum(starts.map((start) => Math.min(to, own.find((event) => !event.isStart && event.task === start.task && event.order > start.order)?.now ?? end) - start.now))
          expect(later.running * later.wait).toBeCloseTo(ran, 6)
          const [first, last] = [starts[0]?.order ?? NaN, starts.at(-1)?.order ?? NaN]
          const others = tasks.events.filter(({ id, isStart, order }) => isStart && id !== job.id && order > first && order < last)
          expect(later.others).toEqual({ tasks: others.length, jobs: new Set(others.map(({ id }) => id)).size })
          if (later.others.jobs <= 5) expect(sum(later.starters.map((starter) => starter.tasks))).toBe(others.length)
          seen.later++
          if (own.some(({ how }) => how === 'evicted')) seen.evicted++
          if (counts.length > 1) seen.reduces++
          for (const why of Object.keys(later.taskParts)) seen.reasons.add(why)
        }
      }),
      { seed: 5, numRuns: 60 },
    )
    expect(Math.min(seen.later, seen.reduces)).toBeGreaterThan(50)
    expect(Math.min(seen.evicted, seen.cut)).toBeGreaterThan(5)
    expect([...seen.reasons].sort()).toEqual(['behind others', 'earlier stages', 'next heartbeat', 'no room'])
  })
})

/** What starts and ends, task by task, in order. */
class TaskTimes implements Observer {
  readonly events: { readonly id: string; readonly stage: number; readonly task: string; readonly isStart: boolean; readonly how?: TaskEnd; readonly now: number; readonly order: number }[] = []
  /** By job: numbers of tasks by stage. */
  readonly counts = new Map<string, readonly number[]>()
  #work!: WorkView

  onRunStart({ work }: { readonly work: WorkView }): void {
    this.#work = work
  }

  onSubmit(_job: JobId, { id, stages }: JobSpec): void {
    this.counts.set(id, stages.map(({ tasks }) => tasks))
  }

  onTaskStart(task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, _level: number, now: number): void {
    this.#add(task, job, { isStart: true, now })
  }

  onTaskEnd(task: TaskId, job: JobId, _lane: LaneId, _node: NodeId, how: TaskEnd, _started: number, _stopped: number, now: number): void {
    this.#add(task, job, { isStart: false, how, now })
  }

  #add(task: TaskId, job: JobId, event: { readonly isStart: boolean; readonly how?: TaskEnd; readonly now: number }): void {
    const work = this.#work
    const stage = work.stageOf(task)
    this.events.push({ id: work.name(job), stage, task: `${stage}/${work.indexOf(task)}`, order: this.events.length, ...event })
  }
}

/** Seconds that the tasks of a stage waited between two times, and how many have not started by the second. */
function recount(events: TaskTimes['events'], tasks: number, from: number, to: number): { readonly waited: number; readonly left: number } {
  const since = new Map<string, number>()
  let [waited, started] = [0, 0]
  const seen = new Set<string>()
  for (const { task, isStart, how, now } of events) {
    if (isStart) {
      waited += now - (seen.has(task) ? (since.get(task) as number) : from)
      if (!seen.has(task)) started++
      seen.add(task)
      since.delete(task)
    } else if (how !== 'done' && now <= to) since.set(task, now)
  }
  for (const at of since.values()) waited += to - at
  return { waited: waited + (tasks - started) * (to - from), left: tasks - started }
}

/** Slots of a lane that the tasks of a queue hold after all events of the instant. */
function heldAt({ submits, starts, ends }: Recorded, lane: number, queue: string, time: number): number {
  const own = new Set(submits.filter(({ spec }) => spec.queue === queue).map(({ job }) => job))
  const until = (events: readonly { readonly job: string; readonly lane: number; readonly now: number }[]) =>
    events.filter((event) => event.lane === lane && event.now <= time && own.has(event.job)).length
  return until(starts) - until(ends)
}

/** Slot seconds of a lane, by walking through all instants at which the number of busy slots changes. */
function busySeconds({ starts, ends, end }: Recorded, lane: number): number {
  const changes = [...starts.filter((start) => start.lane === lane).map(({ now }) => ({ now, by: 1 })), ...ends.filter((each) => each.lane === lane).map(({ now }) => ({ now, by: -1 }))]
  let [busy, seconds, last] = [0, 0, 0]
  for (const { now, by } of changes.sort((a, b) => a.now - b.now)) {
    seconds += busy * (now - last)
    busy += by
    last = now
  }
  return seconds + busy * (end - last)
}
