import { None, type JobId, type JobSpec, type LaneId, type NodeId, type TaskId } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { barsOf, buildCluster, checkWork, Shapes, Work } from '../src/index.js'

const model = buildCluster({ nodes: [{ count: 6, racks: 2, slots: { map: 9 } }] })
const lane = 0 as LaneId
const nodes = Array.from({ length: model.nodes }, (_, node) => node as NodeId)
const levels = model.groups.length

/** One job of a stage whose tasks have their data on these nodes, and ids for so many copies. */
function jobWith(replicas: readonly number[], spares = 0, told: string[] = []) {
  const work = new Work(model, new Shapes(model), () => ({ replicas: Int32Array.from(replicas), factor: 1 }))
  work.addListener({ onReady: () => void told.push('ready'), onDrained: () => void told.push('drained') })
  if (spares > 0) work.sparesOf = () => spares
  const spec: JobSpec = { id: 'a', submit: 0, stages: [{ name: 'map', tasks: replicas.length, demand: { map: 1 }, duration: 1, data: {} }] }
  const job = work.submit(spec, 0, 0)
  work.open(job)
  return { work, job, stage: work.jobFirstStage[job] as number }
}
const set = (...ids: number[]): ReadonlySet<NodeId> => new Set(ids as NodeId[])
const mayRunOn = (work: Work, job: JobId) => nodes.filter((node) => work.mayRunOn(work.shape(job, lane), node))

