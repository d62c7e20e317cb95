import type { JobId, JobSpec, LaneId, NodeId, Release, StageSpec, TaskId, WorkListener } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildCluster, checkWork, Shapes, Work } from '../src/index.js'

const model = buildCluster({ nodes: [{ count: 4, racks: 2, slots: { map: 9, reduce: 9 } }] })
const map = 0 as LaneId
const reduce = 1 as LaneId

const stage = (change: Partial<StageSpec> = {}): StageSpec => ({ name: 'map', tasks: 2, demand: { map: 1 }, duration: 1, ...change })
const job = (id: string, ...stages: StageSpec[]): JobSpec => ({ id, submit: 0, stages: stages.length > 0 ? stages : [stage()] })

/** What a scheduler is told, one line per call. */
class Told implements WorkListener {
  readonly lines: string[] = []
  onSubmit = (job: JobId) => void this.lines.push(`submit ${job}`)
  onReady = (job: JobId, lane: LaneId) => void this.lines.push(`ready ${job} ${lane}`)
  onMore = (job: JobId, lane: LaneId) => void this.lines.push(`more ${job} ${lane}`)
  onDrained = (job: JobId, lane: LaneId) => void this.lines.push(`drained ${job} ${lane}`)
  onClaim = (job: JobId, lane: LaneId, task: TaskId, node: NodeId) => void this.lines.push(`claim ${job} ${lane} ${task} on ${node}`)
  onRelease = (job: JobId, lane: LaneId, task: TaskId, _: NodeId, why: Release) => void this.lines.push(`${why} ${job} ${lane} ${task}`)
  onFinish = (job: JobId) => void this.lines.push(`finish ${job}`)
  take(): string[] {
    return this.lines.splice(0)
  }
}

const workWith = (listener: WorkListener = {}, replicas?: readonly number[]) => {
  const work = new Work(model, new Shapes(model), (_, { tasks, data }) => (data === undefined || replicas === undefined ? undefined : { replicas: Int32Array.from(replicas.slice(0, tasks)), factor: 1 }))
  work.addListener(listener)
  return work
}
const submit = (work: Work, spec: JobSpec): JobId => {
  const id = work.submit(spec, spec.submit, 0)
  work.open(id)
  return id
}
const end = (work: Work, task: TaskId): boolean => {
  work.release(task, 'ended')
  return work.finish(task)
}

describe('the check of the work', () => {
  const withTwo = (change: Partial<StageSpec> = {}) => {
    const work = workWith()
    submit(work, job('a', stage(change)))
    work.claim(0 as TaskId, 3 as NodeId)
    return work
  }

  it('finds a wrong count of unplaced or running tasks, and of those of a scheduler', () => {
    const slips: ((work: Work) => void)[] = [(work) => work.laneUnplaced[0]!--, (work) => work.laneRunning[0]!++, (work) => work.pendingTasks[0]!++]
    expect(slips.map((slip) => wrong(withTwo(), slip))).toEqual([
      'job a lane 0 counts 0 unplaced and 1 running, there are 1 and 1',
      'job a lane 0 counts 1 unplaced and 2 running, there are 1 and 1',
      'scheduler 0 counts 2 unplaced tasks in lane 0, there are 1',
    ])
  })

  it('finds two tasks on one node that must be on different ones', () => {
    const claim = (node: number) => (work: Work) => work.claim(1 as TaskId, node as NodeId)
    expect([wrong(withTwo({ constraints: { distinctNodes: true } }), claim(2)), wrong(withTwo(), claim(3))]).toEqual(['', ''])
    expect(wrong(withTwo({ constraints: { distinctNodes: true } }), claim(3))).toBe('job a runs two tasks on node-3 that must be on different nodes')
  })

  it('lets a claim of a suspended round be where a task runs that the round evicts, not two that have started', () => {
    const started = (...tasks: readonly number[]) => {
      const work = workWith()
      submit(work, job('a', stage({ constraints: { distinctNodes: true } })))
      for (const task of [0, 1]) work.claim(task as TaskId, 3 as NodeId, 0, tasks.includes(task) ? 5 : NaN)
      return wrong(work, () => undefined)
    }
    expect([started(0), started(1), started(0, 1)]).toEqual(['', '', 'job a runs two tasks on node-3 that must be on different nodes'])
  })
})

