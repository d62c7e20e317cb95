import type { PlacementRule, TaskSelector } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { weighted } from '../../src/index.js'
import { Play } from '../world.js'
import { mayBeOn, type Pod } from './pods.js'

// Situations of Hadoop 3's TestPlacementConstraintsUtil and TestPlacementProcessor, named at each: four nodes on two racks, and tags of what runs there.
// Its targetIn is at least one, its targetNotIn none, its `and` several rules.

const nodes = { n0: { rack: 'one' }, n1: { rack: 'one' }, n2: { rack: 'two' }, n3: { rack: 'two' } }
const tagged = (on: string, ...tags: string[]): Pod[] => tags.map((tag) => ({ on, tags: { [tag]: '' } }))
const of = (tag: string): TaskSelector => ({ tags: { [tag]: '' } })
const bounds = (tag: string, over: string, limits: { min?: number; max?: number }): PlacementRule => ({ kind: 'cardinality', of: of(tag), over, ...limits })
const isIn = (tag: string, over = 'node') => bounds(tag, over, { min: 1 })
const isNotIn = (tag: string, over = 'node') => bounds(tag, over, { max: 0 })

describe('constraints of YARN as rules', () => {
  const a = (on: string, count: number) => tagged(on, ...Array<string>(count).fill('a'))
  const apps = [...a('n0', 2), ...a('n1', 3), ...a('n2', 2)]
  it.each<[string, readonly Pod[], readonly PlacementRule[], string]>([
    ['testNodeAffinityAssignment: nowhere, though the first of them might be anywhere in Kubernetes', [], [isIn('m')], ''],
    ['testNodeAffinityAssignment', tagged('n0', 'm'), [isIn('m')], 'n0'],
    ['testRackAffinityAssignment', tagged('n0', 'rs'), [isIn('rs', 'label:rack')], 'n0 n1'],
    ['testNodeAntiAffinityAssignment', tagged('n0', 'm'), [isNotIn('m')], 'n1 n2 n3'],
    ['testRackAntiAffinityAssignment', tagged('n0', 'rs'), [isNotIn('rs', 'label:rack')], 'n2 n3'],
    ['testMultiTagsPlacementConstraints: none of two tags', [...tagged('n0', 'a'), ...tagged('n1', 'b')], [isNotIn('a'), isNotIn('b')], 'n2 n3'],
    ['testMultiTagsPlacementConstraints: both of two tags, of one task or of several', [...tagged('n0', 'a'), ...tagged('n1', 'b'), ...tagged('n2', 'a', 'b')], [isIn('a'), isIn('b')], 'n2'],
    ['testANDConstraintAssignment', [...tagged('n0', 'm'), ...tagged('n2', 'm')], [isNotIn('m'), bounds('s', 'node', { max: 3 })], 'n1 n3'],
    ['testANDConstraintAssignment: four are more than three', [...tagged('n0', 'm'), ...tagged('n1', 's', 's', 's', 's'), ...tagged('n2', 'm')], [isNotIn('m'), bounds('s', 'node', { max: 3 })], 'n3'],
    ['three are not', tagged('n1', 's', 's', 's'), [bounds('s', 'node', { max: 3 })], 'n0 n1 n2 n3'],
    ['testGlobalAppConstraints: none of any job', apps, [isNotIn('a')], 'n3'],
    ['testGlobalAppConstraints: at most two', apps, [bounds('a', 'node', { max: 2 })], 'n0 n2 n3'],
    ['testGlobalAppConstraints: at least three', apps, [bounds('a', 'node', { min: 3 })], 'n1'],
    ['testInterAppConstriantsByAppTag: of jobs with a tag of their own', [{ on: 'n0', tags: { m: '', app: 'x' } }, { on: 'n1', tags: { m: '' } }, { on: 'n2', tags: { m: '', app: 'x' } }], [{ ...isNotIn('m'), of: { tags: { m: '', app: 'x' } } } as PlacementRule], 'n1 n3'],
  ])('let a task be where Hadoop lets it be: %s', (_, running, rules, expected) => {
    expect(mayBeOn(nodes, running, { rules }).join(' ')).toBe(expected)
  })
})

/** Where tasks of a job with a tag and these rules start on so many nodes of 9, in order, each on the first that may be; one job after the other. */
function placed(count: number, ...jobs: readonly (readonly [tasks: number, tag: string, ...rules: PlacementRule[]])[]): number[][] {
  const play = new Play({ nodes: [{ name: 'n', count, resources: { mem: 9 } }] }, weighted({ scores: {} }))
  return jobs.map(([tasks, tag, ...placementRules]) => play.place(tasks, { mem: 1 }, { tags: { [tag]: '' }, placementRules }))
}

