import type { Env, JobId, LaneId } from '@sched/core'
import { expect, it } from 'vitest'
import { RisingScores } from '../../src/fair-share/rising-scores.js'

it('scores in each of several queues never fall, neither while nobody reads them nor over a restart', () => {
  const env = { cluster: { lanes: [{}] }, work: { name: () => 'J', jobs: () => [0], unplaced: () => 1 } } as unknown as Env
  const [job, lane] = [0 as JobId, 0 as LaneId]
  let factor = 1
  const made = () => new RisingScores((_job, _lane, queue) => ({ a: 4, b: 2 })[queue ?? 'a'] as number * factor, env)
  const all = (scores: RisingScores) => [scores.of(job, lane), scores.of(job, lane, 'a'), scores.of(job, lane, 'b')]
  const before = made()
  before.onReady(job, lane)
  expect(all(before)).toEqual([4, 4, 2])
  factor = 3
  before.raise(1)
  factor = 1
  const after = made()
  after.recall(JSON.parse(JSON.stringify(before.memory())))
  expect([all(before), all(after)]).toEqual([[12, 12, 6], [12, 12, 6]])
  before.onFinish(job)
  expect(all(before)).toEqual([4, 4, 2])
})
