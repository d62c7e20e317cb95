import type { Constraints, JobSpec, NodeId, Taint, Toleration } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { buildCluster, CellState, infeasible, readCluster, Shapes, type ClusterInput } from '../src/index.js'

const tainted: ClusterInput = {
  name: 'mixed',
  nodes: [
    { name: 'plain', count: 2, resources: { cpu: 4 } },
    { name: 'gpu', count: 2, resources: { cpu: 8, gpu: 4 }, labels: { pool: 'gpu' }, taints: ['nvidia.com/gpu=present:NoSchedule'] },
    { name: 'spot', count: 1, resources: { cpu: 16, gpu: 4 }, labels: { pool: 'gpu' }, taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }, 'spot:NoExecute'] },
    { name: 'soft', count: 1, resources: { cpu: 2 }, taints: ['busy:PreferNoSchedule'] },
  ],
}
const model = buildCluster(readCluster(tainted))
const nodes = Array.from({ length: 6 }, (_, node) => node as NodeId)
const GPU: Toleration = { key: 'nvidia.com/gpu', operator: 'Exists' }
const job = (constraints: Constraints | undefined, demand: JobSpec['stages'][0]['demand'] = { cpu: 1 }, tasks = 1): JobSpec =>
  ({ id: 'j', submit: 0, stages: [{ name: 's', tasks, gang: tasks > 1, demand, duration: 1, ...(constraints !== undefined && { constraints }) }] })

