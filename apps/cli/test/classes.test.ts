import { describe, expect, it } from 'vitest'
import { sched, small } from './sched.js'

describe('classes of jobs', () => {
  const line = (id: string, more: object) => JSON.stringify({ id, submit: 0, ...more, stages: [{ name: 's', tasks: 1, demand: { cpu: 1 }, duration: 10 }] })
  const jobs = ['{"format":"sched-workload","version":1}', line('a', { user: 'ann', queue: 'x' }), line('b', { user: 'bob', queue: 'y' }), line('c', { user: 'bob', queue: 'x', label: 'small' })].join('\n')
  const files = { 'j.jsonl': jobs, 'fair-scheduler.xml': '<allocations><queue name="x"/><queue name="y"/></allocations>' }
  const run = (...args: string[]) => sched(['compare', '--trace', 'j.jsonl', '--nodes', '1', '--resources', 'cpu=4', ...args], { cwd: small(files) })
  const classes = async (...args: string[]) => {
    const [, rows = ''] = /by class of jobs\n.*\n-.*\n([^]*?)(\n\n|$)/.exec((await run(...args)).out) ?? []
    return rows.trim().split('\n').map((row) => row.split(' ')[0])
  }

  it('are labels, with queue files the queues of jobs without one, or as --classes says', async () => {
    expect(await classes('--policies', 'fifo')).toEqual(['small', 'all'])
    expect(await classes('--queues', 'fair-scheduler.xml')).toEqual(['root.x', 'root.y', 'small', 'all'])
    expect(await classes('--policies', 'fifo', '--classes', 'queue')).toEqual(['x', 'y', 'all'])
    expect(await classes('--policies', 'fifo', '--classes', 'user')).toEqual(['ann', 'bob', 'all'])
    expect(await classes('--policies', 'fifo', '--classes', '[1, 5]')).toEqual(['1', 'all'])
    expect((await run('--classes', 'team')).err).toBe('error: metrics.classes: found "team", expected "label" or "size" or "queue" or "user" or a list.\n')
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
