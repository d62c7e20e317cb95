import type { Constraints, JobSpec, LaneId, NodeId, StageSpec, TaskId } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { buildCluster, CellState, checkWork, Draft, infeasible, readCluster, Shapes, Work, type ClusterInput } from '../src/index.js'

const gpus: ClusterInput = {
  name: 'mixed',
  nodes: [
    { name: 't4', count: 2, resources: { cpu: 4 }, labels: { model: 'T4', zone: 'a' } },
    { name: 'p100', count: 1, resources: { cpu: 8 }, labels: { model: 'P100' } },
    { name: 'ssd', count: 1, resources: { cpu: 2 }, labels: ['ssd'] },
    { name: 'bare', count: 1, resources: { cpu: 16 } },
  ],
}
const model = buildCluster(readCluster(gpus))
const nodes = Array.from({ length: 5 }, (_, node) => node as NodeId)
const lane = 0 as LaneId
const cpus = (n: number) => ({ cpu: n })

function job(constraints: Constraints, { id = 'j', tasks = 1, cpu = 1, gang = false } = {}): JobSpec {
  return { id, submit: 0, stages: [{ name: 's', tasks, demand: cpus(cpu), duration: 1, constraints, gang }] }
}

function world(...specs: JobSpec[]) {
  const shapes = new Shapes(model)
  const cell = new CellState(model, shapes, { validate: true })
  const work = new Work(model, shapes)
  const owner = work.addListener({})
  const sink = { explained: false, start: () => undefined, kill: () => undefined, abandon: () => undefined, reserve: () => undefined, defer: () => undefined, wakeAt: () => undefined }
  const draft = new Draft(cell, work, sink, owner)
  const jobs = specs.map((spec) => work.submit(spec, 0, owner))
  for (const each of jobs) work.open(each)
  return { shapes, cell, work, draft, jobs }
}

describe('labels', () => {
  it('are read from a mapping or a list of names, which have the value "true"', () => {
    const { cell } = world()
    expect(nodes.map((node) => [cell.label(node, 'model'), cell.label(node, 'ssd')])).toEqual([['T4', undefined], ['T4', undefined], ['P100', undefined], [undefined, 'true'], [undefined, undefined]])
    expect(cell.labels).toEqual(['model', 'zone', 'ssd'])
    expect(buildCluster({ nodes: [{ count: 1, resources: { cpu: 1 }, labels: { gen: 3, new: true } as never }] }).labels.of(0 as NodeId, 'gen')).toBe('3')
  })

  it('stand beside a number of nodes as well', () => {
    expect(readCluster({ nodes: 2, resources: { cpu: 1 }, labels: ['ssd'] }).nodes).toEqual([{ count: 2, resources: { cpu: 1 }, labels: { ssd: 'true' } }])
  })

  it('of names that every object has are no labels', () => {
    expect(model.labels.of(0 as NodeId, 'constructor')).toBeUndefined()
    expect(model.labels.of(0 as NodeId, '__proto__')).toBeUndefined()
  })

  it.each([[[''], 'labels[0]'], [{ a: null }, 'labels.a'], ['ssd', 'labels']])('refuse %j', (labels, field) => {
    expect(() => readCluster({ nodes: 1, resources: { cpu: 1 }, labels })).toThrow(expect.objectContaining({ code: 'BAD_INPUT', place: { field } }))
  })
})

