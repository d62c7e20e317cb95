import { dispatcher } from '@sched/cluster'
import type { NodeId, StageSpec } from '@sched/core'
import { fifo, greedy } from '@sched/policies'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { topologyTree } from '../src/index.js'

interface Node {
  readonly rack: string
  readonly row: string
  readonly free: { readonly procs: number; readonly memory: number }
}

/** What is there of each on an empty node, where at least one processor is in use. */
const FULL = 5

/** Two rows, each of some racks of some nodes, of which something is used. */
const world = fc.array(fc.array(fc.array(fc.record({ procs: fc.integer({ min: 0, max: FULL - 1 }), memory: fc.integer({ min: 0, max: FULL }) }), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 })
  .map((rows) => rows.flatMap((racks, row) => racks.flatMap((nodes, rack) => nodes.map((free): Node => ({ rack: `r${row}.${rack}`, row: `row${row}`, free })))))

const stagesOf = fc.array(fc.record({ tasks: fc.integer({ min: 1, max: 3 }), procs: fc.integer({ min: 1, max: 3 }), memory: fc.integer({ min: 0, max: 3 }), distinctNodes: fc.boolean() }), { minLength: 2, maxLength: 3 })
  .map((stages) => stages.map(({ tasks, distinctNodes, ...demand }, i): StageSpec => ({ name: `s${i}`, tasks, gang: true, demand, duration: 1, ...(distinctNodes && { constraints: { distinctNodes } }) })))

describe('a gang of several stages in one group', () => {
  it.each([1, 2])('is where all of it has room, however small the other groups are, or nowhere: level %i', { tags: 'long' }, (within) => {
    fc.assert(fc.property(world, stagesOf, (nodes, stages) => {
      const groupOf = ({ rack, row }: Node) => (within === 1 ? rack : row)
      const groups = [...new Set(nodes.map(groupOf))]
      const members = (group: string) => nodes.flatMap((node, id) => (groupOf(node) === group ? [id] : []))
      const whole = nodes.map(() => ({ procs: FULL, memory: FULL }))
      const holds = (group: string, free: readonly Node['free'][]) => isPlaceable(stages, members(group), free)
      const control = dispatcher({
        cluster: { nodes: nodes.map(({ rack, row }, id) => ({ count: 1, names: [`n-${id}`], racks: [rack, row], resources: { procs: FULL, memory: FULL } })) }, policy: greedy(fifo(), topologyTree({ within })),
      })
      for (const [id, { free }] of nodes.entries()) control.cell.take(control.work.shapes.intern({ procs: FULL - free.procs, memory: FULL - free.memory }), id as NodeId)
      const submit = () => { control.submit({ id: 'gang', submit: 0, gang: true, stages }) }
      if (!groups.some((group) => holds(group, whole))) {
        expect(submit).toThrow(/gang/)
        return
      }
      submit()
      const free = nodes.map((node) => node.free)
      const roomy = (group: string) => members(group).filter((id) => stages.some((stage) => isPlaceable([{ ...stage, tasks: 1 }], [id], free))).length
      const [best] = groups.filter((group) => holds(group, free)).sort((a, b) => roomy(a) - roomy(b))
      const started = control.pass(0).start.map(({ node }) => groupOf(nodes[Number(node.slice(2))] as Node))
      expect(started).toEqual(best === undefined ? [] : Array<string>(stages.reduce((sum, { tasks }) => sum + tasks, 0)).fill(best))
    }), { seed: 31, numRuns: 250 })
  })

  it('is in one rack of its row if one holds it, otherwise its stages are on few racks each', () => {
    const place = (sizes: readonly number[], ...tasks: readonly number[]) => {
      const nodes = sizes.map((size, rack) => ({ name: `${rack}`, count: size, racks: [`r${rack}`, 'row'], resources: { procs: 1 } }))
      const control = dispatcher({ cluster: { nodes }, policy: greedy(fifo(), topologyTree({ within: 2 })) })
      control.submit({ id: 'gang', submit: 0, gang: true, stages: tasks.map((each, i) => ({ name: `s${i}`, tasks: each, gang: true, demand: { procs: 1 }, duration: 1 })) })
      return control.pass(0).start.map(({ node }) => Number(node.split('-')[0]))
    }
    expect(place([2, 3, 4], 2, 2)).toEqual([2, 2, 2, 2])
    expect(place([2, 3, 4], 4, 3)).toEqual([2, 2, 2, 2, 1, 1, 1])
  })

  it('finds room for shares of devices as nodes give them', () => {
    // a share of 600 and one of 500 fit on no device of 1000: 500 + 500 and 600 + 300 do
    const cluster = (gpus: readonly number[]) => ({
      nodes: gpus.map((gpu, i) => ({ count: 1, names: [`n-${i}`], racks: [`r${i}`], devices: { gpu: { count: gpu, milli: 1000 } } })),
    })
    const place = (gpus: readonly number[]) => {
      const control = dispatcher({ cluster: cluster(gpus), policy: greedy(fifo(), topologyTree({ within: 1 })) })
      const stage = (name: string, tasks: number, gpu: number) => ({ name, tasks, gang: true, demand: { gpu }, duration: 1 })
      control.submit({ id: 'gang', submit: 0, gang: true, stages: [stage('a', 1, 600), stage('b', 2, 500), stage('c', 1, 300)] })
      return control.pass(0).start.map(({ node }) => node)
    }
    expect(place([1, 2, 3])).toEqual(['n-1', 'n-1', 'n-1', 'n-1'])
    expect(() => place([1, 1])).toThrow('its 4 tasks at once are more than any rack has room for (topology-tree.within)')
  })
})

/** Whether all tasks have room on the nodes, by every way to place them. */
function isPlaceable(stages: readonly StageSpec[], nodes: readonly number[], free: readonly Node['free'][]): boolean {
  const tasks = stages.flatMap(({ tasks: count, demand, constraints }) => Array.from({ length: count }, () => ({ procs: demand['procs'] as number, memory: demand['memory'] as number, isAlone: constraints?.distinctNodes === true })))
  const left = new Map(nodes.map((id) => [id, { ...(free[id] as Node['free']), isTaken: false }]))
  const place = (at: number): boolean => {
    const task = tasks[at]
    if (task === undefined) return true
    return nodes.some((id) => {
      const before = left.get(id) as Node['free'] & { isTaken: boolean }
      if (before.procs < task.procs || before.memory < task.memory || (task.isAlone && before.isTaken)) return false
      left.set(id, { procs: before.procs - task.procs, memory: before.memory - task.memory, isTaken: before.isTaken || task.isAlone })
      const isPlaced = place(at + 1)
      left.set(id, before)
      return isPlaced
    })
  }
  return place(0)
}
