import { Reason, type JobId, type JobSpec, type LaneId, type NodeId, type ResourceId, type TaskId } from '@sched/core'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { buildCluster, CellState, Draft, Shapes, Work, type DraftSink } from '../src/index.js'

const model = buildCluster({ nodes: [{ count: 3, slots: { slot: 2 } }] })
const lane = 0 as LaneId
const nodes = [0, 1, 2] as NodeId[]
const [n0, n1, n2] = nodes as [NodeId, NodeId, NodeId]
const task = (id: number) => id as TaskId
const spec = (id: string, tasks: number): JobSpec => ({ id, submit: 0, stages: [{ name: 'work', tasks, demand: { slot: 1 }, duration: 1 }] })
const live = { conflict: 'none', atomic: false } as const

let cell: CellState, work: Work, draft: Draft, events: string[], hooks: string[]
let a: JobId, b: JobId

/** A cell of three nodes with two slots; job a has tasks 0 to 3, job b tasks 4 and 5. */
beforeEach(() => {
  const shapes = new Shapes(model)
  cell = new CellState(model, shapes, { validate: true })
  work = new Work(model, shapes)
  events = []
  hooks = []
  work.addListener({
    onClaim: (job, _, task) => void hooks.push(`claim ${task}`),
    onRelease: (job, _, task, node, why) => void hooks.push(`${why} ${task}`),
  })
  draft = new Draft(cell, work, {
    explained: true,
    start: (tasks, from) => {
      for (const task of tasks.slice(from)) {
        work.runStart[work.taskRun[task] as number] = draft.now
        events.push(`start ${task} on ${work.nodeOf(task)}`)
      }
    },
    kill: (task) => {
      events.push(`kill ${task}`)
      work.unclaim(task, 'evicted')
    },
    abandon: (job) => void events.push(`abandon ${job}`),
    reserve: (job, start) => void events.push(`reserve ${job} at ${start}`),
    defer: (job, _, reason) => void events.push(`defer ${job} for ${reason}`),
    wakeAt: (time) => void events.push(`wake at ${time}`),
  })
  a = work.submit(spec('a', 4), 0, 0)
  b = work.submit(spec('b', 2), 0, 0)
  work.open(a)
  work.open(b)
})
const free = () => nodes.map((node) => cell.free(node, 0 as never))
const counts = () => [work.unplaced(a, lane), work.running(a, lane), work.unplaced(b, lane), work.running(b, lane)]

