import type { JobId, JobSpec, LaneId, NodeId, StageSpec, TaskId } from '@sched/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildCluster, checkWork, Shapes, Work } from '../src/index.js'

const model = buildCluster({ nodes: [{ count: 1, slots: { map: 99, reduce: 99 } }] })
const only = 0 as NodeId
const submitted = (stages: readonly StageSpec[]): { readonly work: Work; readonly job: JobId } => {
  const work = new Work(model, new Shapes(model))
  work.addListener({})
  const job = work.submit({ id: 'w', submit: 0, stages } satisfies JobSpec, 0, 0)
  work.open(job)
  return { work, job }
}
const start = (work: Work, task: TaskId) => work.claim(task, only)
const end = (work: Work, task: TaskId) => {
  work.release(task, 'ended')
  work.finish(task)
}

describe('a job of many stages', () => {
  const edge = fc.record({ back: fc.integer({ min: 1, max: 30 }), fraction: fc.constantFrom(0, 0.05, 0.5, 0.07, 1, 1) })
  const shape = fc.record({ tasks: fc.integer({ min: 1, max: 4 }), reduce: fc.boolean(), edges: fc.array(edge, { maxLength: 4 }) })

  it('opens each when as much has ended as it waits for, and offers the first that has tasks left, whatever ends in which order', { tags: 'long' }, () => {
    fc.assert(fc.property(fc.array(shape, { minLength: 2, maxLength: 40 }), fc.infiniteStream(fc.nat()), (shapes, picks) => {
      const stages = shapes.map(({ tasks, reduce, edges }, i): StageSpec => ({
        name: `s${i}`, tasks, demand: reduce ? { reduce: 1 } : { map: 1 }, duration: 1, after: edges.filter(({ back }) => back <= i).map(({ back, fraction }) => ({ stage: i - back, fraction })),
      }))
      const { work, job } = submitted(stages)
      const first = stages.map((_, i) => stages.slice(0, i).reduce((sum, { tasks }) => sum + tasks, 0))
      const left = stages.map(({ tasks }) => tasks)
      const done = stages.map(() => 0)
      const running: number[] = []
      const isOpen = (i: number) => stages[i]!.after!.every(({ stage, fraction }) => done[stage]! / stages[stage]!.tasks >= fraction)
      while (done.some((count, i) => count < stages[i]!.tasks)) {
        const open = stages.flatMap((_, i) => (isOpen(i) ? [i] : []))
        expect(stages.flatMap((_, i) => (work.stageOpen[i] === 1 ? [i] : []))).toEqual(open)
        const fronts = (['map', 'reduce'] as const).map((lane) => open.find((i) => left[i]! > 0 && stages[i]!.demand[lane] !== undefined) ?? -1)
        expect([...work.laneFront].slice(0, 2)).toEqual(fronts)
        checkWork(work)
        const pick = picks.next().value as number
        const startable = fronts.filter((front) => front >= 0)
        if (startable.length > 0 && (running.length === 0 || pick % 2 === 0)) {
          const stage = startable[pick % startable.length]!
          start(work, (first[stage]! + stages[stage]!.tasks - left[stage]!--) as TaskId)
          running.push(stage)
        } else {
          const [stage] = running.splice(pick % running.length, 1) as [number]
          const task = Array.from({ length: stages[stage]!.tasks }, (_, i) => (first[stage]! + i) as TaskId).find((each) => work.taskRun[each]! >= 0)!
          end(work, task)
          done[stage]!++
        }
      }
      expect(work.unplaced(job, 0 as LaneId)).toBe(0)
    }), { seed: 5, numRuns: 200 })
  })

  it('asks at the end of a task only those that wait for it: a workflow of 2,000 tasks looks at each a few times, and not 2,000 times', () => {
    const looks = (stages: number, waits: (i: number) => number[]) => {
      let count = 0
      const spec = Array.from({ length: stages }, (_, i): StageSpec => {
        const after = waits(i).map((stage) => ({ stage, fraction: 1 }))
        return { name: `s${i}`, tasks: 1, demand: { map: 1 }, duration: 1, get after() { count++; return after } }
      })
      const { work } = submitted(spec)
      for (let task = 0 as TaskId; task < stages; task++) {
        start(work, task)
        end(work, task)
      }
      return count / stages
    }
    expect(looks(2000, (i) => (i === 0 ? [] : [i - 1]))).toBeLessThan(8)
    expect(looks(2000, (i) => (i === 0 ? [] : i < 1999 ? [0] : Array.from({ length: 1998 }, (_, each) => each + 1)))).toBeLessThan(8)
  })
})
