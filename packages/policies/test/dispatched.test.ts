import { dispatcher, type Placed } from '@sched/cluster'
import { randomStream } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { capacity, conservative, delay, drf, easy, fair, fairShare, fifo, greedy, maxMin, wfq, yarnFair } from '../src/index.js'

const policies = {
  fifo: () => greedy(fifo()),
  drf: () => greedy(drf()),
  'max-min': () => greedy(maxMin({ resource: 'cpu' })),
  wfq: () => greedy(wfq()),
  'yarn-fair': () => greedy(yarnFair()),
  'fair-share': () => greedy(fairShare()),
  capacity: () => greedy(capacity({ queues: { a: { capacity: 50 }, b: { capacity: 50 } } })),
  delay: () => delay(fair(), { node: 2 }),
  easy: () => easy(),
  conservative: () => conservative(),
}

/** Jobs come, tasks end or fail, jobs are cancelled, as a seed has it; at the end all is done. Yields what was started. */
function live(policy: (typeof policies)[keyof typeof policies], seed: number): number {
  const next = randomStream(seed, 'test')
  const below = (count: number) => Math.floor(next() * count)
  const pick = <T>(of: readonly T[]) => of[below(of.length)] as T
  const master = dispatcher({ cluster: { nodes: [{ count: 3, resources: { cpu: 4, mem: 8 } }] }, policy: policy() })
  let [running, now, started]: [Placed[], number, number] = [[], 0, 0]
  const stop = (placed: Placed, how: 'taskEnded' | 'taskFailed') => {
    running = running.filter(({ id }) => id !== placed.id)
    master[how](placed, now)
  }
  const pass = () => {
    const { start, kill } = master.pass(now)
    running = [...running.filter(({ id }) => !kill.some((each) => each.id === id)), ...start]
    started += start.length
  }
  const actions = [
    (i: number) => master.submit({ id: `j${i}`, submit: now, user: pick(['u', 'v']), queue: pick(['a', 'b']), estimate: 5, stages: [{ name: 's', tasks: 1 + below(5), demand: { cpu: 1 + below(3), mem: 1 + below(3) }, duration: 1 }] }, now),
    () => running.length > 0 && stop(pick(running), 'taskEnded'),
    () => running.length > 0 && stop(pick(running), 'taskFailed'),
    () => {
      const jobs = master.work.jobs()
      if (jobs.length === 0 || next() < 0.7) return
      for (const placed of master.cancel(master.work.name(pick(jobs)), now)) if (next() < 0.5) stop(placed, 'taskFailed')
    },
    pass, pass,
  ]
  for (let i = 0; i < 200; i++) {
    now += next()
    pick(actions)(i)
  }
  for (let left = 500; left > 0 && master.work.active > 0; left--) {
    now += 1
    pass()
    for (const placed of running) stop(placed, 'taskEnded')
  }
  expect([seed, master.work.active, running]).toEqual([seed, 0, []])
  return started
}

describe('a policy in a dispatcher', () => {
  it.each(Object.entries(policies))('goes on when tasks fail and jobs are cancelled (%s)', (_, policy) => {
    for (let seed = 1; seed <= 8; seed++) expect(live(policy, seed)).toBeGreaterThan(30)
  })
})