describe('a suspension', () => {
  const [cpus, memory] = [0, 1] as ResourceId[] as [ResourceId, ResourceId]
  /** One node of 4 CPUs and 10 of memory; job `x` of three tasks of 2 and 3, of which two run. */
  const world = () => {
    const built = buildCluster({ nodes: [{ count: 1, resources: { cpu: 4, memory: 10 } }] })
    const state = new CellState(built, new Shapes(built), { validate: true })
    const jobs = new Work(built, state.shapes)
    const told: string[] = []
    jobs.addListener({})
    const sink: DraftSink = {
      explained: false,
      start: (tasks, from) => tasks.slice(from).forEach((id) => (jobs.runStart[jobs.taskRun[id] as number] = 0)),
      kill: (id, isSuspended) => {
        told.push(`${isSuspended ? 'suspend' : 'kill'} ${id}`)
        jobs.unclaim(id, 'evicted')
      },
      abandon: (job) => void told.push(`abandon ${job}`),
      reserve: () => undefined,
      defer: () => undefined,
      wakeAt: () => undefined,
    }
    const rounds = new Draft(state, jobs, sink)
    const x = jobs.submit({ id: 'x', submit: 0, stages: [{ name: 's', tasks: 3, demand: { cpu: 2, memory: 3 }, duration: 10 }] }, 0, 0)
    jobs.open(x)
    const at = () => [state.free(0 as NodeId, cpus), state.free(0 as NodeId, memory)]
    const open = () => rounds.begin(5, 0 as LaneId, [0 as NodeId])
    open()
    rounds.claim(task(0), 0 as NodeId)
    rounds.claim(task(1), 0 as NodeId)
    rounds.commit({ conflict: 'none', atomic: false })
    return { jobs, state, told, rounds, x, at, open, close: () => rounds.commit({ conflict: 'none', atomic: false }) }
  }

  it('frees what it says, holds the rest until the task goes on, and is taken back as a whole', () => {
    const { at, open, close, rounds, told, jobs } = world()
    expect(at()).toEqual([0, 4])
    open()
    const before = rounds.savepoint()
    rounds.suspendTask(task(0), [cpus])
    expect(at()).toEqual([2, 4])
    rounds.rollback(before)
    expect([at(), jobs.suspended.count]).toEqual([[0, 4], 0])
    rounds.suspendTask(task(0), [cpus])
    close()
    expect([at(), told, jobs.suspended.count]).toEqual([[2, 4], ['suspend 0'], 1])
    open()
    const again = rounds.savepoint()
    expect(rounds.claim(task(0), 0 as NodeId)).toBe(true)
    expect([at(), jobs.suspended.count]).toEqual([[0, 4], 0])
    rounds.rollback(again)
    expect([at(), jobs.suspended.count]).toEqual([[2, 4], 1])
    rounds.claim(task(0), 0 as NodeId)
    close()
    expect([at(), told]).toEqual([[0, 4], ['suspend 0']])
  })

  it('keeps its hold where there is no room to go on', () => {
    const { at, open, close, rounds, jobs } = world()
    open()
    rounds.suspendTask(task(0), [cpus])
    close()
    const y = jobs.submit({ id: 'y', submit: 0, stages: [{ name: 's', tasks: 1, demand: { cpu: 1, memory: 4 }, duration: 10 }] }, 0, 0)
    jobs.open(y)
    open()
    expect(rounds.claim(task(3), 0 as NodeId)).toBe(true)
    expect(rounds.claim(task(0), 0 as NodeId)).toBe(false)
    expect([at(), jobs.suspended.count]).toEqual([[1, 0], 1])
  })

  it('is for rounds that are committed at once', () => {
    const { open, rounds } = world()
    open()
    rounds.suspendTask(task(0), [cpus])
    expect(() => rounds.suspend()).toThrow('a decision that takes time suspends tasks or cancels jobs')
  })

  it('of whole jobs for good is a cancellation, taken back with the round', () => {
    const { at, open, close, rounds, told, x, jobs } = world()
    open()
    const before = rounds.savepoint()
    rounds.cancelJob(x)
    expect([at(), rounds.fits(x, 0 as NodeId)]).toEqual([[4, 10], false])
    rounds.rollback(before)
    close()
    expect([at(), told]).toEqual([[0, 4], []])
    open()
    rounds.cancelJob(x)
    close()
    expect(told).toEqual(['kill 0', 'kill 1', `abandon ${x}`])
    open()
    expect(jobs.unplaced(x, 0 as LaneId)).toBe(3)
    expect(() => rounds.cancelJob(x)).toThrow('job x is cancelled of which nothing runs')
  })
})

describe('a claim', () => {
  it('counts at once against what is free and what is pending, and starts at the commit', () => {
    draft.begin(5, lane, nodes)
    expect(draft.claim(task(0), n1)).toBe(true)
    expect([free(), counts(), draft.pending, draft.claims, events]).toEqual([[2, 1, 2], [3, 1, 2, 0], 5, 1, []])
    expect(draft.commit(live)).toEqual({ now: 5, accepted: [0], conflicted: [] })
    expect(events).toEqual(['start 0 on 1'])
  })

  it('is refused, and changes nothing, where it does not fit or the node is not in sight', () => {
    draft.begin(0, lane, [n0])
    expect([draft.claim(task(0), n0), draft.claim(task(1), n0), draft.claim(task(2), n0), draft.claim(task(2), n1)]).toEqual([true, true, false, false])
    expect([free(), counts(), draft.room(n0)]).toEqual([[0, 2, 2], [2, 2, 2, 0], false])
  })

  it('of a task that is not unplaced is a broken contract', () => {
    draft.begin(0, lane, nodes)
    draft.claim(task(0), n0)
    expect(() => draft.claim(task(0), n1)).toThrow(/task 0 is claimed but not unplaced/)
  })

  it('raises the version of its node when it is committed', () => {
    draft.begin(0, lane, nodes)
    draft.claim(task(0), n1)
    draft.claim(task(1), n1)
    expect(nodes.map((node) => cell.version(node))).toEqual([0, 0, 0])
    draft.commit(live)
    expect(nodes.map((node) => cell.version(node))).toEqual([0, 2, 0])
  })
})

