import { None, type JobId, type LaneId, type NodeId, type ResourceId, type TaskId } from '@sched/core'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { buildCluster, CellState, checkWork, Draft, Shapes, Work, type DraftSink } from '../src/index.js'
import { lane, live, model, n0, n1, nodes, quiet, smallCell, spec, task } from './small-cell.js'

let { cell, work, draft, events, hooks, a, free, counts } = smallCell()
beforeEach(() => void ({ cell, work, draft, events, hooks, a, free, counts } = smallCell()))

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
    for (const each of [task(4), task(0), task(3)]) expect(() => draft.evict(each)).toThrow(`task ${each} is evicted but not running. Only what has started can be evicted, once; what this round has claimed is taken back by \`rollback\`.`)
  })
})

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
      start: (tasks, from) => tasks.slice(from).forEach((id) => jobs.setRunStart(jobs.taskRun[id] as number, 0)),
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

  it('has room to go on where it fits once what it holds is given back, whatever is free and whatever it holds', () => {
    // 4 CPUs and 8 of memory, of which others hold some; the task asks for 2 and 3
    const model = buildCluster({ nodes: [{ count: 1, resources: { cpu: 4, memory: 8 } }] })
    const node = 0 as NodeId
    const outcomes = new Set<string>()
    for (const freed of [[], [0], [1], [0, 1]] as unknown as ResourceId[][])
      for (let cpu = 0; cpu <= 4; cpu++)
        for (let memory = 0; memory <= 8; memory++) {
          const shapes = new Shapes(model)
          const state = new CellState(model, shapes, { validate: true })
          const asked = shapes.intern({ cpu: 2, memory: 3 })
          const held = shapes.without(asked, freed)
          const own = [freed.includes(0 as ResourceId) ? 0 : 2, freed.includes(1 as ResourceId) ? 0 : 3] as const
          if (own[0] + cpu > 4 || own[1] + memory > 8) continue
          if (cpu + memory > 0) state.take(shapes.intern({ cpu, memory }), node)
          if (held !== None) state.take(held, node)
          const hasRoom = state.holdsBeside(held, asked, node)
          if (held !== None) state.give(held, node)
          expect([freed, cpu, memory, hasRoom]).toEqual([freed, cpu, memory, state.fits(asked, node)])
          outcomes.add(`${freed.length} ${hasRoom}`)
        }
    expect([...outcomes].sort()).toEqual(['0 true', '1 false', '1 true', '2 false', '2 true'])
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
        const round = new Draft(state, jobs, { ...quiet, start: (tasks, from) => tasks.slice(from).forEach((id) => jobs.setRunStart(jobs.taskRun[id] as number, 0)), kill: (id) => jobs.unclaim(id, 'evicted') })
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
        checkWork(jobs)
        round.abandon()
        checkWork(jobs)
      }),
      { seed: 7, numRuns: 200 },
    )
  })
})

describe('a suspended round', () => {
  const other = () => new Draft(cell, work, quiet)

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
    checkWork(work)
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
      checkWork(work)
    })

    it('forgets the eviction of a task that has ended meanwhile; its room is there all the same', () => {
      cell.give(work.shapeOf(task(0)), n0)
      work.release(task(0), 'ended')
      work.finish(task(0))
      expect(draft.commit({ conflict: 'fit', atomic: false })).toEqual({ now: 1, accepted: [4], conflicted: [] })
      expect(events).toEqual(['start 4 on 0'])
      checkWork(work)
    })

    it('leaves the task running when the whole draft conflicts', () => {
      const rival = other().begin(1, lane, nodes)
      rival.claim(task(5), n1)
      rival.commit(live)
      cell.setUp(n0, false) // nothing fits on node 0 any more
      expect(draft.commit({ conflict: 'fit', atomic: true })).toEqual({ now: 1, accepted: [], conflicted: [4] })
      expect([events, work.running(a, lane)]).toEqual([[], 2])
      checkWork(work)
    })

    it('may be abandoned', () => {
      draft.abandon()
      expect([free(), counts(), events]).toEqual([[0, 2, 2], [2, 2, 2, 0], []])
      checkWork(work)
    })
  })

  it('must be checked when it is committed, and may be abandoned', () => {
    meanwhile([])
    expect(() => draft.commit(live)).toThrow(/must be checked/)
    draft.abandon()
    expect([free(), counts()]).toEqual([[2, 2, 2], [4, 0, 2, 0]])
    checkWork(work)
  })
})
