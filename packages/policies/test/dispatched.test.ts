import { dispatcher, type Dispatcher, type Placed } from '@sched/cluster'
import { randomStream } from '@sched/core'
import { describe, expect, it } from 'vitest'
import { capacity, conservative, delay, drf, easy, fair, fairShare, fifo, greedy, maxMin, wfq, yarnFair } from '../src/index.js'

const policies = {
  fifo: () => greedy(fifo()),
  'fifo, again last': () => greedy(fifo({ again: 'last' })),
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

const begin = (policy: (typeof policies)[keyof typeof policies]) => dispatcher({ cluster: { nodes: [{ count: 3, resources: { cpu: 4, mem: 8 } }] }, policy: policy() })

/** What was called of a dispatcher, and what it answered, as text that a file could hold. */
type Journal = { readonly call: string; readonly answer: string }[]

const answerOf = (master: Dispatcher, call: string): string => {
  const [name, ...values] = JSON.parse(call) as [keyof Dispatcher, ...unknown[]]
  try {
    return JSON.stringify((master[name] as (...values: unknown[]) => unknown).apply(master, values) ?? null)
  } catch (error) {
    return String(error)
  }
}

/** The dispatcher, which writes its calls down. */
const kept = (master: Dispatcher, journal: Journal): Dispatcher =>
  new Proxy(master, {
    get(_, name) {
      const value: unknown = Reflect.get(master, name, master)
      if (typeof value !== 'function') return value
      return (...values: unknown[]): unknown => {
        const call = JSON.stringify([name, ...values])
        try {
          const answer = (value as (...values: unknown[]) => unknown).apply(master, values)
          journal.push({ call, answer: JSON.stringify(answer ?? null) })
          return answer
        } catch (error) {
          journal.push({ call, answer: String(error) })
          throw error
        }
      }
    },
  })

/** Jobs come, tasks end or fail, jobs are cancelled, as a seed has it; at the end all is done. Yields what was started. */
function live(policy: (typeof policies)[keyof typeof policies], seed: number, journal: Journal = []): number {
  const next = randomStream(seed, 'test')
  const below = (count: number) => Math.floor(next() * count)
  const pick = <T>(of: readonly T[]) => of[below(of.length)] as T
  const master = kept(begin(policy), journal)
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
    (i: number) => expect(() => void master.submit({ id: `large-${i}`, stages: [{ name: 's', tasks: 1, demand: { cpu: 5 } }] }, now)).toThrow('more than any node'),
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

describe('fifo', () => {
  it('puts a job whose task came back in its place by submission, or with `again: last` behind all of its priority that wait', () => {
    const starts = (again: 'place' | 'last') => {
      const master = dispatcher({ cluster: { nodes: [{ count: 1, resources: { cpu: 1 } }] }, policy: greedy(fifo({ again })) })
      for (const [id, priority] of [['a', 1], ['b', 1], ['c', 0], ['d', 1]] as const) master.submit({ id, priority, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 } }] }, 0)
      const next = () => master.pass(0).start[0] as Placed
      const first = next()
      master.taskFailed(first, 0)
      const started = [first]
      for (let i = 0; i < 4; i++) {
        const placed = next()
        started.push(placed)
        master.taskEnded(placed, 0)
      }
      return started.map(({ job }) => job)
    }
    expect(starts('place')).toEqual(['a', 'a', 'b', 'd', 'c'])
    expect(starts('last')).toEqual(['a', 'b', 'd', 'a', 'c'])
  })
})

describe('a policy in a dispatcher', () => {
  it.each(Object.entries(policies))('goes on when tasks fail and jobs are cancelled (%s)', (_, policy) => {
    for (let seed = 1; seed <= 8; seed++) expect(live(policy, seed)).toBeGreaterThan(30)
  })

  it.each(Object.entries(policies))('decides again as it did where all calls are made again, as after a restart (%s)', (_, policy) => {
    for (let seed = 1; seed <= 8; seed++) {
      const journal: Journal = []
      live(policy, seed, journal)
      const again = begin(policy)
      expect(journal.map(({ call }) => answerOf(again, call))).toEqual(journal.map(({ answer }) => answer))
    }
  })
})