describe('tasks with constraints of YARN', () => {
  it.each<[string, number[][], number[][]]>([
    ['testAntiAffinityPlacement', placed(4, [4, 'foo', isNotIn('foo')]), [[0, 1, 2, 3]]],
    ['testMutualAntiAffinityPlacement, where both say so', placed(5, [1, 'bar', isNotIn('foo')], [4, 'foo', isNotIn('foo'), isNotIn('bar')]), [[0], [1, 2, 3, 4]]],
    ['testCardinalityPlacement: a fourth where there are three, which is as many as there may be before', placed(4, [8, 'foo', bounds('foo', 'node', { min: 0, max: 3 })]), [[0, 0, 0, 0, 1, 1, 1, 1]]],
    ['testAffinityPlacement', placed(4, [1, 'bar'], [3, 'foo', isIn('bar')]), [[0], [0, 0, 0]]],
    ['testComplexPlacement: where one of others is, and no more than one of its own', placed(4, [2, 'bar', isNotIn('bar')], [4, 'foo', isIn('bar'), bounds('foo', 'node', { max: 1 })]), [[0, 1], [0, 0, 1, 1]]],
    ['testPlacementRejection: the fifth waits, where YARN gives it back', placed(4, [5, 'foo', isNotIn('foo')]), [[0, 1, 2, 3]]],
    ['testAndOrPlacement: apart from others, and no more than three', placed(4, [3, 'foo', isNotIn('foo')], [4, 'bar', isNotIn('foo'), bounds('bar', 'node', { max: 2 })]), [[0, 1, 2], [3, 3, 3]]],
    // from here on of TestSchedulingRequestContainerAllocation
    ['testIntraAppAntiAffinity: the last where none of the first is, and that is nowhere', placed(4, [10, 'mapper', isNotIn('mapper')], [10, 'reducer', isNotIn('reducer')], [10, 'other', isNotIn('mapper')]), [[0, 1, 2, 3], [0, 1, 2, 3], []]],
    ['testIntraAppAntiAffinityWithMultipleTags', placed(4, [2, 'a', isNotIn('a')], [1, 'b', isNotIn('a')], [1, 'c', isNotIn('a'), isNotIn('b')]), [[0, 1], [2], [3]]],
    ['testInterAppAntiAffinity: all others on the node that is left, and one that keeps off its own as well', placed(4, [3, 'mapper', isNotIn('mapper')], [3, 'foo', isNotIn('mapper')], [3, 'mapper', isNotIn('mapper')]), [[0, 1, 2], [3, 3, 3], [3]]],
    ['testInterAppCompositeConstraints: three at most beside each of those that stand beside a master', placed(5, [2, 'master', isNotIn('master')], [4, 'rs', isNotIn('rs')], [2, 'ws', isIn('master'), isNotIn('ws')], [10, 'servant', isIn('ws'), bounds('servant', 'node', { min: 0, max: 2 })]), [[0, 1], [0, 1, 2, 3], [0, 1], [0, 0, 0, 1, 1, 1]]],
  ])('go where Hadoop has them: %s', (_, found, expected) => {
    expect(found).toEqual(expected)
  })

  it('are refused where no node is large enough (testNodeCapacityRejection), and wait for one that is away (testRePlacementAfterSchedulerRejection)', () => {
    const play = new Play({ nodes: [{ name: 'n', count: 4, resources: { mem: 4 } }, { name: 'large', count: 1, resources: { mem: 8 } }] }, weighted({ scores: {} }))
    const foo = { tags: { foo: '' }, placementRules: [isNotIn('foo')] }
    expect(() => play.place(1, { mem: 9 }, foo)).toThrow('9')
    play.dispatcher.nodeDown('large-0')
    expect([play.place(3, { mem: 1 }, foo), play.place(1, { mem: 5 }, foo)]).toEqual([[0, 1, 2], []])
    play.dispatcher.nodeUp('large-0')
    expect(play.dispatcher.pass(1).start.map(({ node }) => node)).toEqual(['large-0'])
  })

  it('count those of their own job or of others (testNotSelfAppConstraints, testInterAppConstraintsByAppID)', () => {
    // the job has one on n0, another job one on n1
    const second = (job: 'own' | 'other', limits: { min?: number; max?: number }) => {
      const play = new Play({ nodes: ['n0', 'n1', 'n2'].map((host) => ({ names: [host], count: 1, resources: { mem: 4 }, labels: { host } })) }, weighted({ scores: {} }))
      const stage = (name: string, change: object) => ({ name, tasks: 1, demand: { mem: 1 }, duration: 9, tags: { a: '' }, ...change })
      const on = (host: string) => stage(host, { constraints: { require: { host } } })
      play.places(1, { mem: 1 }, { stages: [on('n1')] })
      const rule: PlacementRule = { kind: 'cardinality', of: { ...of('a'), job }, over: 'node', ...limits }
      return play.places(2, { mem: 1 }, { stages: [on('n0'), stage('second', { placementRules: [rule] })] })[1]
    }
    expect([second('own', { max: 0 }), second('other', { max: 0 }), second('other', { min: 1 })]).toEqual(['n1', 'n0', 'n1'])
  })
})