describe('constraints', () => {
  it.each<[Constraints, number[]]>([
    [{ require: { model: 'T4' } }, [0, 1]],
    [{ require: { model: ['P100', 'T4'] } }, [0, 1, 2]],
    [{ require: { model: ['P100', 'T4'], zone: 'a' } }, [0, 1]],
    [{ require: { ssd: 'true' } }, [3]],
    [{ require: { 'ssd|model': ['true', 'P100'] } }, [2, 3]], // one of two labels
    [{ require: { 'ssd|model': ['true', 'P100', 'T4'], zone: 'a' } }, [0, 1]],
    [{ require: {} }, [0, 1, 2, 3, 4]],
    [{}, [0, 1, 2, 3, 4]],
    [{ require: { model: 'H100' } }, []],
    [{ nodeSelectorTerms: [{ matchExpressions: [{ key: 'model', operator: 'NotIn', values: ['T4'] }] }] }, [2, 3, 4]], // also where there is none
    [{ nodeSelectorTerms: [{ matchExpressions: [{ key: 'model', operator: 'Exists' }, { key: 'zone', operator: 'DoesNotExist' }] }, { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['t4-1', 'bare-0'] }] }] }, [1, 2, 4]],
    [{ require: { model: 'T4' }, nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['t4-0'] }] }] }, [1]],
    [{ require: { 'kubernetes.io/hostname': ['ssd-0', 't4-0'] } }, [0, 3]],
    [{ nodeSelectorTerms: [{}] }, []],
    [{ nodeSelectorTerms: [] }, []],
    [{ tolerations: [{ operator: 'Exists' }] }, [0, 1, 2, 3, 4]],
  ])('%j allow the nodes %j', (constraints, allowed) => {
    const { work, draft, jobs: [first] } = world(job(constraints))
    draft.begin(0, lane, nodes)
    expect(nodes.filter((node) => draft.fits(first!, node))).toEqual(allowed)
    expect(nodes.filter((node) => work.mayRunOn(work.shape(first!, lane), node))).toEqual(allowed)
    expect(nodes.filter((node) => { const before = draft.savepoint(); const is = draft.claim(0 as TaskId, node); draft.rollback(before); return is })).toEqual(allowed)
  })

  it('are one shape where they say the same in other words, and another shape than none', () => {
    const shapes = new Shapes(model)
    const shape = shapes.intern(cpus(1), { require: { model: ['P100', 'T4'] } })
    expect(shapes.intern(cpus(1), { require: { model: ['T4', 'P100', 'T4'] }, distinctNodes: false })).toBe(shape)
    expect(shapes.intern(cpus(1), { require: {} })).toBe(shapes.intern(cpus(1)))
    expect(new Set([shape, shapes.intern(cpus(1)), shapes.intern(cpus(2), { require: { model: ['P100', 'T4'] } }), shapes.intern(cpus(1), { distinctNodes: true })]).size).toBe(4)
    expect(shapes.intern(cpus(1), { tolerations: [{ key: 'gpu' }] })).toBe(shapes.intern(cpus(1))) // no node has a taint
    expect(() => shapes.intern(cpus(1), { require: { model: [] } })).toThrow(/requires the label "model" and no value/)
    for (const values of [5, ['T4', 5], null] as never[])
      expect(() => shapes.intern(cpus(1), { require: { model: values } })).toThrow(`constraints.require: a task requires the label "model" to be ${JSON.stringify(values)}. Give a text, or a list of texts.`)
  })

  it('keep tasks of a job on different nodes, of one draft or an earlier one, until they end or are taken back', () => {
    const { work, draft, cell } = world(job({ distinctNodes: true }, { tasks: 3 }), job({ distinctNodes: true }, { id: 'other' }))
    const on = (task: number, node: number) => draft.claim(task as TaskId, node as NodeId)
    draft.begin(0, lane, nodes)
    expect([on(0, 4), on(1, 4), on(1, 2), on(3, 4)]).toEqual([true, false, true, true]) // another job may be there
    draft.rollback(1 as never)
    expect([on(1, 4), on(1, 2)]).toEqual([false, true])
    draft.commit({ conflict: 'none', atomic: false })
    checkWork(work)
    draft.begin(1, lane, nodes)
    expect([on(2, 4), on(2, 2)]).toEqual([false, false])
    draft.commit({ conflict: 'none', atomic: false })
    cell.give(work.shapeOf(0 as TaskId), 4 as NodeId)
    work.release(0 as TaskId, 'ended')
    work.finish(0 as TaskId)
    draft.begin(2, lane, nodes)
    expect(on(2, 4)).toBe(true)
  })

  it('count an eviction in a draft as gone, and as there again when it is taken back', () => {
    const { work, draft } = world(job({ distinctNodes: true }, { tasks: 2 }))
    draft.begin(0, lane, nodes)
    draft.claim(0 as TaskId, 4 as NodeId)
    work.setRunStart(work.taskRun[0] as number, 0)
    draft.commit({ conflict: 'none', atomic: false })
    draft.begin(1, lane, nodes)
    draft.evict(0 as TaskId)
    expect(draft.claim(1 as TaskId, 4 as NodeId)).toBe(true)
    draft.rollback(0 as never)
    expect(draft.claim(1 as TaskId, 4 as NodeId)).toBe(false)
  })

  it('are checked by the cell that checks', () => {
    const { cell, shapes } = world()
    expect(() => cell.take(shapes.intern(cpus(1), { require: { model: 'T4' } }), 2 as NodeId)).toThrow(/p100-0 lacks a label/)
  })
})

