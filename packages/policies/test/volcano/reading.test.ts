import { dispatcher } from '@sched/cluster'
import { definePolicy, type Env, type JobId, type LaneId } from '@sched/core'
import { instantCluster, job } from '@sched/testkit'
import { expect, it } from 'vitest'
import { VolcanoLane } from '../../src/volcano/lane.js'
import { volcanoOptions } from '../../src/volcano/options.js'
import type { Queue } from '../../src/volcano/queue.js'
import { Reading } from '../../src/volcano/reading.js'

/** A lane that is told of jobs and starts nothing. */
function told() {
  let kept: VolcanoLane | undefined
  const policy = definePolicy({
    name: 'told', summary: '', create: (_, env: Env) => {
      const lane = (kept = new VolcanoLane(volcanoOptions.parse({}), env, 0 as LaneId, undefined))
      return { onReady: (id) => { lane.jobs.refresh(id, true) }, onDrained: (id) => { lane.jobs.refresh(id, false) }, onFinish: (id) => { lane.jobs.close(id) }, schedule: () => undefined }
    },
  })
  const master = dispatcher({ cluster: instantCluster({ nodes: [{ count: 1, resources: { cpu: 9 } }] }), policy: policy.plug({}) })
  return { master, lane: kept as VolcanoLane }
}

it('reads the jobs to be enqueued as one does who passes them all', () => {
  const { master, lane } = told()
  let seed = 7
  const draw = (below: number): number => (seed = (seed * 16807) % 2147483647) % below
  const all: string[] = []
  let enqueued = 0
  for (let step = 0; step < 200; step++) {
    for (let i = 0; i < 3; i++) {
      all.push(`j${step}_${i}`)
      master.submit(job({ id: `j${step}_${i}`, queue: 'q', priority: draw(3), demand: { cpu: 1 + draw(6) } }), step)
    }
    if (draw(2) === 0) master.cancel(all.splice(draw(all.length), 1)[0] as string, step)
    const queue = lane.session.queues.of('q')
    const jobs = () => Array.from(queue.outside.ids.subarray(queue.outside.from, queue.outside.to), (id) => lane.jobs.of(id as JobId))
    const reading = new Reading(queue, 'outside', lane.jobs)
    const vain = new Set<unknown>()
    for (let turn = 0; turn < 12; turn++) {
      const expected = jobs().find(({ likeness }) => !vain.has(likeness))
      const found = reading.next()
      expect(found?.id).toBe(expected?.id)
      if (found === undefined) break
      if (draw(4) > 0) {
        vain.add(found.likeness)
        reading.vain(found)
      } else {
        lane.jobs.enqueue(found)
        enqueued++
      }
    }
    expect(firsts(queue)).toEqual(jobs().filter(({ likeness }, i, those) => those.findIndex((other) => other.likeness === likeness) === i).map(({ id }) => id))
  }
  expect(enqueued).toBeGreaterThan(100)
})

const firsts = ({ firstOutside: { ids, from, to } }: Queue): number[] => [...ids.subarray(from, to)]
