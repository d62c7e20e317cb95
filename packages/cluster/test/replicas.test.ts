import { streamKey } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { buildCluster, type ClusterModel, type ReplicaRule } from '../src/index.js'
import { placeReplicas } from '../src/replicas.js'

const blocks = 20_000
const cluster = (count: number, racks: number | undefined, replicas: ReplicaRule) =>
  buildCluster({ nodes: [{ count, slots: { map: 1 }, ...(racks !== undefined && { racks }) }], replicas })

/** Nodes of every block's replicas. */
function place(model: ClusterModel, seed = 1): number[][] {
  const out = new Int32Array(model.replicas.factor)
  return Array.from({ length: blocks }, (_, block) => {
    placeReplicas(model, streamKey(seed, 'replicas'), block, out, 0)
    return [...out]
  })
}
const racksOf = (model: ClusterModel, nodes: readonly number[]) => nodes.map((node) => model.groups[1]?.[node])

/** Pearson's statistic against equal frequencies. */
function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}
/** Within 4 standard deviations, sqrt(2 df), of its mean, df. */
const plausible = (statistic: number, df: number) => Math.abs(statistic - df) < 4 * Math.sqrt(2 * df)
const histogram = (values: readonly number[], cells: number) => {
  const counts = new Array<number>(cells).fill(0)
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

describe('placement of replicas', () => {
  it('follows HDFS: one anywhere, two on distinct nodes of one other rack, further ones on other nodes', () => {
    const model = cluster(20, 4, { factor: 4, placement: 'hdfs' })
    const wrong = place(model).filter((nodes) => {
      const [first, second, third] = racksOf(model, nodes)
      return new Set(nodes).size < 4 || second === first || third !== second
    })
    expect(wrong).toEqual([])
  })

  it('gives every node its share of first, second and third replicas', () => {
    const model = cluster(20, 4, { factor: 3, placement: 'hdfs' })
    const placed = place(model)
    for (let replica = 0; replica < 3; replica++)
      expect(plausible(chiSquare(histogram(placed.map((nodes) => nodes[replica] as number), 20)), 19)).toBe(true)
  })

  it('chooses the other rack evenly, and any pair of nodes in it', () => {
    const model = cluster(12, 4, { factor: 3, placement: 'hdfs' })
    const placed = place(model).filter((nodes) => racksOf(model, nodes)[0] === 0)
    const others = placed.map((nodes) => nodes[1] as number)
    expect(plausible(chiSquare(histogram(others, 12).slice(3)), 8)).toBe(true) // nodes 3 to 11 are not on rack 0
    const pairs = placed.map((nodes) => (nodes[1] as number) * 12 + (nodes[2] as number))
    const counts = histogram(pairs, 144).filter((count) => count > 0)
    expect(counts).toHaveLength(3 * 3 * 2) // three racks, ordered pairs of three nodes
    expect(plausible(chiSquare(counts), 17)).toBe(true)
  })

  it('puts uniform replicas on distinct nodes, each node as often as another, without regard to racks', () => {
    const model = cluster(20, 4, { factor: 3, placement: 'uniform' })
    const placed = place(model)
    expect(placed.every((nodes) => new Set(nodes).size === 3)).toBe(true)
    for (let replica = 0; replica < 3; replica++) expect(plausible(chiSquare(histogram(placed.map((nodes) => nodes[replica] as number), 20)), 19)).toBe(true)
    // the second is on the first's rack for 4 of the 19 other nodes
    const together = placed.filter((nodes) => racksOf(model, nodes)[0] === racksOf(model, nodes)[1]).length
    expect(Math.abs(together / blocks - 4 / 19)).toBeLessThan(4 * Math.sqrt(((4 / 19) * (15 / 19)) / blocks))
  })

  it.each([
    ['one rack', cluster(5, 1, { factor: 3, placement: 'hdfs' }), 3],
    ['no racks', cluster(5, undefined, { factor: 3, placement: 'hdfs' }), 3],
    ['racks of one node', cluster(3, 3, { factor: 3, placement: 'hdfs' }), 3],
    ['fewer nodes than replicas', cluster(2, 1, { factor: 3, placement: 'hdfs' }), 2],
    ['one node', cluster(1, undefined, { factor: 3, placement: 'uniform' }), 1],
    ['one replica', cluster(6, 2, { factor: 1, placement: 'hdfs' }), 1],
    ['two replicas', cluster(6, 2, { factor: 2, placement: 'hdfs' }), 2],
  ] as const)('uses as many distinct nodes as there are: %s', (_, model, distinct) => {
    const out = new Int32Array(model.replicas.factor)
    for (let block = 0; block < 200; block++) {
      placeReplicas(model, 7, block, out, 0)
      expect(new Set(out).size).toBe(distinct)
      expect(out.every((node) => node >= 0 && node < model.nodes)).toBe(true)
    }
  })

  it('repeats the first node where there are fewer nodes than replicas', () => {
    const out = new Int32Array(4)
    for (let block = 0; block < 50; block++) {
      placeReplicas(cluster(2, 1, { factor: 4, placement: 'hdfs' }), 7, block, out, 0)
      expect([out[2], out[3]]).toEqual([out[0], out[0]])
    }
  })

  it('depends on seed and block alone, not on what was placed before', () => {
    const model = cluster(20, 4, { factor: 3, placement: 'hdfs' })
    const all = place(model)
    const out = new Int32Array(3)
    placeReplicas(model, streamKey(1, 'replicas'), 777, out, 0)
    expect([...out]).toEqual(all[777])
    expect(place(model, 2)).not.toEqual(all)
  })
})