describe('tasks that are kept off nodes', () => {
  it('ask for others: a stage for those that it is not kept off, and that not all that wait are', () => {
    const { work, job, stage } = jobWith([0, 1, 2])
    expect(mayRunOn(work, job)).toEqual([0, 1, 2, 3, 4, 5])
    work.changeBars(job, () => barsOf(work).setStage(stage, set(4)))
    expect(mayRunOn(work, job)).toEqual([0, 1, 2, 3, 5])
    work.changeBars(job, () => { for (const task of [0, 1, 2]) barsOf(work).setTask(task as TaskId, set(0, task + 1)) })
    expect(mayRunOn(work, job)).toEqual([1, 2, 3, 5])
    work.claim(0 as TaskId, 5 as NodeId)
    work.claim(1 as TaskId, 5 as NodeId)
    expect(mayRunOn(work, job)).toEqual([1, 2, 5])
    work.changeBars(job, () => { barsOf(work).setStage(stage, set()); barsOf(work).setTask(2 as TaskId, set()) })
    expect(mayRunOn(work, job)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('ask for the same as those of other jobs that are kept off the same nodes, also after these have left', () => {
    const work = new Work(model, new Shapes(model), () => ({ replicas: new Int32Array(0), factor: 1 }))
    work.addListener({})
    const begin = (id: string, ...off: number[]) => {
      const job = work.submit({ id, submit: 0, stages: [{ name: 'map', tasks: 1, demand: { map: 1 }, duration: 1 }] }, 0, 0)
      work.open(job)
      work.changeBars(job, () => barsOf(work).setStage(work.jobFirstStage[job] as number, set(...off)))
      return job
    }
    const [a, b] = [begin('a', 4, 1), begin('b', 1, 4)]
    const shape = work.shape(a, lane)
    expect(work.shape(b, lane)).toBe(shape)
    work.drop(a)
    work.remove(a)
    expect([mayRunOn(work, b), work.shape(begin('c', 1), lane) === shape]).toEqual([[0, 2, 3, 5], false])
    work.drop(b)
    work.remove(b)
    const ids = work.shapes.all.length
    const again = begin('d', 1, 4)
    expect([work.shape(again, lane), mayRunOn(work, again), work.shapes.all.length]).toEqual([shape, [0, 2, 3, 5], ids])
  })

  it('go and come again for their scheduler, unless none waits or they are held back', () => {
    const told: string[] = []
    const { work, job, stage } = jobWith([0], 0, told)
    const change = () => { told.length = 0; work.changeBars(job, () => barsOf(work).setStage(stage, set(told.length + 1))); return told.join() }
    expect(change()).toBe('drained,ready')
    work.holdBack(job)
    expect(change()).toBe('')
    work.letGo(job)
    work.claim(0 as TaskId, 3 as NodeId)
    expect(change()).toBe('')
  })

  it('are found as by a search among all', () => {
    const bars = fc.array(fc.nat({ max: 5 }), { maxLength: 4 })
    const act = fc.record({ task: fc.nat({ max: 7 }), node: fc.nat({ max: 5 }), bars, what: fc.constantFrom('claim', 'back', 'bar', 'barStage', 'copy') })
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 5 }), { minLength: 2, maxLength: 8 }), fc.array(act, { maxLength: 25 }), (replicas, acts) => {
        const { work, job, stage } = jobWith(replicas, replicas.length)
        const own = new Map<number, ReadonlySet<number>>()
        let ofStage: ReadonlySet<number> = set()
        const isWaiting = (task: number) => work.taskRun[task] === -1
        const suits = (task: number, node: number) => !(own.get(task)?.has(node) === true || (work.isCopy(task as TaskId) && own.get(work.originalOf(task as TaskId))?.has(node) === true))
        const waitingIn = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i).filter(isWaiting)
        for (const { task: drawn, node, bars: some, what } of acts) {
          const task = (drawn % replicas.length) as TaskId
          if (what === 'claim' && isWaiting(task)) work.claim(task, node as NodeId)
          else if (what === 'back' && (work.taskRun[task] as number) >= 0 && work.otherAttempt(task) === None) work.unclaim(task, 'withdrawn')
          else if (what === 'bar') {
            own.set(task, new Set(some))
            work.changeBars(job, () => barsOf(work).setTask(task, set(...some)))
          } else if (what === 'barStage') {
            ofStage = new Set(some)
            work.changeBars(job, () => barsOf(work).setStage(stage, set(...some)))
          } else if (what === 'copy' && (work.taskRun[task] as number) >= 0 && work.otherAttempt(task) === None) {
            barsOf(work)
            if (work.addCopy(task, set(...some))) own.set(work.otherAttempt(task), new Set(some))
          }
          checkWork(work)
          if (work.unplaced(job, lane) === 0) continue
          const [originals, copies] = [waitingIn(0, replicas.length), waitingIn(replicas.length, 2 * replicas.length)]
          for (const at of nodes) {
            const isBarred = ofStage.has(at) || [...originals, ...copies].every((each) => !suits(each, at))
            expect(work.mayRunOn(work.shape(job, lane), at)).toBe(!isBarred)
            if (isBarred) continue
            const first = originals.filter((each) => suits(each, at))
            // copies come after tasks where there are such that are kept off nodes themselves; others are as near as their tasks
            const areSpecial = [...originals, ...copies].some((each) => (own.get(each)?.size ?? 0) > 0 || (each >= replicas.length && (own.get(work.originalOf(each as TaskId))?.size ?? 0) > 0))
            const among = !areSpecial ? [...originals, ...copies] : first.length > 0 ? first : copies.filter((each) => suits(each, at))
            for (let within = 0; within <= levels; within++) {
              const near = among.map((each) => [each, work.stageLists[stage]?.level(each, at) ?? 0] as const).filter(([, level]) => level <= within).sort(([a, x], [b, y]) => x - y || a - b)
              const found = work.taskFor(job, lane, at, within)
              expect(found).toBe(near[0]?.[0] ?? None)
              if (found !== None) expect([work.suits(found, at), work.level(found, at)]).toEqual([true, near[0]?.[1]])
            }
          }
        }
      }),
      { seed: 61, numRuns: 400 },
    )
  })
})

describe('a copy', () => {
  it('is as near as its task, also under an id that was the copy of another one', () => {
    const { work, job } = jobWith([0, 5], 1)
    const copyOf = (task: number) => { work.addCopy(task as TaskId); return work.otherAttempt(task as TaskId) as TaskId }
    for (const task of [0, 1] as TaskId[]) work.claim(task, 3 as NodeId)
    const copy = copyOf(0)
    expect([work.taskFor(job, lane, 0 as NodeId, levels), work.level(copy, 0 as NodeId)]).toEqual([copy, 0])
    work.retire(copy)
    expect([copyOf(1), work.level(copy, 0 as NodeId), work.level(copy, 5 as NodeId)]).toEqual([copy, 2, 0])
  })
})
