// @module-tag long
import { dispatcher } from '@sched/cluster'
import type { Plug, Topology } from '@sched/core'
import { conservative, easy, fattened, fifo, gangScheduling, greedy, kaiPreempting, kubeScheduler, kueue, las, replan, strict, volcano, yunikornReserving } from '@sched/policies'
import { job } from '@sched/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kaiScores, topologyAware, topologyTree } from '../src/index.js'

const RACKS = [{ path: ['r0', 'row0'], procs: [2, 1] }, { path: ['r1', 'row0'], procs: [1, 2, 2] }, { path: ['r2', 'row1'], procs: [3] }, { path: ['r3', 'row1'], procs: [1, 1] }]
const CLUSTER = { nodes: RACKS.flatMap(({ path, procs }, rack) => procs.map((each, i) => ({ names: [`${rack}-${i}`], count: 1, racks: path, resources: { procs: each } }))) }
/** The group of a node by level. */
const groupsOf = (node: string) => [node, RACKS[Number(node.split('-')[0])]?.path[0], RACKS[Number(node.split('-')[0])]?.path[1]]

const policies: Record<string, (placement: Plug<'placement'>) => Plug<'policy'>> = {
  greedy: (placement) => greedy(fifo(), placement),
  strict: (placement) => strict(fifo(), { placement }),
  easy: (placement) => easy(fifo(), { placement }),
  conservative: (placement) => conservative(fifo(), { placement }),
  fattened: (placement) => fattened(fifo(), { placement }),
  kueue: (placement) => kueue({}, placement),
  volcano: (placement) => volcano({}, placement),
  'kai-preempting': (placement) => kaiPreempting({}, placement),
  'kube-scheduler': (placement) => kubeScheduler({}, placement),
  las: (placement) => las({}, placement),
  'yunikorn-reserving': (placement) => yunikornReserving({}, placement),
  'gang-scheduling': (placement) => gangScheduling(fifo(), { rows: 1, placement }),
}

/** Jobs of at most as many tasks as some group of the level holds. */
const asked = fc.constantFrom<readonly [most: number, topology: Topology]>([5, { required: 1 }], [3, { required: 0 }], [8, { required: 2 }], [8, { preferred: 1 }], [8, { required: 2, preferred: 1 }], [8, { racks: 2 }])
const plans = fc.array(fc.record({ asked, tasks: fc.integer({ min: 1, max: 8 }), length: fc.integer({ min: 1, max: 9 }), gap: fc.integer({ min: 0, max: 4 }) }), { minLength: 1, maxLength: 12 })

describe('every job starts, as near as its topology says', () => {
  const placements = { 'topology-tree': topologyTree(), 'topology-aware': topologyAware(), 'kai-scores': kaiScores() }
  const all = Object.entries(policies).flatMap(([name, policy]) => Object.entries(placements).map(([placed, placement]) => [`${name}, ${placed}`, policy(placement)] as const))

  it.each([...all, ['replan', replan(fifo(), { nodes: 'named', topology: 'tree', max_switch_wait: 10_000 })] as const])('%s', (_, policy) => {
    fc.assert(fc.property(plans, (plan) => {
      const control = dispatcher({ cluster: CLUSTER, policy })
      const placesOf = new Map<string, string[]>()
      const running: { readonly id: number; readonly end: number }[] = []
      const tasksOf = ({ asked: [most], tasks }: (typeof plan)[number]) => Math.min(most, tasks)
      let submit = 0
      const submits = plan.map(({ gap }) => (submit += gap))
      for (let now = 0; now <= submit + 9 * plan.length; now++) {
        for (const { id } of running.filter(({ end }) => end === now)) control.taskEnded({ id }, now)
        for (const [i, each] of plan.entries())
          if (submits[i] === now) control.submit(job({ id: `j${i}`, tasks: tasksOf(each), demand: { procs: 1 }, gang: true, estimate: each.length, topology: each.asked[1] }), now)
        for (const { id, job: name, node } of control.pass(now).start) {
          placesOf.set(name, [...(placesOf.get(name) ?? []), node])
          running.push({ id, end: now + (plan[Number(name.slice(1))]?.length ?? 0) })
        }
      }
      expect(plan.map((_each, i) => placesOf.get(`j${i}`)?.length)).toEqual(plan.map(tasksOf))
      for (const [i, { asked: [, { required, racks = 3 }] }] of plan.entries()) {
        const groups = (level: number) => new Set((placesOf.get(`j${i}`) ?? []).map((node) => groupsOf(node)[level])).size
        expect(required === undefined ? 1 : groups(required)).toBe(1)
        expect(groups(1)).toBeLessThanOrEqual(racks + (racks === 3 ? 1 : 0))
      }
    }), { seed: 17, numRuns: 25 })
  })
})
