import type { JobWait } from '@sched/metrics'
import { describe, expect, it } from 'vitest'
import { explainText } from '../src/output/explain-text.js'
import { directory, sched, small } from './sched.js'

interface Wait {
  readonly outcome: string
  readonly wait: number
  readonly until: number
  readonly parts: Readonly<Record<string, number>>
  readonly passing: readonly string[]
  readonly rejection: string
  readonly attempts: number
  readonly conflicts: number
}

/** The wait of a job under each policy. */
async function waits(args: readonly string[], cwd: string): Promise<Record<string, Wait>> {
  const { code, out, err } = await sched(['explain', ...args, '--json', '-'], { cwd })
  expect([code, err]).toEqual([0, ''])
  const { policies } = JSON.parse(out) as { policies: { policy: string; wait: Wait }[] }
  return Object.fromEntries(policies.map(({ policy, wait }) => [policy, wait]))
}

const swf = (jobs: readonly (readonly [submit: number, runtime: number, procs: number])[]): string =>
  `; MaxProcs: 4\n${jobs.map(([submit, runtime, procs], i) => `${i + 1} ${submit} -1 ${runtime} ${procs} -1 -1 ${procs} ${runtime} -1 1 1 1 1 1 1 -1 -1`).join('\n')}\n`

/** 1 holds three of four processors to 100 s; 2 needs all; 3 would fit beside 1 but runs to 220 s. */
const blocked = () => directory({ 'log.swf': swf([[0, 100, 3], [10, 10, 4], [20, 200, 1]]) })

/** Jobs in the native format. */
const jobs = (...specs: readonly object[]): string => ['{"format":"sched-workload","version":1}', ...specs.map((spec) => JSON.stringify(spec))].join('\n')
const job = (id: string, submit: number, duration: number, change: object = {}, stage: object = {}) => ({ id, submit, stages: [{ name: 'work', tasks: 1, demand: { cpu: 1 }, duration, ...stage }], ...change })