/** What the check says after a slip. */
function wrong(work: Work, slip: (work: Work) => unknown): string {
  slip(work)
  try {
    checkWork(work)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('Work', () => {
  it('tells a scheduler of the life of a job, hook by hook', () => {
    const told = new Told()
    const work = workWith(told)
    const id = submit(work, job('a', stage(), stage({ name: 'reduce', tasks: 1, demand: { reduce: 1 }, after: [{ stage: 0, fraction: 0.5 }] })))
    expect(told.take()).toEqual(['submit 0', 'ready 0 0'])
    const [first, second] = [0, 1] as TaskId[] as [TaskId, TaskId]
    work.claim(first, 3 as NodeId)
    work.claim(second, 2 as NodeId)
    expect(told.take()).toEqual(['claim 0 0 0 on 3', 'claim 0 0 1 on 2', 'drained 0 0'])
    expect(end(work, first)).toBe(false)
    expect(told.take()).toEqual(['ended 0 0 0', 'ready 0 1'])
    end(work, second)
    work.claim(2 as TaskId, 0 as NodeId)
    expect(end(work, 2 as TaskId)).toBe(true)
    work.remove(id)
    expect(told.take().slice(-2)).toEqual(['ended 0 1 2', 'finish 0'])
    expect(work.active).toBe(0)
  })

  it('opens a second stage of the same lane as more work, and serves the earlier stage first', () => {
    const told = new Told()
    const work = workWith(told)
    const id = submit(work, job('a', stage(), stage({ name: 'second', tasks: 3, demand: { map: 2 }, after: [{ stage: 0, fraction: 0.5 }] })))
    work.claim(0 as TaskId, 0 as NodeId)
    told.take()
    end(work, 0 as TaskId)
    expect(told.take()).toEqual(['ended 0 0 0', 'more 0 0'])
    expect([work.taskFor(id, map, 0 as NodeId, 9), work.demand(work.shape(id, map), 0)]).toEqual([1, 1])
    work.claim(1 as TaskId, 0 as NodeId)
    expect([work.taskFor(id, map, 0 as NodeId, 9), work.demand(work.shape(id, map), 0)]).toEqual([2, 2])
    work.unclaim(1 as TaskId, 'withdrawn')
    expect([work.taskFor(id, map, 0 as NodeId, 9), work.demand(work.shape(id, map), 0)]).toEqual([1, 1])
  })

  it('finds the nearest task first, the lowest index inside a level, within the level asked for', () => {
    const work = workWith({}, [2, 1, 0, 0]) // task 0 on node 2, task 1 on node 1, tasks 2 and 3 on node 0; racks are {0, 1} and {2, 3}
    const id = submit(work, job('a', stage({ tasks: 4, data: {} })))
    const find = (node: number, within: number) => work.taskFor(id, map, node as NodeId, within)
    expect([find(0, 0), find(1, 0), find(2, 0), find(3, 0)]).toEqual([2, 1, 0, -1])
    expect([find(3, 1), find(3, 2)]).toEqual([0, 0])
    work.claim(0 as TaskId, 0 as NodeId)
    expect([find(2, 1), find(3, 2)]).toEqual([-1, 1])
    expect([0, 1, 2, 3].map((task) => work.level(task as TaskId, 1 as NodeId))).toEqual([2, 0, 1, 1])
  })

  it('uses ids again when a job has gone, and never a rank', () => {
    const work = workWith()
    const ranks: number[] = []
    for (let i = 0; i < 50; i++) {
      const id = submit(work, job(`j${i}`))
      ranks.push(work.rank(id))
      for (const task of [0, 1] as TaskId[]) {
        work.claim(task, 0 as NodeId)
        end(work, task)
      }
      work.remove(id)
      expect(id).toBe(0)
    }
    expect(ranks).toEqual(Array.from({ length: 50 }, (_, i) => i))
    expect(work.taskRun.length).toBeLessThanOrEqual(16)
  })

  it('gives a job without queue the one of its user', () => {
    const work = workWith()
    const names = [job('a'), { ...job('b'), user: 'ann' }, { ...job('c'), user: 'ann', queue: 'ads' }].map((spec) => work.queueName(work.queue(work.submit(spec, 0, 0))))
    expect(names).toEqual(['default', 'ann', 'ads'])
  })

  it('does not list as running a task that is evicted in a draft, or that has ended while its slot is busy', () => {
    const work = workWith()
    const id = submit(work, job('a', stage({ tasks: 3 })))
    for (const task of [0, 1, 2] as TaskId[]) work.claim(task, 0 as NodeId)
    work.release(0 as TaskId, 'evicted')
    work.release(1 as TaskId, 'ended')
    const running: TaskId[] = []
    work.runningTasks(id, map, running)
    expect([running, work.running(id, map)]).toEqual([[2], 1])
    checkWork(work)
    work.keep(0 as TaskId)
    expect(work.running(id, map)).toBe(2)
    checkWork(work)
  })

  it('hides a job that is held back, and keeps count of it', () => {
    const told = new Told()
    const work = workWith(told)
    const id = submit(work, job('a'))
    work.holdBack(id)
    expect([work.pending(0, map), work.unplaced(id, map)]).toEqual([0, 2])
    work.letGo(id)
    expect([work.pending(0, map), told.take()]).toEqual([2, ['submit 0', 'ready 0 0', 'drained 0 0', 'ready 0 0']])
    checkWork(work)
  })

  it('drops the tasks of a job that do not run; it ends with the others', () => {
    const work = workWith()
    const id = submit(work, job('a', stage({ tasks: 3 }), stage({ name: 'reduce', demand: { reduce: 1 }, after: [{ stage: 0, fraction: 1 }] })))
    work.claim(1 as TaskId, 0 as NodeId)
    expect(work.drop(id)).toBe(false)
    expect([work.unplaced(id, map), work.running(id, map), work.pending(0, map)]).toEqual([0, 1, 0])
    checkWork(work)
    expect(end(work, 1 as TaskId)).toBe(true)
  })

  describe('counters', () => {
    type Step = { readonly kind: number; readonly pick: number; readonly node: number }
    const steps = fc.array(fc.record({ kind: fc.nat({ max: 9 }), pick: fc.nat(), node: fc.nat({ max: 3 }) }), { maxLength: 80 })

    /** Claims less releases, and ready less drained, as the hooks tell. */
    class Counting implements WorkListener {
      readonly running = new Map<string, number>()
      readonly ready = new Set<string>()
      readonly errors: string[] = []
      onReady = (job: JobId, lane: LaneId) => {
        if (this.ready.has(`${job} ${lane}`)) this.errors.push(`ready twice: ${job}`)
        this.ready.add(`${job} ${lane}`)
      }
      onDrained = (job: JobId, lane: LaneId) => {
        if (!this.ready.delete(`${job} ${lane}`)) this.errors.push(`drained but not ready: ${job}`)
      }
      onMore = (job: JobId, lane: LaneId) => {
        if (!this.ready.has(`${job} ${lane}`)) this.errors.push(`more but not ready: ${job}`)
      }
      onClaim = (job: JobId, lane: LaneId) => this.#add(job, lane, 1)
      onRelease = (job: JobId, lane: LaneId) => this.#add(job, lane, -1)
      #add(job: JobId, lane: LaneId, by: number): void {
        this.running.set(`${job} ${lane}`, (this.running.get(`${job} ${lane}`) ?? 0) + by)
      }
    }

    function play(all: readonly Step[]): void {
      const counting = new Counting()
      const replicas = Array.from({ length: 8 }, (_, i) => (i * 3) % 4)
      const work = workWith(counting, replicas)
      const jobs: JobId[] = []
      const running: TaskId[] = [] // claimed or running
      const evicted: TaskId[] = []
      let submitted = 0
      for (const { kind, pick, node } of all) {
        if (kind === 0) {
          const stages = [stage({ tasks: 1 + (pick % 8), data: {} }), stage({ name: 'second', tasks: 1 + (pick % 3), demand: pick % 2 === 0 ? { map: 2 } : { reduce: 1 }, after: [{ stage: 0, fraction: (pick % 5) / 4 }] })]
          jobs.push(submit(work, job(`j${submitted++}`, ...stages.slice(0, 1 + (pick % 2)))))
        } else if (kind <= 4) {
          const id = jobs[pick % Math.max(1, jobs.length)]
          const lane = (pick % 2) as LaneId
          if (id === undefined) continue
          const task = work.taskFor(id, lane, node as NodeId, kind - 2)
          if (task === -1) continue
          work.claim(task, node as NodeId)
          running.push(task)
        } else {
          const from = kind === 8 ? evicted : running
          const [task] = from.splice(pick % Math.max(1, from.length), 1)
          if (task === undefined) continue
          if (kind === 5) work.unclaim(task, 'withdrawn')
          else if (kind === 6) {
            work.release(task, 'evicted')
            evicted.push(task)
          } else if (kind === 8) {
            if (pick % 2 === 0) work.unclaim(task, 'evicted')
            else {
              work.keep(task)
              running.push(task)
            }
          } else {
            const id = work.jobOf(task)
            if (end(work, task)) {
              work.remove(id)
              jobs.splice(jobs.indexOf(id), 1)
            }
          }
        }
        checkWork(work)
        for (const id of jobs)
          for (const lane of [map, reduce]) {
            const key = `${id} ${lane}`
            expect([key, counting.running.get(key) ?? 0, counting.ready.has(key)]).toEqual([key, work.running(id, lane), work.unplaced(id, lane) > 0])
            expect(work.taskFor(id, lane, 0 as NodeId, 9) !== -1).toBe(work.unplaced(id, lane) > 0)
          }
        expect(counting.errors).toEqual([])
      }
    }

    it('hold after any sequence of claims, withdrawals, evictions, ends and submissions, and the hooks tell the same', () => {
      fc.assert(fc.property(steps, play), { seed: 6, numRuns: 120 })
    })
  })
})

describe('a job', () => {
  it.each<[readonly StageSpec[], string]>([
    [[], 'stages: job a has none. Give at least one.'],
    [[stage({ tasks: 0 })], 'stages[0].tasks: job a has 0. Give a whole number, at least 1.'],
    [[stage(), stage({ tasks: 1.5 })], 'stages[1].tasks: job a has 1.5. Give a whole number, at least 1.'],
    [[stage({ duration: -1 })], 'stages[0].duration: job a has -1. Give seconds, at least 0.'],
    [[stage({ duration: [1, NaN] })], 'stages[0].duration: job a has NaN. Give seconds, at least 0.'],
    [[stage({ duration: Float64Array.of(1) })], 'stages[0].duration: job a has 1 for 2 tasks. Give one per task.'],
    [[stage({ duration: undefined as never })], 'stages[0].duration: job a has none. Give seconds, at least 0.'],
    [[stage({ duration: '10' as never })], 'stages[0].duration: job a has "10". Give seconds, at least 0.'],
    [[stage({ duration: [1, '2'] as never })], 'stages[0].duration: job a has "2". Give seconds, at least 0.'],
    [[stage({ duration: { kind: 'normal', mean: 3 } as never })], 'stages[0].duration: job a has {"kind":"normal","mean":3}. Give { kind: \'exponential\', mean, shift } or { kind: \'uniform\', min, max }'],
    [[stage({ duration: { kind: 'exponential' } as never })], 'stages[0].duration: job a has {"kind":"exponential"}.'],
    [[stage({ duration: { kind: 'exponential', mean: 1, shift: -1 } })], 'stages[0].duration: job a has {"kind":"exponential","mean":1,"shift":-1}.'],
    [[stage({ duration: { kind: 'uniform', min: 5, max: 3 } })], 'stages[0].duration: job a has {"kind":"uniform","min":5,"max":3}.'],
    [[stage({ demand: undefined as never })], 'stages[0].demand: job a has none. Give amounts per task by resource name.'],
    [undefined as never, 'stages: job a has none. Give at least one.'],
    [[stage({ after: [{ stage: 0, fraction: 1 }] })], 'stages[0].after: job a has a wait for stage 0, which does not come before it. List stages so that each waits for earlier ones, counted from 0.'],
    [[stage(), stage({ after: [0 as never] })], 'stages[1].after: job a has 0. Write for example { stage: 0, fraction: 1 }: all tasks of the first stage have ended.'],
  ])('is refused where none can be so (%#)', (stages, message) => {
    expect(() => workWith().submit({ id: 'a', submit: 0, stages }, 0, 0)).toThrow(message)
  })

  it('has durations for all tasks, for each, or drawn', () => {
    expect(() => submit(workWith(), job('a', stage({ duration: 0 }), stage({ duration: [1, 2] }), stage({ duration: { kind: 'exponential', mean: 3 }, after: [{ stage: 1, fraction: 1 }] })))).not.toThrow()
  })
})