describe('taints', () => {
  it.each<[Constraints | undefined, number[]]>([
    [undefined, [0, 1, 5]],
    [{}, [0, 1, 5]],
    [{ distinctNodes: true }, [0, 1, 5]],
    [{ tolerations: [GPU] }, [0, 1, 2, 3, 5]],
    [{ tolerations: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }, { key: 'spot' }] }, [0, 1, 2, 3, 4, 5]],
    [{ tolerations: [{ key: 'nvidia.com/gpu' }] }, [0, 1, 5]], // its value is not ''
    [{ tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }] }, [0, 1, 2, 3, 5]],
    [{ tolerations: [{ operator: 'Exists' }] }, [0, 1, 2, 3, 4, 5]],
    [{ tolerations: [GPU], require: { pool: 'gpu' } }, [2, 3]],
    [{ tolerations: [GPU], nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['gpu-1', 'spot-0'] }] }] }, [3]],
  ])('with %j leave the nodes %j', (constraints, allowed) => {
    const shapes = new Shapes(model)
    const cell = new CellState(model, shapes, { validate: true })
    const shape = shapes.intern({ cpu: 1 }, constraints)
    expect(nodes.filter((node) => cell.fits(shape, node))).toEqual(allowed)
    expect(nodes.filter((node) => cell.keepsOff(constraints, node) === undefined)).toEqual(allowed)
    expect(nodes.filter((node) => cell.couldHold({ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 1, ...(constraints && { constraints }) }, node) > 0)).toEqual(allowed)
  })

  it('are told apart by keys and values, not by how they are written', () => {
    const [key, value]: Taint[] = [{ key: 'a=b', effect: 'NoSchedule' }, { key: 'a', value: 'b', effect: 'NoSchedule' }]
    const built = buildCluster(readCluster({ nodes: [key, value].map((taint) => ({ count: 1, resources: { cpu: 1 }, taints: [taint as Taint] })) }))
    const cell = new CellState(built, new Shapes(built), { validate: true })
    const tolerating = (toleration: Toleration) => [0, 1].filter((node) => cell.keepsOff({ tolerations: [toleration] }, node as NodeId) === undefined)
    expect([tolerating({ key: 'a=b', operator: 'Exists' }), tolerating({ key: 'a', operator: 'Exists' }), tolerating({ key: 'a', value: 'b' })]).toEqual([[0], [1], [1]])
  })

  it('say which of them keeps a task off, unless labels do', () => {
    const cell = new CellState(model, new Shapes(model), { validate: true })
    expect(nodes.map((node) => cell.keepsOff({ tolerations: [GPU] }, node))).toEqual([undefined, undefined, undefined, undefined, 'taint spot:NoExecute', undefined])
    expect(nodes.map((node) => cell.keepsOff({ require: { pool: 'gpu' } }, node))).toEqual([
      'requires pool = gpu', 'requires pool = gpu', 'taint nvidia.com/gpu=present:NoSchedule', 'taint nvidia.com/gpu=present:NoSchedule', 'taint nvidia.com/gpu=present:NoSchedule', 'requires pool = gpu',
    ])
  })

  it('that keep nobody off are counted where they are not tolerated', () => {
    const soft: ClusterInput = {
      nodes: [
        { name: 'none', count: 1, resources: { cpu: 4 } },
        { name: 'arm', count: 1, resources: { cpu: 4 }, taints: ['cpu-type=arm64:PreferNoSchedule', 'cpu-type=arm64:NoSchedule'] },
        { name: 'both', count: 1, resources: { cpu: 4 }, taints: ['cpu-type=arm64:PreferNoSchedule', 'disk-type=ssd:PreferNoSchedule'] },
      ],
    }
    const soften = buildCluster(readCluster(soft))
    const shapes = new Shapes(soften)
    const cell = new CellState(soften, shapes, { validate: true })
    const counts = (constraints?: Constraints) => [0, 1, 2].map((node) => shapes.softTaints(shapes.intern({ cpu: 1 }, constraints), node as NodeId))
    expect([cell.hasSoftTaints, new CellState(buildCluster(readCluster({ nodes: [{ count: 1, resources: { cpu: 1 }, taints: ['a:NoSchedule'] }] })), shapes, { validate: true }).hasSoftTaints]).toEqual([true, false])
    expect(counts()).toEqual([0, 1, 2])
    expect(counts({ tolerations: [{ key: 'cpu-type', value: 'arm64', effect: 'PreferNoSchedule' }] })).toEqual([0, 0, 1])
    expect(counts({ tolerations: [{ key: 'cpu-type', value: 'arm64', effect: 'NoSchedule' }] })).toEqual([0, 1, 2])
    expect(counts({ require: { any: 'x' }, tolerations: [{ operator: 'Exists' }] })).toEqual([0, 0, 0])
    expect(counts({ nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['both-0'] }] }] })).toEqual([0, 1, 2])
    // tasks may be on all the same, and are of one shape where they dislike the same
    expect(shapes.intern({ cpu: 1 }, {})).toBe(shapes.intern({ cpu: 1 }))
    expect([0, 1, 2].map((node) => cell.fits(shapes.intern({ cpu: 1 }), node as NodeId))).toEqual([true, false, true])
  })

  it('make one shape of tolerations that come to the same', () => {
    const shapes = new Shapes(model)
    const shape = shapes.intern({ cpu: 1 }, { tolerations: [GPU] })
    expect(shapes.intern({ cpu: 1 }, { tolerations: [{ key: 'other' }, { key: 'nvidia.com/gpu', value: 'present' }] })).toBe(shape)
    expect(shapes.intern({ cpu: 1 }, { tolerations: [{ operator: 'Exists' }] })).not.toBe(shape)
  })

  it('are checked by the cell that checks', () => {
    const shapes = new Shapes(model)
    const cell = new CellState(model, shapes, { validate: true })
    expect(() => cell.take(shapes.intern({ cpu: 1 }), 2 as NodeId)).toThrow(/gpu-0 .*has a taint that it does not tolerate/)
  })

  it.each<[JobSpec, string]>([
    [job(undefined, { gpu: 1 }), 'a task of job j asks {"gpu":1}, more than any node of mixed without taints nvidia.com/gpu=present:NoSchedule, spot:NoExecute has. Let it tolerate that (`tolerations`), or use larger nodes.'],
    [job({ require: { pool: 'gpu' } }), 'job j does not tolerate taints nvidia.com/gpu=present:NoSchedule, spot:NoExecute, and every node of mixed with pool = gpu has one of them. Let it tolerate one of them (`tolerations`).'],
    [job({ tolerations: [GPU] }, { cpu: 16 }), 'a task of job j asks {"cpu":16}, more than any node of mixed without taint spot:NoExecute has. Let it tolerate that (`tolerations`), or use larger nodes.'],
    // 4 + 4 + 2 processors without a taint
    [job(undefined, { cpu: 1 }, 11), 'job j starts 11 tasks of {"cpu":1} at once, the nodes of mixed without taints nvidia.com/gpu=present:NoSchedule, spot:NoExecute have room for 10. Use more nodes.'],
  ])('are told where they leave no room: %#', (spec, message) => {
    expect(infeasible(spec, model, new Shapes(model))?.message).toBe(message)
  })

  it('are described as kubectl writes them, or field by field', () => {
    expect(readCluster(tainted).nodes[2]?.taints).toEqual([{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }, { key: 'spot', effect: 'NoExecute' }])
    expect(readCluster({ nodes: 2, resources: { cpu: 1 }, taints: ['a=:NoSchedule'] }).nodes).toEqual([{ count: 2, resources: { cpu: 1 }, taints: [{ key: 'a', effect: 'NoSchedule' }] }])
  })

  it.each([[['gpu'], 'taints[0]'], [['gpu:Never'], 'taints[0]'], [[{ key: 'gpu' }], 'taints[0].effect'], ['gpu:NoSchedule', 'taints']])('refuse %j', (taints, field) => {
    expect(() => readCluster({ nodes: 1, resources: { cpu: 1 }, taints })).toThrow(expect.objectContaining({ code: 'BAD_INPUT', place: { field } }))
  })
})
