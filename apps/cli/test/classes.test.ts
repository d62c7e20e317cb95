import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sched, small } from './sched.js'

describe('classes of jobs', () => {
  const line = (id: string, more: object) => JSON.stringify({ id, submit: 0, ...more, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 10 }] })
  const jobs = ['{"format":"sched-workload","version":1}', line('a', { user: 'ann', queue: 'x' }), line('b', { user: 'bob', queue: 'y' }), line('c', { user: 'bob', queue: 'x', label: 'small' })].join('\n')
  const files = { 'j.jsonl': jobs, 'nested.xml': '<allocations><queue name="x"/><queuePlacementPolicy><rule name="nestedUserQueue"><rule name="specified"/></rule><rule name="default"/></queuePlacementPolicy></allocations>', 'fair-scheduler.xml': '<allocations><queue name="x"/><queue name="y"/></allocations>' }
  const run = (...args: string[]) => runOn('cpu=4', ...args)
  const runOn = (resources: string, ...args: string[]) => sched(['compare', '--trace', 'j.jsonl', '--nodes', '1', '--resources', resources, ...args], { cwd: small(files) })
  const classes = async (...args: string[]) => {
    const [, rows = ''] = /by class of jobs\n.*\n-.*\n([^]*?)(\n\n|$)/.exec((await run(...args)).out) ?? []
    return rows.trim().split('\n').map((row) => row.split(' ')[0])
  }

  /** The tables of mean waits and of late ones. */
  const meanWaits = (out: string) => out.split('Mean wait')[1]?.split('\n\n')[0] ?? ''
  const lateWaits = (out: string) => out.split('95th percentile of waits')[1]?.split('\n\n')[0] ?? ''

  it('are told by a run with their late waits, and which queues tasks were evicted from', async () => {
    // one at a time: x1 from 0 s and again from 110 s, x2 from 210 s, y1 from 10 s until 110 s
    const job = (id: string, submit: number, queue: string, priority: number) => JSON.stringify({ id, submit, queue, priority, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 100 }] })
    const cwd = small({ 'j.jsonl': ['{"format":"sched-workload","version":1}', job('x1', 0, 'x', 1), job('x2', 0, 'x', 0), job('y1', 10, 'y', 2)].join('\n') })
    const { out } = await sched(['run', '--trace', 'j.jsonl', '--nodes', '1', '--resources', 'cpu=1', '--policy', 'kube-scheduler', '--classes', 'queue', '--jitter', '0'], { cwd })
    expect(out.split('\n').slice(-9).filter((row) => !row.startsWith('--')).map((row) => row.trim().split(/  +/))).toEqual([
      ['class', 'jobs', 'mean response, s', 'median', 'p95', 'mean wait, s', 'p95'],
      ['x', '2', '260', '260', '305', '105', '200'], ['y', '1', '100', '100', '100', '0', '0'], [''],
      ['evicted from', 'tasks', 'task seconds'], ['x', '1', '10.0'], [''],
    ])
    const withData = await sched(['run', '--generate', 'facebook', '--take', '5', '--policy', 'fifo'], { cwd })
    expect(withData.out).toMatch(/^class .* mean wait, s +p95 +node-local$/m)
  })

  it('are labels, with queue files queues, or as --classes says', async () => {
    expect(await classes('--policies', 'fifo')).toEqual(['small', 'all'])
    expect(await classes('--queues', 'fair-scheduler.xml')).toEqual(['x', 'y', 'all'])
    expect(await classes('--queues', 'nested.xml')).toEqual(['x', 'y', 'all'])
    expect(await classes('--policies', 'fifo', '--classes', 'queue')).toEqual(['x', 'y', 'all'])
    expect(await classes('--policies', 'fifo', '--classes', 'user')).toEqual(['ann', 'bob', 'all'])
    expect(await classes('--policies', 'fifo', '--classes', '[1, 5]')).toEqual(['1', 'all'])
    expect((await run('--classes', 'team')).err).toBe('error: metrics.classes: found "team", expected "label" or "size" or "queue" or "placed" or "user" or a list.\n')
  })

  it('are queues that jobs ask for or, where they name none or rules are to be seen, those that rules put them in', { tags: 'long' }, async () => {
    const property = (name: string, value: string) => `<property><name>yarn.scheduler.capacity.${name}</name><value>${value}</value></property>`
    const mapped = (override: boolean) =>
      `<configuration>${property('root.queues', 'x,y')}${property('root.x.capacity', '50')}${property('root.y.capacity', '50')}${property('queue-mappings', 'u:ann:x,u:bob:y')}${property('queue-mappings-override.enable', String(override))}</configuration>`
    const cwd = small({
      'mapped.xml': mapped(true), 'named.xml': mapped(false), 'by-user.xml': '<allocations><queue name="ann"/><queue name="bob"/><queuePlacementPolicy><rule name="user"/></queuePlacementPolicy></allocations>',
      'asking.jsonl': jobs, 'open.jsonl': ['{"format":"sched-workload","version":1}', line('a', { user: 'ann' }), line('b', { user: 'bob', queue: 'default' }), line('c', { user: 'bob', queue: 'x' })].join('\n'),
    })
    const counts = async (trace: string, queues: string, ...args: string[]) => {
      const { out, err } = await sched(['compare', '--trace', trace, '--nodes', '1', '--resources', 'cpu=4', '--queues', queues, '--seeds', '1', ...args], { cwd })
      return meanWaits(out).match(/^\w+ +\d+( to \d+)?/gm)?.map((row) => row.replace(/ +/, ' ')) ?? err
    }
    expect(await counts('asking.jsonl', 'mapped.xml')).toEqual(['x 2', 'y 1', 'all 3'])
    expect(await counts('asking.jsonl', 'mapped.xml', '--classes', 'placed')).toEqual(['x 1', 'y 2', 'all 3'])
    expect(await counts('asking.jsonl', 'by-user.xml', '--classes', 'placed')).toEqual(['ann 1', 'bob 2', 'all 3'])
    expect(await counts('open.jsonl', 'mapped.xml')).toEqual(['x 2', 'y 1', 'all 3'])
    expect(await counts('open.jsonl', 'mapped.xml', '--classes', 'placed')).toEqual(['x 1', 'y 2', 'all 3'])
    expect(await counts('open.jsonl', 'named.xml', '--classes', 'placed')).toEqual(['x 2', 'y 1', 'all 3'])
    expect(await counts('open.jsonl', 'named.xml')).toEqual(['x 2', 'y 1', 'all 3'])
    expect(await counts('open.jsonl', 'by-user.xml')).toEqual(['ann 1', 'bob 1', 'x 1', 'all 3'])
    // what queues held is told in a table for all policies with the same queues
    const { out } = await sched(['compare', '--trace', 'asking.jsonl', '--nodes', '1', '--resources', 'cpu=4', '--jitter', '0', '--queues', 'mapped.xml,by-user.xml,named.xml', '--seeds', '1'], { cwd })
    const used = out.split('\n\n').filter((text) => text.includes('in %, by queue')).map((text) => text.trim().split('\n').filter((_, i) => i !== 2).map((row) => row.trim().split(/ +/).join(' ')))
    expect(used).toEqual([
      ['Use of cpu in %, by queue', 'mapped named', 'root.x 25.0 50.0', 'root.y 50.0 25.0'],
      ['Use of cpu in %, by queue', 'by-user', 'root.bob 50.0', 'root.ann 25.0'],
    ])
    await counts('asking.jsonl', 'mapped.xml', '--out', 'out')
    expect(readFileSync(join(cwd, 'out', 'jobs-mapped.csv'), 'utf8').match(/^1,.*?root\.\w/gm)).toEqual(['1,a,,ann,root.x', '1,b,,bob,root.y', '1,c,small,bob,root.y'])
  })

  it('are told with their waits', async () => {
    // one after another, 10 s each: bob's wait 10 and 20 s
    const { out } = await runOn('cpu=1', '--policies', 'fifo', '--classes', 'user', '--jitter', '0', '--seeds', '1')
    expect(meanWaits(out).match(/^\w+ +\d+ +[\d.]+$/gm)).toEqual(['ann     1     0', 'bob     2  15.0', 'all     3  10.0'])
    expect(lateWaits(out).match(/^\w+ +\d+ +[\d.]+$/gm)).toEqual(['ann     1     0', 'bob     2  19.5', 'all     3  19.0'])
  })

  it('are followed by all jobs, of which some may have no class', async () => {
    expect((await run('--policies', 'fifo', '--seeds', '1')).out).toMatch(/^small +1 .*\nall +3 /m)
  })

  it('are told with the fewest and the most jobs, and with a note, where a policy rejects some that others run', async () => {
    const cwd = small({ ...files, 'specified.xml': '<allocations><queue name="x"/><queuePlacementPolicy><rule name="specified" create="false"/><rule name="reject"/></queuePlacementPolicy></allocations>' })
    const { out, err } = await sched(['compare', '--trace', 'j.jsonl', '--nodes', '1', '--resources', 'cpu=4', '--queues', 'fair-scheduler.xml,specified.xml', '--seeds', '1'], { cwd })
    expect(meanWaits(out).match(/^\w+ +[\d.]+( to \d+)? /gm)).toEqual(['x         2 ', 'y    0 to 1 ', 'all  2 to 3 '])
    expect(out.match(/^rejected jobs .*/gm)).toEqual([expect.stringMatching(/ 0 +1$/), expect.stringMatching(/ \+1$/)])
    expect(err).toContain('note: figures are of the jobs that each policy has not rejected (of seed 1: fair-scheduler 3, specified 2), so differences are of other jobs, too.\n')
    expect((await run('--policies', 'fifo,fair')).err).not.toContain('other jobs')
  })

  it('have a row for a class of which all jobs were rejected, with their number', async () => {
    // x has one job that fits and one that does not, z one that does not
    const job = (id: string, queue: string, cpu: number) => JSON.stringify({ id, submit: 0, queue, stages: [{ name: 's', tasks: 1, demand: { cpu }, duration: 10 }] })
    const cwd = small({ 'j.jsonl': ['{"format":"sched-workload","version":1}', job('a', 'x', 1), job('b', 'x', 9), job('c', 'z', 9)].join('\n'), 'z.jsonl': ['{"format":"sched-workload","version":1}', job('c', 'z', 9)].join('\n') })
    const args = ['--nodes', '1', '--resources', 'cpu=4', '--jitter', '0', '--infeasible', 'reject', '--classes', 'placed']
    const { out } = await sched(['run', '--trace', 'j.jsonl', ...args, '--policy', 'fifo'], { cwd })
    expect(out.slice(out.indexOf('class')).trimEnd().split('\n').map((row) => row.split(/  +/))).toEqual([
      ['class', 'jobs', 'rejected', 'mean response, s', 'median', 'p95', 'mean wait, s', 'p95'], [expect.stringMatching(/^-----/), ...Array<unknown>(7).fill(expect.anything())],
      ['x', '1', '1', '10.0', '10.0', '10.0', '0', '0'], ['z', '0', '1', '-', '-', '-', '-', '-'],
    ])
    const compared = async (trace: string) => {
      const { out } = await sched(['compare', '--trace', trace, ...args, '--policies', 'fifo,fair', '--seeds', '1', '--csv', 'r.csv', '--force'], { cwd })
      return out.split('Rejected jobs, by class of jobs\n')[1]?.split('\n').flatMap((row) => (/^\w/.test(row) ? [row.split(/  +/)] : []))
    }
    expect(await compared('j.jsonl')).toEqual([['x', '1', '1', '1'], ['z', '0', '1', '1'], ['all', '1', '2', '2']])
    expect(readFileSync(join(cwd, 'r.csv'), 'utf8')).toContain('\nz,rejected,,fair,1,1,')
    expect(await compared('z.jsonl')).toEqual([['z', '0', '1', '1'], ['all', '0', '1', '1']])
  })

  it('may be queues that are drawn for jobs without one', { tags: 'long' }, async () => {
    const given = ['--generate', '{poisson-jobs: {seed: 1, jobs: 400, duration: 1, demand: {cpu: 1}}}', '--nodes', '1', '--resources', 'cpu=9', '--queues', 'capacity-scheduler.xml', '--seeds', '1']
    const property = (name: string, value: string) => `<property><name>yarn.scheduler.capacity.root.${name}</name><value>${value}</value></property>`
    const cwd = small({ 'capacity-scheduler.xml': `<configuration>${property('queues', 'a,b')}${property('a.capacity', '50')}${property('b.capacity', '50')}</configuration>` })
    const { err } = await sched(['compare', ...given], { cwd })
    expect(err).toMatch(/400 of 400 jobs rejected [^]*names no queue[^]*\n {2}Jobs without a queue get one by `--queue-mix prod=70,adhoc=30`/)
    const { out } = await sched(['compare', ...given, '--queue-mix', 'a=3,b=1'], { cwd })
    const [a, b] = ['a', 'b'].map((queue) => Number(new RegExp(`^${queue} +(\\d+) `, 'm').exec(out)?.[1]))
    expect((await sched(['compare', ...given, '--queue-mix', 'a=0'], { cwd })).err).toMatch(/^error: workload\.queueMix: .*expected a weight above 0/)
    expect([a! + b!, a! / 400]).toEqual([400, expect.closeTo(0.75, 1)])
  })
})

describe('a comparison on several seeds', () => {
  const run = (...args: string[]) => sched(['compare', '--generate', '{poisson-jobs: {seed: 1, jobs: 5, duration: 10, data: false}}', '--policies', 'fifo', ...args], { cwd: small() })

  it('says so where every seed gives the same', async () => {
    const still = ['--jitter', '0', '--heartbeat', '0']
    expect((await run(...still)).err).toBe('note: every seed gave the same, since nothing is drawn here: `--seeds 1` is enough, or `--jitter 0.1` varies task times.\n')
    expect([(await run(...still, '--seeds', '1')).err, (await run()).err]).toEqual(['', ''])
  })
})