describe('limits of a round', () => {
  it('allow so many claims; a claim taken back counts no more', () => {
    draft.begin(0, lane, nodes, { claims: 2 })
    draft.claim(task(0), n0)
    const before = draft.savepoint()
    expect([draft.claim(task(1), n1), draft.claim(task(2), n2), draft.room(n2)]).toEqual([true, false, false])
    draft.rollback(before)
    expect([draft.room(n2), draft.claim(task(2), n2)]).toEqual([true, true])
  })

  it('allow so many jobs to be taken up; the one taken last stays allowed', () => {
    draft.begin(0, lane, nodes, { jobs: 1 })
    expect([draft.jobsLeft, draft.take(a), draft.jobsLeft, draft.take(a), draft.take(b), draft.claim(task(4), n0), draft.claim(task(0), n0)]).toEqual([1, true, 0, true, false, false, true])
    expect(draft.taken).toBe(a)
  })

  it('allow one job only', () => {
    draft.begin(0, lane, nodes, { only: b })
    expect([draft.take(a), draft.claim(task(0), n0), draft.claim(task(4), n0)]).toEqual([false, false, true])
  })

  it('allow so much of every resource; what is taken back may be claimed again', () => {
    draft.begin(0, lane, nodes, { amounts: [2] })
    draft.claim(task(0), n0)
    const before = draft.savepoint()
    expect([draft.claim(task(1), n1), draft.claim(task(2), n2)]).toEqual([true, false])
    draft.rollback(before)
    expect([draft.claim(task(2), n2), draft.claim(task(3), n2), free()]).toEqual([true, false, [1, 2, 1]])
  })

  it('may only ask which job would be taken up', () => {
    draft.begin(0, lane, nodes, { jobs: 1, peek: true })
    expect([draft.claimsLeft, draft.room(n0), draft.claim(task(4), n0), draft.taken, draft.room(n0)]).toEqual([0, true, false, b, false])
    expect([free(), counts(), draft.commit(live).accepted]).toEqual([[2, 2, 2], [4, 0, 2, 0], []])
  })

  it('may be raised while the round goes on, on other nodes and later', () => {
    draft.begin(0, lane, [n0], { jobs: 1 })
    const { serial } = draft
    draft.claim(task(0), n0)
    expect([draft.claim(task(4), n0), draft.claim(task(1), n1)]).toEqual([false, false])
    draft.goOn(3, 1, nodes)
    expect([draft.now, draft.jobsLeft, draft.taken, draft.serial > serial]).toEqual([3, 1, -1, true])
    expect([draft.claim(task(4), n1), draft.claim(task(1), n1)]).toEqual([true, false])
    expect(draft.commit(live)).toEqual({ now: 3, accepted: [0, 4], conflicted: [] })
  })

  it('hold for one round', () => {
    draft.begin(0, lane, nodes, { claims: 0, jobs: 0 })
    expect(draft.claim(task(0), n0)).toBe(false)
    draft.commit(live)
    draft.begin(0, lane, nodes)
    expect(draft.claim(task(0), n0)).toBe(true)
  })
})

describe('a rehearsal', () => {
  it('claims on nodes that are not in sight, with the limit of a round each, and takes all back', () => {
    draft.begin(0, lane, [n0], { claims: 1, reach: nodes })
    draft.claim(task(0), n0)
    const seen: unknown[] = []
    draft.rehearse((see) => {
      seen.push(draft.claim(task(1), n0))
      see([n1])
      seen.push(draft.claim(task(1), n1), draft.claim(task(2), n1), draft.claim(task(2), n2))
      see([n2])
      seen.push(draft.claim(task(4), n2), draft.nodes, free())
    })
    // the limit of 1 is used up on n0; then 1 on n1, and there neither a second one nor one on n2; then 1 on n2
    expect(seen).toEqual([false, true, false, false, true, [n2], [1, 1, 1]])
    expect(free()).toEqual([1, 2, 2])
    expect([draft.nodes, draft.claims, draft.claimsLeft, draft.taken]).toEqual([[n0], 1, 0, a])
    expect(hooks).toEqual(['claim 0', 'claim 1', 'claim 4', 'withdrawn 4', 'withdrawn 1'])
    draft.commit(live)
    expect(events).toEqual(['start 0 on 0'])
  })
})

describe('an eviction', () => {
  beforeEach(() => {
    draft.begin(0, lane, nodes)
    draft.claim(task(0), n0)
    draft.claim(task(1), n0)
    draft.commit(live)
    events.length = 0
    hooks.length = 0
  })

  it('frees its slot in the draft, and kills the task at the commit, before the start that takes its place', () => {
    draft.begin(9, lane, nodes)
    draft.evict(task(0))
    expect([free(), counts()]).toEqual([[1, 2, 2], [2, 1, 2, 0]]) // not unplaced before it is killed
    draft.claim(task(4), n0)
    draft.commit(live)
    expect([events, counts(), free()]).toEqual([['kill 0', 'start 4 on 0'], [3, 1, 1, 1], [0, 2, 2]])
  })

  it('of a task that does not run is a broken contract: drafted, evicted or unplaced', () => {
    draft.begin(9, lane, nodes)
    draft.claim(task(4), n1)
    draft.evict(task(0))
    for (const each of [task(4), task(0), task(3)]) expect(() => draft.evict(each)).toThrow(/is evicted but not running/)
  })
})