describe('sched explain', () => {
  it('tells a lack of room from a wait for one rack', async () => {
    const racks = 'nodes: [{ name: a, count: 2, racks: [r0], resources: { cpu: 1 } }, { name: b, count: 2, racks: [r1], resources: { cpu: 1 } }]\n'
    // a node of each rack is free from 10 to 60 s
    const cwd = directory({ 'racks.yaml': racks, 'jobs.jsonl': jobs(job('1', 0, 10), job('2', 0, 60), job('3', 0, 60), job('4', 5, 10, {}, { tasks: 2, gang: true })) })
    const placement = 'placement: {topology-tree: {within: 1}}'
    const policies = [`greedy: {order: fifo, ${placement}}`, ...['easy', 'volcano', 'yunikorn-reserving', 'yunikorn-preempting', 'kai-preempting', 'kube-scheduler', 'las', 'srtf'].map((name) => `${name}: {${placement}}`), `gang-scheduling: {rows: 1, ${placement}}`]
    const told = await waits(['--nodes', 'racks.yaml', '--trace', 'jobs.jsonl', '--jitter', '0', '--job', '4', '--policies', policies.map((each) => `{${each}}`).join()], cwd)
    const withoutNode = (policy: string) => (policy.startsWith('volcano') ? 'queue limit overcommit' : 'no room') // Volcano does not enqueue it before
    expect(Object.values(told).map(({ parts }) => parts)).toEqual(policies.map((policy) => ({ [withoutNode(policy)]: 5, 'locality delay': 50 })))
  })

  it('tells a wait for a rack that one job asks for from a lack of quota', async () => {
    const racks = 'nodes: [{ name: a, count: 2, racks: [r0], resources: { cpu: 1 } }, { name: b, count: 2, racks: [r1], resources: { cpu: 1 } }]\n'
    const asks = job('4', 5, 10, { topology: { required: 1 } }, { tasks: 2, gang: true })
    const cwd = directory({ 'racks.yaml': racks, 'jobs.jsonl': jobs(...[job('1', 0, 10), job('2', 0, 60), job('3', 0, 60), asks].map((each) => ({ ...each, queue: 'q' }))) })
    const policies = '{kueue: {queues: {q: {nominalQuota: {cpu: 4}}}, placement: topology-tree}},{greedy: {order: fifo, placement: topology-tree}},{greedy: {order: fifo}},{replan: {nodes: named, topology: tree, max_switch_wait: 3600}}'
    const told = await waits(['--nodes', 'racks.yaml', '--trace', 'jobs.jsonl', '--jitter', '0', '--job', '4', '--policies', policies], cwd)
    // 1 is on a, with 2; 3 is on b: until 60 s no rack has two nodes
    expect(Object.values(told).map(({ parts }) => parts)).toEqual([{ 'queue limit quota of cpu in q': 5, 'locality delay': 50 }, { 'no room': 5, 'locality delay': 50 }, { 'no room': 5 }, { 'no room': 5, 'locality delay': 50 }])
  })

  it('tells a lack of room from what rules forbid, and which kinds of them', async () => {
    const apart = { placementRules: [{ kind: 'antiAffinity', of: { tags: { app: 'db' } }, over: 'node' }] }
    const near = { placementRules: [{ kind: 'affinity', of: { tags: { app: 'web' } }, over: 'node' }] }
    const [db, web] = [{ tags: { app: 'db' }, queue: 'q', estimate: 100 }, { tags: { app: 'web' }, queue: 'q', estimate: 100 }]
    // one db is on each node, one of them alone by its own will, until 30 s; another job fills both from 5 to 15 s
    const cwd = directory({
      'nodes.yaml': 'nodes: [{ count: 2, resources: { cpu: 4 } }]\n',
      'jobs.jsonl': jobs(
        job('first', 0, 50, { ...db, ...apart }), job('second', 0, 30, { ...db, ...apart }), job('full', 5, 10, { queue: 'q', estimate: 10 }, { tasks: 6 }),
        job('third', 6, 10, { ...db, ...apart }), job('any', 7, 10, db), job('close', 8, 10, { queue: 'q', estimate: 100, ...near }), job('web', 40, 10, web),
      ),
    })
    const placement = 'placement: weighted'
    const policies = [`greedy: {order: fifo, ${placement}}`, ...['strict', 'easy', 'conservative', 'replan', 'volcano', 'yunikorn-reserving', 'yunikorn-preempting', 'kai-preempting', 'kube-scheduler'].map((name) => `${name}: {${placement}}`), `kueue: {queues: {q: {nominalQuota: {cpu: 8}}}, ${placement}}`]
    const partsOf = async (id: string, of = policies) => {
      const told = await waits(['--nodes', 'nodes.yaml', '--trace', 'jobs.jsonl', '--jitter', '0', '--job', id, '--policies', of.map((each) => `{${each}}`).join()], cwd)
      return Object.values(told).map(({ parts }) => Object.fromEntries(Object.entries(parts).filter(([name]) => name.startsWith('placement rule'))))
    }
    expect(await partsOf('third')).toEqual(policies.map(() => ({ 'placement rule antiAffinity': 15 })))
    expect(await partsOf('any', policies.slice(0, 1))).toEqual([{ 'placement rule antiAffinity of others': 25 }]) // the third is on the other node until 40 s
    expect(await partsOf('close', policies.slice(0, 1))).toEqual([{ 'placement rule affinity': expect.closeTo(25.001, 9) as number }]) // looked at again 1 ms after web has started
  })

  it('tells a lack of room from what a policy does with room', async () => {
    const { strict, easy, fifo } = await waits(['--trace', 'log.swf', '--job', '3', '--policies', 'strict,easy,fifo'], blocked())
    // one processor is free until 100 s, then 2 has all to 110 s
    expect(strict).toMatchObject({ wait: 90, until: 110, parts: { 'behind others': 80, 'no room': 10 } })
    expect(easy).toMatchObject({ wait: 90, until: 110, parts: { reservation: 80, 'no room': 10 } })
    expect(fifo).toMatchObject({ wait: 0, parts: {} })
  })

  it('tells that a pod waits for its nominated node, for one of another, or for the end of its backoff', async () => {
    const one = { queue: 'q', estimate: 100 }
    const cwd = directory({
      'nodes.yaml': 'nodes: [{ count: 1, resources: { cpu: 2 } }]\n',
      'jobs.jsonl': jobs(job('old', 0, 100, one), job('high', 10, 30, { ...one, priority: 9 }, { demand: { cpu: 2 } }), job('other', 20, 10, one)),
    })
    const partsOf = async (id: string, options: string) => {
      const [told] = Object.values(await waits(['--nodes', 'nodes.yaml', '--trace', 'jobs.jsonl', '--jitter', '0', '--job', id, '--policies', `{kube-scheduler: ${options}}`], cwd))
      return told?.parts
    }
    const grace = '{terminationGracePeriodSeconds: 30}'
    expect(await partsOf('high', grace)).toEqual({ 'no room on its nominated node': 30 })
    expect(await partsOf('other', grace)).toEqual({ 'reservation of a nominated node': 20, 'no room': 30 })
    // tried at 10 s and, when old has gone, not before 14 s
    expect(await partsOf('high', '{backoff: {podInitialBackoffSeconds: 4, popFromBackoffQ: false}}')).toEqual({ 'no room on its nominated node': expect.closeTo(0.001, 9) as number, 'queue limit backoff': expect.closeTo(3.999, 9) as number })
  })

  it('prints the parts of policies beside each other, then what happened; by default of the longest wait', async () => {
    const { out } = await sched(['explain', '--trace', 'log.swf', '--policies', 'strict,fifo'], { cwd: blocked() })
    expect(out).toBe(`log.swf: 3 jobs on one node of 4 procs
strict, fifo on seed 1

job 2 of user 1, submitted at 10 s

                                 strict        fifo
----------------------------  ---------  ----------
waited for its first task, s         90         210
  no room                     90 (100%)  210 (100%)
first task at, s                    100         220
last task at, s                     100         220
ended at, s                         110         230

strict
  10 to 100 s: no room
  held most meanwhile: 1 (75.0%)

fifo
  10 to 220 s: no room
  1 job submitted later started first: 3
  held most meanwhile: 1 (32.1%), 3 (23.8%)
`)
  })

  it('prints waits of less than a tenth of a second', async () => {
    const cwd = directory({ 'jobs.jsonl': jobs(job('a', 0, 10.0342), job('b', 10, 10)) })
    const { out } = await sched(['explain', '--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'cpu=1', '--jitter', '0', '--policies', 'fifo'], { cwd })
    expect(out.split('\n').slice(3)).toEqual([
      'job b in queue default, submitted at 10 s',
      '',
      '                                      fifo',
      '----------------------------  ------------',
      'waited for its first task, s         0.034',
      '  no room                     0.034 (100%)',
      'first task at, s                    10.034',
      'last task at, s                     10.034',
      'ended at, s                         20.034',
      '',
      'fifo',
      '  10 to 10.034 s: no room',
      '  held most meanwhile: a (100.0%)',
      '',
    ])
  })

  it.each(['easy', 'conservative', 'fattened', 'strict', 'replan'])('knows windows that keep room from the first job: %s', async (policy) => {
    // 2 of 4 cores are promised to somebody else from 60 to 120 s: a would run into that, and begins after it
    const cwd = directory({ 'jobs.jsonl': jobs(job('a', 0, 90, { estimate: 90 }, { demand: { cpu: 3 } }), job('b', 0, 10, { estimate: 10 }, { demand: { cpu: 2 } })) })
    const of = async (id: string) => Object.values(await waits(['--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'cpu=4', '--jitter', '0', '--job', id, '--policies', `{${policy}: {windows: [{from: 60, to: 120, demand: {cpu: 2}}]}}`, '--quiet'], cwd))[0]
    expect(await of('a')).toMatchObject(policy === 'strict' ? { until: 120, parts: { reservation: 120 } } : { until: 120, parts: { reservation: 110, 'no room': 10 } }) // b runs until 10 s, where it may pass
  })

  it('takes the job that waits longest also where that has not started or ended when the run ends', async () => {
    const cwd = directory({ 'jobs.jsonl': jobs(job('a', 0, 50), job('b', 5, 500), job('c', 6, 500), job('d', 7, 1)) })
    const at = async (until: string) => (await sched(['explain', '--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'cpu=1', '--jitter', '0', '--policies', 'fifo', '--until', until], { cwd })).out
    expect(await at('40')).toContain('job b in queue default, submitted at 5 s')
    expect(await at('100')).toContain('job c in queue default, submitted at 6 s') // 94 s, b 45 s
    expect(await at('100')).toMatch(/first task at, s +still waiting\n/)
    const { err } = await sched(['explain', '--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'cpu=1', '--window', '8:9'], { cwd })
    expect(err).toBe('error: no job was submitted, so none waited. See what the trace holds (`sched trace describe`), and what of it is run (--window, --until, --infeasible).\n')
  })

  it('takes the job whose last task starts latest after its first, where that is asked', async () => {
    // one node: a waits longest (b before it), b has its tasks one after another, c both at once but for one that comes 3 s later
    const cwd = directory({ 'jobs.jsonl': jobs(job('b', 0, 10, {}, { tasks: 4 }), job('a', 0, 5), job('c', 100, 3, {}, { tasks: 2 })) })
    const args = ['explain', '--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'cpu=1', '--jitter', '0', '--policies', 'fifo']
    const found = async (...more: string[]) => /^job (\w)/m.exec((await sched([...args, ...more], { cwd })).out)?.[1]
    expect([await found(), await found('--longest', 'wait'), await found('--longest', 'spread'), await found('--longest', 'spread', '--until', '25')]).toEqual(['a', 'a', 'b', 'b'])
    expect((await sched([...args, '--longest', 'spread'], { cwd })).out).toMatch(/last task after the first, s +30\n/)
    expect((await sched([...args, '--longest', 'spread', '--job', 'a'], { cwd })).err).toBe('error: --longest: stands beside --job. Name the job, or let it be found.\n')
    expect((await sched([...args, '--longest', 'spread', '--take', '1', '--until', '5'], { cwd })).err).toBe('error: --longest: no job has a task that starts later than its first. Ask for the longest wait (`--longest wait`), or name a job (--job).\n')
  })

  it('ends each run with the job: what comes later does not matter', async () => {
    const cwd = directory({ 'jobs.jsonl': jobs(job('a', 0, 50), job('b', 5, 10), job('c', 1000, 1, {}, { demand: { cpu: 2 } })) })
    const args = ['--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'cpu=1', '--jitter', '0', '--policies', 'fifo']
    expect(await waits([...args, '--job', 'b'], cwd)).toMatchObject({ fifo: { wait: 45, end: 60 } })
    expect((await sched(['explain', ...args], { cwd })).err).toMatch(/^error: .*: a task of job c asks \{"cpu":2\}, more than any node of cluster has\./) // which waits longest, only the end tells
  })

  it('names the queues of who held the cluster where they are not all its own', async () => {
    const cwd = directory({ 'jobs.jsonl': jobs(job('a', 0, 100, { queue: 'x', user: 'u' }, { tasks: 2 }), job('b', 0, 50, { queue: 'y' }), job('c', 1, 10, { queue: 'y' }), job('d', 200, 50, { user: 'v' }, { tasks: 2 }), job('e', 200, 50, { user: 'w' }), job('f', 201, 10, { user: 'v' })) })
    const heldFor = async (id: string) => /held most meanwhile: (.*)/.exec((await sched(['explain', '--trace', 'jobs.jsonl', '--nodes', '3', '--resources', 'cpu=1', '--jitter', '0', '--policies', 'fifo', '--job', id], { cwd })).out)?.[1]
    expect(await heldFor('c')).toBe('a in x (66.7%), b in y (33.3%)')
    expect(await heldFor('f')).toBe('d (66.7%), e (33.3%)') // no queues are named, and each user has one
  })

  it('counts tasks of no job, which ran when the run began, among those who held the cluster', async () => {
    const cwd = directory({
      'jobs.jsonl': jobs(job('a', 0, 100), job('b', 0, 10), job('c', 0, 5)),
      'prefilled.yaml': 'workload: { trace: jobs.jsonl }\ncluster: { nodes: 2, resources: { cpu: 1 } }\nruntime: { jitter: 0 }\nprefill: { utilisation: 0.5, tasks: [{ demand: { cpu: 1 }, remaining: 40 }] }\npolicies: [fifo]\n',
    })
    // a node is held until 40 s, by a the other; c begins at 50 s, after b: 40/50 of a half, and 10/50 of one
    const { out } = await sched(['explain', 'prefilled.yaml', '--job', 'c'], { cwd })
    expect(/held most meanwhile: (.*)/.exec(out)?.[1]).toBe('a (50.0%), tasks of no job (40.0%), b (10.0%)')
    expect((await waits(['prefilled.yaml', '--job', 'c'], cwd))['fifo']).toMatchObject({ prefilled: 0.4, holders: [{ id: 'a', share: 0.5 }, { id: 'b', share: 0.1 }] })
  })

  it('knows the time of decisions, own and of others, and lost ones', async () => {
    const cwd = directory({ 'jobs.jsonl': jobs(job('a', 0, 100), job('b', 1, 100)) })
    const cell = ['--trace', 'jobs.jsonl', '--nodes', '2', '--resources', 'cpu=1', '--policies', 'fifo', '--job', 'b']
    // a is decided from 0 to 5 s, b from 5 to 10 s
    const one = await waits([...cell, '--architecture', '{monolithic: {decision: {job: 5, task: 0}}}'], cwd)
    expect(one['fifo']).toMatchObject({ wait: 9, parts: { 'scheduler busy': 4, decision: 5 }, attempts: 1, conflicts: 0 })
    // on one node both decide to the same room: a (0 to 5 s) takes it, b (1 to 6 s) loses, and from 5 s on there is none
    const lost = await waits(['--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'cpu=1', '--policies', 'fifo', '--job', 'b', '--jitter', '0', '--architecture', '{shared-state: {schedulers: 2, decision: {job: 5, task: 0}}}'], cwd)
    // to 105 s; its attempt of 103 to 108 s finds none, that of 109 to 114 s does: 4 + 3 + 5 s of decisions while there was room
    expect(lost['fifo']).toMatchObject({ conflicts: 1, until: 114, parts: { 'no room': 100, decision: 12, 'next attempt': 1 } })
    // w needs 2 CPU at once and the cell has 1: between its attempts it is not behind others, of whom there are none
    const alone = directory({ 'jobs.jsonl': jobs({ ...job('w', 0, 100), stages: [{ name: 'job', tasks: 2, demand: { cpu: 1 }, duration: 100 }] }) })
    const whole = await waits(['--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'cpu=1', '--policies', 'fifo', '--job', 'w', '--architecture', '{shared-state: {schedulers: 1, commit: all-or-nothing}}'], alone)
    expect(Object.keys((whole['fifo'] as { parts: object }).parts)).toEqual(['no room'])
  })

  it('knows the maxima of capacity queues, the limits of their users, and when a limit is over', async () => {
    const property = (name: string, value: string) => `<property><name>yarn.scheduler.capacity.${name}</name><value>${value}</value></property>`
    const queue = (name: string, capacity: string, ...more: string[]) => [property(`root.${name}.capacity`, capacity), ...more].join('')
    const cwd = directory({
      'capacity-scheduler.xml': `<configuration>${property('root.queues', 'few,user,rest')}${queue('few', '25', property('root.few.maximum-capacity', '25'))}${queue('user', '25')}${queue('rest', '50')}</configuration>`,
      // few may use one of four cores; who has more than one in the queue `user` is beyond the limit of a user
      'jobs.jsonl': jobs(job('a', 0, 10, { queue: 'few' }), job('b', 1, 10, { queue: 'few' }), job('c', 2, 10, { queue: 'user', user: 'u' }), job('d', 3, 10, { queue: 'user', user: 'u' }), job('i', 3, 10, { queue: 'user', user: 'u' }), ...['e', 'f', 'g', 'h'].map((id) => job(id, 4, 20, { queue: 'rest', user: id }))),
    })
    const of = async (id: string) => Object.values(await waits(['--trace', 'jobs.jsonl', '--nodes', '4', '--resources', 'cpu=1', '--job', id, '--queues', 'capacity-scheduler.xml', '--quiet'], cwd))[0]
    expect(await of('b')).toMatchObject({ wait: 9, parts: { 'queue limit maximum-capacity root.few': 9 } }) // until a ends
    expect(await of('i')).toMatchObject({ until: 13, parts: { 'queue limit user-limit root.user': 9, 'no room': 1 } }) // until c ends, whose core goes to f; then until d ends
  })

  it('tells no room in a partition of capacity queues from a maximum, and names the queue whose maximum it is', async () => {
    const property = ([name, value]: readonly [string, string]) => `<property><name>yarn.scheduler.capacity.${name}</name><value>${value}</value></property>`
    const set = [['root.queues', 'etl,adhoc,ml'], ['root.etl.capacity', '40'], ['root.etl.maximum-capacity', '50'], ['root.etl.queues', 'hourly,daily'], ['root.etl.hourly.capacity', '50'], ['root.etl.hourly.user-limit-factor', '9'], ['root.etl.daily.capacity', '50'], ['root.adhoc.capacity', '40'], ['root.adhoc.user-limit-factor', '9'], ['root.ml.capacity', '20'], ['root.accessible-node-labels.gpu.capacity', '100'], ['root.ml.accessible-node-labels', 'gpu'], ['root.ml.accessible-node-labels.gpu.capacity', '100'], ['root.ml.default-node-label-expression', 'gpu']] as const
    const cwd = directory({
      'capacity-scheduler.xml': `<configuration>${set.map(property).join('')}</configuration>`,
      'nodes.yaml': 'nodes: [{ name: c, count: 2, resources: { cpu: 3 } }, { name: g, count: 1, resources: { cpu: 8 }, labels: { partition: gpu } }]\n',
      // etl may use 3 of the 6 cores without a label, as hourly may: e and f have them; with a of adhoc one is left on each node, and c asks for 2
      'jobs.jsonl': jobs(job('e', 0, 20, { queue: 'etl.hourly' }), job('a', 1, 30, { queue: 'adhoc' }), job('f', 2, 20, { queue: 'etl.hourly' }, { demand: { cpu: 2 } }), job('g', 3, 10, { queue: 'etl.hourly' }), job('c', 4, 10, { queue: 'adhoc' }, { demand: { cpu: 2 } }), job('h', 5, 10, { queue: 'ml' }, { demand: { cpu: 8 } }), job('i', 6, 10, { queue: 'ml' })),
    })
    const of = async (id: string) => Object.values(await waits(['--trace', 'jobs.jsonl', '--nodes', 'nodes.yaml', '--job', id, '--queues', 'capacity-scheduler.xml', '--quiet'], cwd))[0]
    expect(await of('g')).toMatchObject({ parts: { 'queue limit maximum-capacity root.etl': 17 } }) // hourly may use all of that: until e ends
    expect(await of('c')).toMatchObject({ parts: { 'no room in the default partition': 16 } }) // until e ends, although g-0 is free
    expect(await of('i')).toMatchObject({ parts: { 'no room in partition gpu': 9 } }) // until h ends at 15 s
  })

  it('knows limits of masters, which --masters gives to jobs', async () => {
    const all = ['root.queues', 'q'].concat(['root.q.capacity', '100', 'root.q.user-limit-factor', '9'])
    const properties = all.flatMap((name, i) => (i % 2 === 0 ? `<property><name>yarn.scheduler.capacity.${name}</name><value>${all[i + 1]}</value></property>` : []))
    const cwd = directory({
      'capacity-scheduler.xml': `<configuration>${properties.join('')}</configuration>`,
      'fair-scheduler.xml': '<allocations><queue name="q"><maxAMShare>0.1</maxAMShare></queue></allocations>',
      'jobs.jsonl': jobs(...['a', 'b', 'c'].map((id) => job(id, 0, 10, { queue: 'q' }))),
    })
    const of = async (file: string) => Object.values(await waits(['--trace', 'jobs.jsonl', '--nodes', '2', '--resources', 'cpu=10', '--job', 'c', '--masters', 'cpu=1', '--queues', file, '--quiet'], cwd))[0]
    expect(await of('capacity-scheduler.xml')).toMatchObject({ wait: 10, parts: { 'queue limit maximum-am-resource-percent root.q': 10 } }) // a tenth of 20 cores: two at once
    expect(await of('fair-scheduler.xml')).toMatchObject({ wait: 10, parts: { 'queue limit maxAMShare root.q': 10 } })
    const { code, err } = await sched(['run', '--trace', 'jobs.jsonl', '--nodes', '3', '--resources', 'cpu=1', '--masters', 'cpu=1', '--policy', 'fifo'], { cwd })
    expect([code, err]).toEqual([2, expect.stringContaining('error: at 0 s 3 jobs wait, and all that runs is 3 masters')])
  })

  it('looks for room for the master, without which nothing else of its job starts', async () => {
    const master = { name: 'master', tasks: 1, demand: { cpu: 2 }, duration: 0, master: true }
    const cwd = directory({ 'jobs.jsonl': jobs(job('a', 0, 10, {}, { tasks: 3 }), { ...job('b', 0, 10), stages: [master, ...job('b', 0, 10).stages] }) })
    const { fifo } = await waits(['--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'cpu=4', '--job', 'b', '--policies', 'fifo'], cwd)
    expect(fifo).toMatchObject({ wait: 10, parts: { 'no room': 10 } }) // beside a there is room for the task, and not for the master
  })

  it('knows heartbeats, gangs and labels, set-up, limits of queues, and jobs that are left out', async () => {
    const gang = { gang: true, tasks: 2 }
    const cwd = directory({
      'jobs.jsonl': jobs(job('a', 0, 10), job('b', 0, 10, {}, gang), job('c', 31, 10, { startup: 7 }), job('d', 60, 10, { queue: 'few' }), job('e', 61, 10, { queue: 'few' }), job('f', 62, 1, {}, { demand: { cpu: 2 } })),
      'fair-scheduler.xml': '<allocations><queue name="few"><maxRunningApps>1</maxRunningApps></queue></allocations>',
    })
    const of = async (id: string, ...more: string[]) => Object.values(await waits(['--trace', 'jobs.jsonl', '--nodes', '2', '--resources', 'cpu=1', '--job', id, '--infeasible', 'reject', ...more], cwd))[0]
    expect(await of('b', '--policies', 'fifo')).toMatchObject({ parts: { 'no room': 10 } }) // one node is free, both are needed
    expect(await of('c', '--policies', 'fifo')).toMatchObject({ parts: { 'start-up': 7 } })
    expect((await of('c', '--policies', 'fifo', '--heartbeat', '3'))?.parts).toMatchObject({ 'start-up': 7 })
    expect((await of('a', '--policies', 'fifo', '--heartbeat', '3'))?.parts['no room']).toBeUndefined()
    expect(await of('e', '--queues', 'fair-scheduler.xml', '--quiet')).toMatchObject({ parts: { 'queue limit maxRunningApps root.few': 9 } }) // d runs from 60 to 70
    expect(await of('f', '--policies', 'fifo')).toMatchObject({ outcome: 'rejected', rejection: expect.stringContaining('{"cpu":2}') as string })
  })

  it('finds no room for stages that start together where there is some for each alone', async () => {
    const part = { name: 'part', tasks: 1, demand: { cpu: 1 }, duration: 5, gang: true }
    const cwd = directory({ 'jobs.jsonl': jobs(job('a', 0, 10), { id: 'b', submit: 0, gang: true, stages: [part, part] }) })
    const { fifo } = await waits(['--trace', 'jobs.jsonl', '--nodes', '2', '--resources', 'cpu=1', '--job', 'b', '--policies', 'fifo'], cwd)
    expect(fifo).toMatchObject({ wait: 10, parts: { 'no room': 10 } })
  })

  it('counts as room what the scheduler of the job may use: its partition, its virtual cluster, or free nodes for one', async () => {
    const two = { tasks: 2, demand: { cpu: 2 } }
    const cwd = directory({ 'jobs.jsonl': jobs(job('a', 0, 100), job('b', 1, 100, {}, two), job('c', 2, 100), job('d', 3, 10, { class: 'web' }, { demand: { cpu: 2 } }), job('e', 4, 10, { class: 'web' }, { demand: { cpu: 2 } })) })
    const of = async (id: string, architecture: string) => Object.values(await waits(['--trace', 'jobs.jsonl', '--nodes', '2', '--resources', 'cpu=2', '--job', id, '--jitter', '0', '--policies', 'fifo', '--architecture', architecture], cwd))[0]
    // a has one node and uses half of it; b asks for two and has them at 100 s, before c, which would be content with the other
    expect(await of('b', 'on-demand')).toMatchObject({ until: 100, parts: { 'no room': 99 } })
    expect(await of('c', 'on-demand')).toMatchObject({ until: 200, parts: { 'no room': 100, 'behind others': 98 } })
    // a's nodes are there at once, and its virtual cluster stands 20 s later; so b has nodes at 120 s, and c after it
    const setUp = '{on-demand: {setup: 20}}'
    expect((await of('a', setUp))?.parts).toEqual({ 'set-up of nodes': 20 })
    expect((await of('b', setUp))?.parts).toEqual({ 'no room': 119, 'set-up of nodes': 20 })
    // the other node is idle, and not theirs: d until 14 s beside nobody, e after it
    const parts = '{partitioned: {decision: {job: 0, task: 0}, partitions: {web: {nodes: {fraction: 0.5}}, others: {nodes: rest, classes: ["*"]}}}}'
    expect((await of('e', parts))?.parts).toMatchObject({ 'no room': 9 })
  })

  it('names the user and the queue where these say more than the id', async () => {
    const cwd = directory({ 'jobs.jsonl': jobs(job('a', 0, 9, { user: 'ann', queue: 'few' }), job('b', 0, 9, { user: 'b' }), job('c', 0, 9), job('264', 0, 9, { user: '12', queue: '1' })) })
    const first = async (id: string) => (await sched(['explain', '--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'cpu=1', '--policies', 'fifo', '--job', id], { cwd })).out.split('\n')[3]
    expect([await first('a'), await first('b'), await first('c')]).toEqual(['job a of ann in queue few, submitted at 0 s', 'job b, submitted at 0 s', 'job c in queue default, submitted at 0 s'])
    expect(await first('264')).toBe('job 264 of user 12 in queue 1, submitted at 0 s')
  })

  it('says when tasks of the job were evicted or lost with their nodes', async () => {
    // 1 holds both nodes; 2 of a higher priority takes node-0 from 10 to 30 s, and node-1 is away from 15 to 20 s
    const cwd = directory({
      'jobs.jsonl': jobs(job('1', 0, 100, {}, { tasks: 2 }), job('2', 10, 20, { priority: 1 })),
      'away.csv': 'node,from,to\nnode-1,15,20\n',
      'experiment.yaml': 'workload: { trace: jobs.jsonl }\ncluster: { nodes: 2, resources: { cpu: 1 } }\noutages: away.csv\nruntime: { jitter: 0 }\npolicy: { kube-scheduler: {} }\n',
    })
    const { out } = await sched(['explain', 'experiment.yaml', '--job', '1'], { cwd })
    const [first = '', later = ''] = out.split('\nafter its first task, until its last started\n')
    expect(first.split('\n').slice(-4)).toEqual(['  started at once', '  at 10 s 1 task evicted; next to start where it ran: 2 (at that instant)', '  at 15 s 1 task lost with nodes', ''])
    const { out: json } = await sched(['explain', 'experiment.yaml', '--job', '1', '--json', '-'], { cwd })
    expect(JSON.parse(json)).toMatchObject({ policies: [{ wait: { interruptions: [{ at: 10, how: 'evicted', tasks: 1 }, { at: 15, how: 'lost', tasks: 1 }] } }] })
    // the evicted task waits for the end of 2, that of node-1 for the node: from 15 to 20 s both
    expect(later.slice(later.indexOf('\nkube-scheduler\n'))).toBe([
      '', 'kube-scheduler', '  0 to 10 s: none waited; 2 ran', '  10 to 30 s: no room; 1.25 waited, 0.75 ran', '  2 tasks of it and 1 of 1 other job started meanwhile: 2 (1)',
      '  others held most meanwhile: 2 (33.3%)', '  nodes away meanwhile, on average: 0.17', '',
    ].join('\n'))
  })

  it('goes on to the last task: what the others waited for, by stage, and who started meanwhile', async () => {
    // two places: two maps of x run to 10 s, then its third beside y, and its reduce from 20 s. Up to 10 s a map waits for room; the reduce waits 20 s for the maps
    const stages = [{ name: 'map', tasks: 3, demand: { cpu: 1 }, duration: 10 }, { name: 'reduce', tasks: 1, demand: { cpu: 1 }, duration: 5, after: [{ stage: 0, fraction: 1 }] }]
    const cwd = directory({ 'jobs.jsonl': jobs({ id: 'x', submit: 0, queue: 'a', stages }, job('y', 1, 20, { queue: 'b' })) })
    const args = ['explain', '--trace', 'jobs.jsonl', '--nodes', '2', '--resources', 'cpu=1', '--jitter', '0', '--policies', 'fifo']
    const { out } = await sched([...args, '--job', 'x'], { cwd })
    expect(out.slice(out.indexOf('\nfifo\n'))).toBe(`
fifo
  started at once

after its first task, until its last started

                                   fifo
-----------------------------  --------
last task after the first, s         20
  no room                      10 (50%)
  earlier stages               10 (50%)
waits of tasks, task-seconds         30
  map: no room                 10 (33%)
  reduce: earlier stages       20 (67%)
tasks that waited, on average      1.50
tasks that ran, on average         1.50

fifo
  map, 3 tasks: first at 0 s, last at 10 s
  reduce, 1 task: first at 20 s, last at 20 s
  0 to 10 s: no room; 2 waited, 2 ran
  10 to 20 s: earlier stages; 1 waited, 1 ran
  2 tasks of it and 1 of 1 other job started meanwhile: y (1)
  others held most meanwhile: y in b (25.0%)
`)
    const { out: json } = await sched([...args, '--job', 'x', '--json', '-'], { cwd })
    expect((JSON.parse(json) as { policies: { wait: JobWait }[] }).policies[0]?.wait.later).toEqual({
      periods: [0, 2.5, 5, 7.5, 10, 12.5, 15, 17.5].map((from) => ({ from, to: from + 2.5, parts: from < 10 ? { 'no room': 2.5 } : { 'earlier stages': 2.5 }, waiting: from < 10 ? 2 : 1, running: from < 10 ? 2 : 1 })),
      from: 0, to: 20, wait: 20, parts: { 'no room': 10, 'earlier stages': 10 }, taskSeconds: 30, taskParts: { 'earlier stages': 20, 'no room': 10 }, running: 1.5,
      spans: [{ from: 0, to: 10, why: 'no room', waiting: 2, running: 2 }, { from: 10, to: 20, why: 'earlier stages', waiting: 1, running: 1 }],
      stages: [
        { stage: 'map', tasks: 3, firstStart: 0, lastStart: 10, taskSeconds: 10, taskParts: { 'no room': 10 } },
        { stage: 'reduce', tasks: 1, firstStart: 20, lastStart: 20, taskSeconds: 20, taskParts: { 'earlier stages': 20 } },
      ],
      starts: 2, unstarted: 0, others: { tasks: 1, jobs: 1 }, starters: [{ id: 'y', user: 'user', queue: 'b', tasks: 1 }],
      holders: [{ id: 'y', user: 'user', queue: 'b', share: 0.25 }], prefilled: 0, nodesAway: 0,
    })
    expect((await sched([...args, '--job', 'x', '--html', '-', '--quiet'], { cwd })).out).toContain('After its first task')
    // with 1 s for a job and 1 s for each task, decisions about it take 2 s from 14 s, when two maps end, and from 26 s
    const slow = await sched([...args, '--job', 'x', '--architecture', '{monolithic: {decision: {job: 1, task: 1}}}'], { cwd })
    expect(slow.out).toContain('  4 to 14 s: no room; 2 waited, 2 ran\n  14 to 16 s: decision; 2 waited, 0 ran\n  16 to 26 s: earlier stages; 1 waited, 1 ran\n  26 to 28 s: decision; 1 waited, 0 ran\n')
    // nothing of it for one task, nor where all start at once
    expect((await sched([...args, '--job', 'y'], { cwd })).out).not.toContain('after its first task')
    const gang = { id: 'g', submit: 0, stages: [{ name: 'part', tasks: 2, demand: { cpu: 1 }, duration: 5, gang: true }] }
    expect((await sched(args, { cwd: directory({ 'jobs.jsonl': jobs(gang) }) })).out).not.toContain('after its first task')
  })

  it('puts the time until a node reports down to the limit that is told then, if nothing else stands in the way', async () => {
    // two nodes, which report at 0, 1.5, 3, ... s; of the queue one task may run at a time
    const task = (id: string, submit: number, duration: number) => job(id, submit, duration, { queue: 'few' }, { demand: { vcores: 1, 'memory-mb': 100 } })
    const cwd = directory({ 'jobs.jsonl': jobs(task('x', 0, 9), task('y', 2, 5), task('z', 2.5, 5)), 'fair-scheduler.xml': '<allocations><queue name="few"><maxResources>100 mb, 1 vcores</maxResources></queue></allocations>' })
    const args = ['--trace', 'jobs.jsonl', '--nodes', '2', '--resources', 'vcores=4,memory-mb=1000', '--jitter', '0', '--heartbeat', '3', '--queues', 'fair-scheduler.xml', '--quiet']
    const limit = 'queue limit maxResources root.few'
    // x ends at 9 s, which its node tells at 9 s, and y starts there
    expect(await waits([...args, '--job', 'y'], cwd)).toMatchObject({ 'fair-scheduler': { wait: 7, spans: [{ from: 2, to: 9, why: limit }] } })
    // where y is not there before, a place is left from 9 s on until the node that reports next gives it to a job before z
    const late = directory({ 'jobs.jsonl': jobs(task('x', 0, 5), task('y', 5.5, 5), task('z', 5.6, 5)), 'fair-scheduler.xml': '<allocations><queue name="few"><maxResources>100 mb, 1 vcores</maxResources></queue></allocations>' })
    expect(await waits([...args, '--job', 'z'], late)).toMatchObject({ 'fair-scheduler': { spans: [{ from: 5.6, to: 6, why: 'next heartbeat' }, { from: 6, why: limit }] } })
  })

  it('names what a policy says of later tasks: a limit of the queue, and tells many changes in few periods', async () => {
    const tasks = (id: string, count: number, change: object = {}) => ({ id, submit: 0, queue: 'few', stages: [{ name: 't', tasks: count, demand: { vcores: 1, 'memory-mb': 100 }, duration: 10 }], ...change })
    const cwd = directory({ 'jobs.jsonl': jobs(tasks('x', 4)), 'fair-scheduler.xml': '<allocations><queue name="few"><maxResources>100 mb, 1 vcores</maxResources></queue></allocations>' })
    const args = ['explain', '--trace', 'jobs.jsonl', '--nodes', '2', '--resources', 'vcores=4,memory-mb=1000', '--jitter', '0', '--queues', 'fair-scheduler.xml']
    const of = async (more: readonly string[] = []) => (JSON.parse((await sched([...args, '--json', '-', ...more], { cwd })).out) as { policies: { wait: JobWait }[] }).policies[0]?.wait.later
    // one after the other, at 0, 10, 20 and 30 s: 3, 2 and 1 wait for 10 s each
    expect(await of()).toMatchObject({ wait: 30, parts: { 'queue limit maxResources root.few': 30 }, taskSeconds: 60, taskParts: { 'queue limit maxResources root.few': 60 }, running: 1 })
    expect(await of(['--until', '15'])).toMatchObject({ to: 10, taskSeconds: 30, unstarted: 2 })
    // of two jobs each gets one of two places every 12 s: from a start of x until the next node reports, which gives y the other place, the limit does not hold
    const many = directory({ 'jobs.jsonl': jobs(tasks('x', 40), tasks('y', 40)), 'fair-scheduler.xml': '<allocations><queue name="few"><maxResources>200 mb, 2 vcores</maxResources></queue></allocations>' })
    const { out } = await sched([...args, '--heartbeat', '3', '--job', 'x'], { cwd: many })
    expect(out.split('\n').filter((line) => /^ {2}[\d,.]+ to /.test(line))).toHaveLength(8)
    expect(out).toMatch(/ to 58\.5 s: queue limit maxResources root\.few \(8\d%\), next heartbeat \(1\d%\); 3\d(\.\d)? waited, 1 ran\n/)
    expect(out).toContain('the reason changed 77 times (--json has all)')
  })

  it('names who started next where its tasks were evicted, with the queue, and when: at that instant or later', async () => {
    const next = async (spec: readonly object[], policy: string) => {
      const cwd = directory({ 'jobs.jsonl': jobs(...spec), 'experiment.yaml': `workload: { trace: jobs.jsonl }\ncluster: { nodes: 2, resources: { cpu: 1 } }\nruntime: { jitter: 0 }\npolicy: ${policy}\n` })
      const { out } = await sched(['explain', 'experiment.yaml', '--job', '1'], { cwd })
      return /^ {2}at .* evicted; (.*)/m.exec(out)?.[1]
    }
    const two = job('1', 0, 100, { queue: 'low' }, { tasks: 2 })
    const high = (id: string) => job(id, 10, 20, { priority: 1, queue: 'high' })
    expect(await next([two, high('2')], 'kube-scheduler')).toBe('next to start where it ran: 2 in high (at that instant)')
    expect(await next([two, high('2'), high('3')], 'kube-scheduler')).toBe('next to start where they ran: 2 in high (at that instant), 3 in high (at that instant)')
    // Slurm takes jobs whole: the other task comes back at once, or ends with its job, and the place is taken all the same
    const slurm = (more: string) => `{ slurm-preempting: { tiers: { high: 2, low: 1 }, ${more} } }`
    expect(await next([two, high('2')], slurm('graceTime: { low: 5 }'))).toBe('next to start where they ran: 2 in high (at that instant), the job itself (at that instant)')
    // on heartbeats the place is taken when the node reports, and not on both nodes at once: the nodes beat at 0 and 1.5 s, every 3 s
    const cwd = directory({
      'jobs.jsonl': jobs(job('1', 0, 100, { queue: 'low' }, { tasks: 2, demand: { map: 1 } }), job('2', 10, 50, { queue: 'high' }, { tasks: 2, demand: { map: 1 } })),
      'e.yaml': 'workload: { trace: jobs.jsonl }\ncluster: { nodes: 2, slots: { map: 1 }, heartbeat: { interval: 3, stagger: true } }\nruntime: { jitter: 0 }\npolicy: { preempting: { fairTimeout: 3, starvationFraction: 1, interval: 3, policy: fair } }\n',
    })
    expect((await sched(['explain', 'e.yaml', '--job', '1'], { cwd })).out).toMatch(/at 15 s 1 task evicted; next to start where it ran: 2 in high \(1\.5 s later\)/)
    expect(await next([two, high('2')], slurm('mode: cancel'))).toBe('next to start where they ran: 2 in high (at that instant)')
  })

  it('names a job once that came to several nodes one after another', () => {
    const came = (id: string, at: number) => ({ id, user: '', queue: 'q', at, tasks: 1 })
    const wait: JobWait = {
      id: 'own', user: '', queue: 'q', submit: 0, outcome: 'started', rejection: '', until: 0, wait: 0, lastStart: 0, end: 99, parts: {}, spans: [], promises: [], attempts: 0, conflicts: 0,
      ahead: 0, passedBy: 0, passing: [], holders: [], prefilled: 0, nodesAway: 0, keptOff: [], later: null,
      interruptions: [
        { at: 10, how: 'evicted', tasks: 5, next: [came('a', 10), came('b', 10.2), came('a', 10.4), came('b', 10.6), came('own', 12)] },
        { at: 20, how: 'evicted', tasks: 1, next: [] },
        { at: 30, how: 'evicted', tasks: 9, next: ['c', 'd', 'e', 'f', 'g', 'h'].map((id) => came(id, 30)) },
      ],
    }
    const names = ['c', 'd', 'e', 'f', 'g'].map((id) => `${id} (at that instant)`).join(', ')
    expect(explainText([{ policy: 'x', wait }]).split('\n').slice(-4)).toEqual([
      '  at 10 s 5 tasks evicted; next to start where they ran: a (at that instant to 0.4 s later), b (0.2 to 0.6 s later), the job itself (2 s later)',
      '  at 20 s 1 task evicted; nothing started where it ran later', `  at 30 s 9 tasks evicted; next to start where they ran: ${names}, ...`, '',
    ])
  })

  it('tells of a job that comes after the end of the run', async () => {
    const { code, err } = await sched(['explain', '--trace', 'log.swf', '--policies', 'strict', '--job', '2', '--until', '5'], { cwd: blocked() })
    expect([code, err]).toEqual([2, 'error: --job: no job called "2" was submitted by 5 s, when the run ends (until), under strict. Did you mean "1"? Its ids are 1; without --job the longest wait is explained.\n'])
  })

  it('names a job that is not there, with the nearest', async () => {
    const { code, err } = await sched(['explain', 'small.yaml', '--job', 'aa'], { cwd: small() })
    expect([code, err]).toEqual([2, 'error: --job: no job of the workload is called "aa". Did you mean "a"? Its ids are a, b, c; without --job the longest wait is explained.\n'])
  })

  it('names the taint that keeps a pod off nodes with room, and the label that others lack', async () => {
    const at = (minute: number) => `2024-01-31T10:${String(minute).padStart(2, '0')}:00Z`
    const node = (name: string, spec: object, labels: object) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec, status: { allocatable: { cpu: '4', memory: '8Gi' } } })
    const pod = (name: string, created: number, spec: object) => ({
      apiVersion: 'v1', kind: 'Pod', metadata: { name, creationTimestamp: at(created) }, spec: { containers: [{ resources: { requests: { cpu: '3' } } }], ...spec },
      status: { phase: 'Succeeded', startTime: at(created), containerStatuses: [{ state: { terminated: { finishedAt: at(created + 10) } } }] },
    })
    const gpu = { taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }] }
    const items = [
      node('cpu-1', {}, { zone: 'a' }), node('gpu-1', gpu, { zone: 'a' }), node('gpu-2', gpu, { zone: 'a' }), node('far', {}, {}),
      pod('first', 0, { nodeSelector: { zone: 'a' } }), pod('second', 1, { nodeSelector: { zone: 'a' } }), pod('train', 2, { tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }] }),
    ]
    const cwd = directory({ 'cluster.json': JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 1) })
    const args = ['explain', '--trace', 'cluster.json', '--nodes', 'cluster.json', '--jitter', '0', '--policies', 'kube-scheduler', '--job']
    const { out } = await sched([...args, 'default/second'], { cwd })
    expect(out.slice(out.indexOf('\nkube-scheduler\n'))).toBe([
      '', 'kube-scheduler', '  60 to 600 s: no room', '  1 job submitted later started first: default/train', '  held most meanwhile: default/first (18.8%), default/train (16.7%)',
      '  kept off 2 nodes: taint nvidia.com/gpu=present:NoSchedule', '  kept off 1 node: requires zone = a', '',
    ].join('\n'))
    expect((await sched([...args, 'default/train'], { cwd })).out).toContain('started at once')
  })

  it('is for nodes near each other where slices of a job find none, though there is room', async () => {
    const pods = { name: 'pods', gang: true, demand: { cpu: 1 } }
    const cwd = directory({
      'jobs.jsonl': jobs({ id: 'a', submit: 0, stages: [{ ...pods, tasks: 1, duration: 100 }] }, { id: 'b', submit: 1, topology: { slices: [{ level: 1, size: 2 }] }, stages: [{ ...pods, tasks: 2, duration: 10 }] }),
      'cluster.yaml': 'nodes:\n- { name: a, count: 2, racks: [r1], resources: { cpu: 1 } }\n- { name: b, count: 1, racks: [r2], resources: { cpu: 1 } }\n',
    })
    const found = await waits(['--trace', 'jobs.jsonl', '--cluster', 'cluster.yaml', '--jitter', '0', '--policies', 'greedy: {placement: topology-aware},kueue: {placement: topology-aware}', '--job', 'b'], cwd)
    expect(Object.values(found).map(({ parts, until }) => [parts, until])).toEqual(Array(2).fill([{ 'locality delay': 99 }, 100]))
  })
})
