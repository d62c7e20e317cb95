import { dispatcher, type Dispatcher, type Placed } from '@sched/cluster'
import { describe, expect, it } from 'vitest'
import { conservative, delay, easy, fair, fifo, greedy, strict, volcano, yarnFair } from '../src/index.js'

type Policy = Parameters<typeof dispatcher>[0]['policy']
const begin = (policy: Policy, nodes = 1) => dispatcher({ cluster: { nodes: [{ count: nodes, name: 'n', resources: { cpu: 4 } }] }, policy, explained: true })
const job = (id: string, cpu: number, change: object = {}) => ({ id, estimate: 60, stages: [{ name: 's', tasks: 1, demand: { cpu } }], ...change })
const why = (master: Dispatcher, ...ids: string[]) => ids.map((id) => master.explain(id)).map((wait) => (wait === undefined ? 'nothing waits' : [wait.reason, wait.limit].filter((part) => part !== undefined).join(' ')))

describe('a dispatcher that is asked why a job waits', () => {
  it.each<[string, Policy, string[]]>([
    ['greedy', greedy(fifo()), ['nothing waits', 'no room', 'nothing waits']],
    ['strict', strict(fifo()), ['nothing waits', 'no room', 'behind others']],
    ['easy', easy(fifo()), ['nothing waits', 'no room', 'reservation']],
    ['conservative', conservative(fifo()), ['nothing waits', 'no room', 'reservation']],
    ['a limit on jobs', greedy(fair({ pools: { default: { maxRunningJobs: 1 } } })), ['nothing waits', 'queue limit maxRunningJobs default', 'queue limit maxRunningJobs default']],
    ['a limit on amounts', greedy(yarnFair({ root: { queues: { default: { maxResources: { cpu: 4 } } } } })), ['nothing waits', 'queue limit maxResources root.default', 'nothing waits']],
  ])('says what %s has said', (_, policy, told) => {
    const master = begin(policy)
    master.submit(job('runs', 3), 0)
    master.submit(job('large', 4), 0)
    master.submit(job('long', 1, { estimate: 600 }), 0)
    master.pass(0)
    expect(why(master, 'runs', 'large', 'long')).toEqual(told)
  })

  it.each<[string, Parameters<typeof volcano>[0], string[]]>([
    ['proportion, of which each of two queues deserves half', { actions: ['allocate'], tiers: [{ plugins: ['proportion'] }] }, ['nothing waits', 'queue limit proportion in a', 'nothing waits']],
    ['capacity', { actions: ['allocate'], tiers: [{ plugins: ['capacity'] }], queues: { a: { capability: { cpu: 3 } } } }, ['nothing waits', 'queue limit capacity in a', 'nothing waits']],
    ['overcommit, which enqueues nobody beyond the whole', { actions: ['enqueue', 'allocate'], tiers: [{ plugins: [{ name: 'overcommit', arguments: { 'overcommit-factor': 1 } }] }] }, ['nothing waits', 'nothing waits', 'queue limit overcommit']],
  ])('names the plug-in of Volcano that holds a job back: %s', (_, options, told) => {
    const master = begin(volcano(options))
    master.submit(job('runs', 2, { queue: 'a' }), 0)
    master.submit(job('more', 2, { queue: 'a' }), 0)
    master.submit(job('other', 1, { queue: 'b' }), 0)
    master.pass(0)
    expect(why(master, 'runs', 'more', 'other')).toEqual(told)
  })

  it('counts the tasks that wait, and looks at what is free now', () => {
    const master = begin(greedy(fifo()))
    master.submit({ id: 'a', stages: [{ name: 'map', tasks: 6, demand: { cpu: 1 } }, { name: 'reduce', tasks: 3, after: [{ stage: 0, fraction: 1 }], demand: { cpu: 1 } }] }, 0)
    expect(master.explain('a')).toEqual({ tasks: 6, reason: 'behind others' }) // nobody has decided yet
    const [first] = master.pass(0).start as [Placed]
    expect(master.explain('a')).toEqual({ tasks: 2, reason: 'no room' })
    master.nodeDown('n-0', 1)
    master.taskFailed(first, 1)
    expect(master.explain('a')).toEqual({ tasks: 3, reason: 'no room' })
    master.nodeUp('n-0', 2)
    expect(master.explain('a')).toEqual({ tasks: 3, reason: 'behind others' })
    master.cancel('a', 3)
    expect(master.explain('a')).toBe(undefined)
  })

  it('says no room of a gang of which not all tasks have room', () => {
    const master = begin(greedy(fifo()), 2)
    master.submit(job('runs', 4), 0)
    master.submit({ id: 'gang', stages: [{ name: 's', tasks: 3, gang: true, demand: { cpu: 2 } }] }, 0)
    master.pass(0)
    expect(master.explain('gang')).toEqual({ tasks: 3, reason: 'no room' })
  })

  it('forgets a limit when others have started since without it, and when the job is in another queue', () => {
    const master = begin(greedy(fair({ pools: { a: { maxRunningJobs: 1 } } })))
    for (const id of ['first', 'second']) master.submit(job(id, 1, { queue: 'a' }), 0)
    const [first] = master.pass(0).start as [Placed]
    expect(why(master, 'second')).toEqual(['queue limit maxRunningJobs a'])
    master.update('second', { queue: 'b' }, 1)
    expect(why(master, 'second')).toEqual(['behind others'])
    master.update('second', { queue: 'a' }, 2)
    master.pass(2)
    expect(why(master, 'second')).toEqual(['queue limit maxRunningJobs a'])
    master.taskEnded(first, 3)
    master.submit(job('large', 4, { queue: 'b' }), 3)
    master.pass(3)
    expect(why(master, 'second', 'large')).toEqual(['nothing waits', 'no room'])
  })

  it('says that a job waits for a node with its data, where nodes report by heartbeats', () => {
    const master = dispatcher({ cluster: { nodes: [{ count: 2, name: 'n', slots: { map: 1 } }], heartbeat: { interval: 3 } }, policy: delay(fair(), { node: 5 }), explained: true })
    master.submit({ id: 'a', stages: [{ name: 'map', tasks: 1, demand: { map: 1 }, data: { hosts: [['n-1']] } }] }, 0)
    expect([master.heartbeat('n-0', 0).start, master.explain('a')]).toEqual([[], { tasks: 1, reason: 'locality delay' }])
  })

  it('is told to note it first', () => {
    const master = dispatcher({ cluster: { nodes: 1, resources: { cpu: 4 } }, policy: greedy(fifo()) })
    master.submit(job('a', 1), 0)
    expect(() => master.explain('a')).toThrow('nobody noted why jobs wait. Create the dispatcher with `explained: true`.')
    expect(() => begin(greedy(fifo())).explain('b')).toThrow('no job in the system is called "b"')
    expect(() => dispatcher({ cluster: { nodes: 1, resources: { cpu: 4 } }, policy: greedy(fifo()), explained: 'yes' as never })).toThrow('explained: is "yes". Use true or false.')
  })
})