describe('a job that no node can host', () => {
  const reason = (spec: JobSpec) => infeasible(spec, model, new Shapes(model))?.message
  it.each<[JobSpec, string]>([
    [job({ require: { model: 'H100' } }), 'job j requires model = H100, which no node of mixed has (model: T4, P100). Label the nodes.'],
    [job({ require: { nvme: ['1', '2'] } }), 'job j requires nvme = 1 or 2, which no node of mixed has (no node has a label nvme). Label the nodes.'],
    [job({ require: { model: 'T4' } }, { cpu: 8 }), 'a task of job j asks {"cpu":8}, more than any node of mixed with model = T4 has. Use larger nodes.'],
    [
      job({ nodeSelectorTerms: [{ matchExpressions: [{ key: 'model', operator: 'NotIn', values: ['P100', 'T4'] }, { key: 'zone', operator: 'Exists' }] }] }),
      'job j requires model not P100 or T4 and any zone, which no node of mixed has (model: T4, P100; zone: a). Label the nodes.',
    ],
    [
      job({ nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n9'] }] }, { matchExpressions: [{ key: 'zone', operator: 'Gt', values: ['1'] }] }] }),
      'job j requires (metadata.name = n9) or (zone > 1), which no node of mixed has (zone: a). Label the nodes.',
    ],
    [job({}, { cpu: 17 }), 'a task of job j asks {"cpu":17}, more than any node of mixed has. Use larger nodes.'],
    [job({ distinctNodes: true }, { tasks: 6, gang: true }), 'job j starts 6 tasks of {"cpu":1} at once, the nodes of mixed have room for 5, each on a node of its own. Use more nodes.'],
    // 4 cpu: 1 + 1 + 2 + 0 + 4 tasks of 4
    [job({}, { tasks: 9, cpu: 4, gang: true }), 'job j starts 9 tasks of {"cpu":4} at once, the nodes of mixed have room for 8. Use more nodes.'],
  ])('is told why', (spec, message) => {
    expect(reason(spec)).toBe(message)
  })

  it('beside its master is told of, and one that can be there is not', () => {
    const mastered = (asks: Partial<StageSpec>, rest: Partial<StageSpec>) =>
      reason({ id: 'j', submit: 0, stages: [{ name: 'am', tasks: 1, master: true, demand: { cpu: 1 }, duration: 1, ...asks }, { name: 'work', tasks: 9, demand: { cpu: 1 }, duration: 1, ...rest }] })
    const large = { demand: { cpu: 16 } }
    expect(mastered(large, large)).toBe('the master of job j asks {"cpu":16} and leaves no room for a task of {"cpu":16} on the nodes of mixed. Use larger nodes, or more of them.')
    expect(mastered({}, large)).toBe(undefined) // on another node
    expect(mastered({ demand: { cpu: 17 } }, large)).toBe('the master of job j asks {"cpu":17}, more than any node of mixed has. Use larger nodes.')
    expect(() => mastered({ demand: { gpu: 1 } }, large)).toThrow('demand of the master of job j: the cluster has no resource "gpu"')
    // 4 cpu: 1 + 1 + 2 + 0 + 4 tasks of 4; a master of 3 takes the room of one
    const gang = (minTasks: number) => ({ demand: { cpu: 4 }, gang: true, minTasks })
    expect([mastered({ demand: { cpu: 3 } }, gang(8)), mastered({ demand: { cpu: 3 } }, gang(7))]).toMatchObject([expect.stringContaining('leaves no room for 8 tasks at once of {"cpu":4}'), undefined])
    const apart = { constraints: { distinctNodes: true }, gang: true, minTasks: 5 }
    expect([mastered({}, apart), mastered({ constraints: { distinctNodes: true } }, { ...apart, minTasks: 4 })]).toEqual([undefined, undefined])
    expect(mastered({ constraints: { distinctNodes: true } }, apart)).toContain('leaves no room for 5 tasks at once')
  })

  it('is found by the shape, or for a gang by the room of the empty cluster', () => {
    const shapes = new Shapes(model)
    expect([{ model: 'H100' }, { model: 'T4' }, { ssd: 'true' }].map((require) => shapes.feasible(shapes.intern(cpus(4), { require })))).toEqual([false, true, false])
    expect([shapes.most(shapes.intern(cpus(4)), 100), shapes.most(shapes.intern(cpus(4), { distinctNodes: true }), 100), shapes.most(shapes.intern(cpus(4)), 3)]).toEqual([8, 4, 3])
  })
})