describe('a savepoint', () => {
  it('takes later claims and evictions back, newest first, as the policy is told', () => {
    draft.begin(0, lane, nodes)
    draft.claim(task(0), n0)
    draft.commit(live)
    hooks.length = 0
    draft.begin(1, lane, nodes)
    draft.claim(task(1), n1)
    const before = draft.savepoint()
    draft.evict(task(0))
    draft.claim(task(4), n0)
    draft.claim(task(5), n0)
    draft.rollback(before)
    expect(hooks).toEqual(['claim 1', 'evicted 0', 'claim 4', 'claim 5', 'withdrawn 5', 'withdrawn 4', 'claim 0'])
    expect([free(), counts()]).toEqual([[1, 1, 2], [2, 2, 2, 0]])
    events.length = 0
    draft.commit(live)
    expect(events).toEqual(['start 1 on 1'])
  })

  it('restores every count from any point of any draft', () => {
    const step = fc.record({ kind: fc.nat({ max: 3 }), task: fc.nat({ max: 5 }), node: fc.nat({ max: 2 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.array(step, { maxLength: 12 }), (before, after) => {
        const shapes = new Shapes(model)
        const state = new CellState(model, shapes, { validate: true })
        const jobs = new Work(model, shapes)
        jobs.addListener({})
        const round = new Draft(state, jobs, { explained: false, start: (tasks, from) => tasks.slice(from).forEach((id) => (jobs.runStart[jobs.taskRun[id] as number] = 0)), kill: (id) => jobs.unclaim(id, 'evicted'), abandon: () => undefined, reserve: () => undefined, defer: () => undefined, wakeAt: () => undefined })
        for (const each of [spec('a', 4), spec('b', 2)]) jobs.open(jobs.submit(each, 0, 0))
        const play = (steps: typeof before) => {
          for (const each of steps) {
            const id = task(each.task)
            if (jobs.taskRun[id] === -1) round.claim(id, each.node as NodeId)
            else if (!Number.isNaN(jobs.started(id)) && !jobs.isReleased(id) && each.kind === 0) round.evict(id)
          }
        }
        const snapshot = () => JSON.stringify([[...state.freeAmounts], [0, 1].map((id) => [jobs.unplaced(id as JobId, lane), jobs.running(id as JobId, lane)]), [0, 1, 2, 3, 4, 5].map((id) => [jobs.nodeOf(task(id)), jobs.isReleased(task(id))]), round.claims])
        round.begin(0, lane, nodes)
        play(before)
        round.commit(live)
        round.begin(1, lane, nodes)
        play(before)
        const point = round.savepoint()
        const then = snapshot()
        play(after)
        round.rollback(point)
        expect(snapshot()).toBe(then)
        jobs.check()
        round.abandon()
        jobs.check()
      }),
      { seed: 7, numRuns: 200 },
    )
  })
})

describe('a closed round', () => {
  it('refuses every call that would change something', () => {
    draft.begin(0, lane, nodes)
    draft.commit(live)
    const calls = [() => draft.claim(task(0), n0), () => draft.evict(task(0)), () => draft.take(a), () => draft.savepoint(), () => draft.rollback(0 as never), () => draft.reserve(a, 1), () => draft.wakeAt(1), () => draft.suspend(), () => draft.commit(live)]
    for (const call of calls) expect(call).toThrow(expect.objectContaining({ code: 'ROUND_CLOSED' }))
  })

  it('refuses to take up the job it took last', () => {
    draft.begin(0, lane, nodes)
    draft.take(a)
    draft.commit(live)
    expect(() => draft.take(a)).toThrow(expect.objectContaining({ code: 'ROUND_CLOSED' }))
  })

  it('must be closed before the next one opens', () => {
    draft.begin(0, lane, nodes)
    expect(() => draft.begin(1, lane, nodes)).toThrow('a round was opened before the one before it was closed. Commit or abandon each')
  })

  it('leaves nothing behind when it was abandoned', () => {
    draft.begin(0, lane, nodes)
    draft.claim(task(0), n0)
    draft.abandon()
    expect([free(), counts(), events]).toEqual([[2, 2, 2], [4, 0, 2, 0], []])
    draft.begin(1, lane, nodes)
    expect(draft.commit(live).accepted).toEqual([])
  })
})

describe('a suspended round', () => {
  const other = () => new Draft(cell, work, { explained: false, start: () => undefined, kill: () => undefined, abandon: () => undefined, reserve: () => undefined, defer: () => undefined, wakeAt: () => undefined })

  /** Drafts tasks 0 on node 0 and 1 on node 1, suspends; meanwhile somebody commits tasks 4 and, if asked, 5 on node 0. */
  function meanwhile(rivals: readonly TaskId[]): void {
    draft.begin(0, lane, nodes)
    draft.claim(task(0), n0)
    draft.claim(task(1), n1)
    draft.suspend()
    const rival = other().begin(0, lane, nodes)
    for (const each of rivals) rival.claim(each, n0)
    rival.commit(live)
  }

  it('has left the live state', () => {
    meanwhile([])
    expect([free(), counts()]).toEqual([[2, 2, 2], [2, 2, 2, 0]])
  })

  it('conflicts where what it claimed is gone', () => {
    meanwhile([task(4), task(5)])
    expect(draft.commit({ conflict: 'fit', atomic: false })).toEqual({ now: 0, accepted: [1], conflicted: [0] })
    expect([free(), counts()]).toEqual([[0, 1, 2], [3, 1, 0, 2]])
    work.check()
  })

  it('does not conflict where there is room for both, unless versions are compared', () => {
    meanwhile([task(4)])
    expect(draft.commit({ conflict: 'fit', atomic: false }).conflicted).toEqual([])
  })

  it('conflicts with any other claim on the node where versions are compared', () => {
    meanwhile([task(4)])
    expect(draft.commit({ conflict: 'version', atomic: false })).toEqual({ now: 0, accepted: [1], conflicted: [0] })
  })

  it('conflicts as a whole where it is atomic', () => {
    meanwhile([task(4), task(5)])
    const { accepted, conflicted } = draft.commit({ conflict: 'fit', atomic: true })
    expect([accepted, [...conflicted].sort(), free(), counts()]).toEqual([[], [0, 1], [0, 2, 2], [4, 0, 0, 2]])
  })

  describe('with an eviction', () => {
    /** Task 0 runs on node 0; its eviction and the start of task 4 in its place are drafted and suspended. */
    beforeEach(() => {
      draft.begin(0, lane, nodes)
      draft.claim(task(0), n0)
      draft.claim(task(1), n0)
      draft.commit(live)
      events.length = 0
      draft.begin(1, lane, nodes)
      draft.evict(task(0))
      draft.claim(task(4), n0)
      draft.suspend()
    })

    it('lets the task run on meanwhile, and kills it at the commit', () => {
      expect([free(), work.running(a, lane), draft.evictions]).toEqual([[0, 2, 2], 2, 1])
      expect(draft.commit({ conflict: 'fit', atomic: false })).toEqual({ now: 1, accepted: [4], conflicted: [] })
      expect([events, free()]).toEqual([['kill 0', 'start 4 on 0'], [0, 2, 2]])
      work.check()
    })

    it('forgets the eviction of a task that has ended meanwhile; its room is there all the same', () => {
      cell.give(work.shapeOf(task(0)), n0)
      work.release(task(0), 'ended')
      work.finish(task(0))
      expect(draft.commit({ conflict: 'fit', atomic: false })).toEqual({ now: 1, accepted: [4], conflicted: [] })
      expect(events).toEqual(['start 4 on 0'])
      work.check()
    })

    it('leaves the task running when the whole draft conflicts', () => {
      const rival = other().begin(1, lane, nodes)
      rival.claim(task(5), n1)
      rival.commit(live)
      cell.setUp(n0, false) // nothing fits on node 0 any more
      expect(draft.commit({ conflict: 'fit', atomic: true })).toEqual({ now: 1, accepted: [], conflicted: [4] })
      expect([events, work.running(a, lane)]).toEqual([[], 2])
      work.check()
    })

    it('may be abandoned', () => {
      draft.abandon()
      expect([free(), counts(), events]).toEqual([[0, 2, 2], [2, 2, 2, 0], []])
      work.check()
    })
  })

  it('must be checked when it is committed, and may be abandoned', () => {
    meanwhile([])
    expect(() => draft.commit(live)).toThrow(/must be checked/)
    draft.abandon()
    expect([free(), counts()]).toEqual([[2, 2, 2], [4, 0, 2, 0]])
    work.check()
  })
})

describe('what a round passes on', () => {
  it('are reservations, deferrals and wakes', () => {
    draft.begin(0, lane, nodes)
    draft.reserve(b, 12)
    draft.defer(a, Reason.Locality)
    draft.wakeAt(7)
    expect([draft.explained, events]).toEqual([true, ['reserve 1 at 12', 'defer 0 for 1', 'wake at 7']])
  })
})
