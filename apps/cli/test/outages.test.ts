import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

const experiment = `workload: { generate: { poisson-jobs: { jobs: 40, demand: { cpu: 2 } } } }
cluster: { nodes: 4, resources: { cpu: 8, mem: 64 } }
outages: away.csv
policies: [fifo, strict]
`
const world = () => {
  const cwd = directory()
  writeFileSync(join(cwd, 'e.yaml'), experiment)
  writeFileSync(join(cwd, 'away.csv'), 'node,from,to,kind\nnode-0,20,1e6,failure\nnode-1,10,60,drain\n')
  return cwd
}

interface Json {
  readonly runs: readonly { readonly policy: string; readonly seed: number; readonly summary: { readonly outages?: { readonly outages: number; readonly lost: { readonly tasks: number; readonly taskSeconds: number } } } }[]
}
const runsOf = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as Json).runs

describe('outages of an experiment', () => {
  it('are those of a file, under every policy, and go with its results', { tags: 'long' }, async () => {
    const cwd = world()
    const { code, out, err } = await sched(['compare', 'e.yaml', '--seeds', '2', '--validate', '--json', 'r.json', '--out', 'r'], { cwd })
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('tasks lost with nodes')
    const runs = runsOf(join(cwd, 'r.json'))
    expect(runs.map(({ summary }) => summary.outages?.outages)).toEqual([2, 2, 2, 2])
    expect(readFileSync(join(cwd, 'r', 'experiment.yaml'), 'utf8')).toContain('outages: ../away.csv')
    const again = await sched(['compare', 'r/experiment.yaml', '--json', 'again.json', '--quiet'], { cwd })
    expect([again.code, runsOf(join(cwd, 'again.json'))]).toEqual([0, runs])
  })

  it('are drawn from the seed, the same for all policies', async () => {
    const cwd = world()
    const { code } = await sched(['compare', 'e.yaml', '--outages', 'mtbf=60,mttr=20', '--seeds', '2', '--json', 'r.json', '--quiet'], { cwd })
    expect(code).toBe(0)
    const lost = runsOf(join(cwd, 'r.json')).map(({ summary }) => summary.outages?.lost.tasks ?? 0)
    expect(Math.min(...lost)).toBeGreaterThan(0)
  })

  it('are told of a run, and of a wait', async () => {
    const cwd = world()
    expect((await sched(['run', 'e.yaml'], { cwd })).out).toMatch(/\n2 outages, nodes available \d\d\.\d% of the time, \d+ tasks? lost after [\d.,]+ task seconds\n/)
    expect((await sched(['explain', 'e.yaml'], { cwd })).out).toMatch(/nodes away meanwhile, on average: 1\b/)
  })

  it('lose less where tasks save their work', async () => {
    const cwd = world()
    const lostOf = async (...args: string[]) => {
      const { code, err } = await sched(['run', 'e.yaml', '--outages', 'mtbf=60,mttr=20', '--json', 'r.json', '--out', 'r', '--force', '--quiet', '--validate', ...args], { cwd })
      expect([code, err]).toEqual([0, ''])
      return runsOf(join(cwd, 'r.json'))[0]?.summary.outages?.lost.taskSeconds as number
    }
    const [anew, saved] = [await lostOf(), await lostOf('--checkpoint', 'interval=2,cost=0.1')]
    expect(saved).toBeLessThan(anew / 2)
    expect(readFileSync(join(cwd, 'r', 'experiment.yaml'), 'utf8')).toContain('checkpoint:\n  interval: 2\n  cost: 0.1\n')
    expect((await sched(['run', 'e.yaml', '--checkpoint', 'whenPreempted=true,restore=5', '--out', 'w', '--quiet'], { cwd })).err).toBe('')
    expect(readFileSync(join(cwd, 'w', 'experiment.yaml'), 'utf8')).toContain('checkpoint:\n  whenPreempted: true\n  restore: 5\n')
    expect((await sched(['run', 'e.yaml', '--checkpoint', 'restore=5'], { cwd })).err).toMatch(/checkpoint: .*an interval, or whenPreempted: true/)
    expect((await sched(['run', 'e.yaml', '--checkpoint', 'interval=0'], { cwd })).err).toMatch(/checkpoint\.interval: found 0, expected more than 0/)
  })

  it('come from several sources', async () => {
    const cwd = world()
    writeFileSync(join(cwd, 'e.yaml'), experiment.replace('cluster: { nodes: 4,', 'cluster: { nodes: 4, racks: 2,').replace('away.csv', '[away.csv, { mtbf: 200, mttr: 20, per: rack }, { file: away.csv, origin: 5 }]'))
    const { code, err } = await sched(['run', 'e.yaml', '--seed', '1', '--json', 'r.json', '--out', 'r', '--quiet'], { cwd })
    expect([code, err]).toEqual([0, ''])
    expect(runsOf(join(cwd, 'r.json'))[0]?.summary.outages?.outages).toBeGreaterThan(4)
    const again = await sched(['run', 'r/experiment.yaml', '--json', 'again.json', '--quiet'], { cwd })
    expect([again.code, runsOf(join(cwd, 'again.json'))]).toEqual([0, runsOf(join(cwd, 'r.json'))])
  })

  it('are those of Slurm\'s own log, on the clock of the jobs', async () => {
    const cwd = directory()
    writeFileSync(join(cwd, 'jobs.txt'), 'JobID|Submit|Start|End|NNodes|NCPUS|State|Timelimit\n' + Array.from({ length: 20 }, (_, i) => `${i + 1}|2024-01-31T10:0${Math.floor(i / 4)}:00|2024-01-31T11:00:00|2024-01-31T11:10:00|1|1|COMPLETED|00:20:00\n`).join(''))
    writeFileSync(join(cwd, 'events.txt'), 'NodeName|TimeStart|TimeEnd|State\nnode-1|2024-01-31T10:05:00|2024-01-31T10:30:00|DOWN\nnode-2|2024-01-31T10:20:00||DRAIN\nlogin|2024-01-31T10:20:00||DOWN\n')
    const args = ['run', '--trace', 'jobs.txt', '--option', 'tasks=each', '--option', 'procs=4', '--policy', 'easy']
    const { code, out, err } = await sched([...args, '--outages', 'events.txt', '--out', 'r', '--validate'], { cwd })
    expect([code, err]).toEqual([0, expect.stringContaining('note: outages: 1 of 3 outages is of nodes that the cluster does not have: left out\n')])
    expect(out).toMatch(/\n2 outages, nodes available [\d.]+% of the time, 1 task lost after 300 task seconds\n/) // node-1 goes 300 s after its first job began
    const later = await sched([...args, '--outages', 'file=events.txt,origin=2024-01-31T10:05:01', '--out', 'l'], { cwd })
    expect([later.code, later.out]).toEqual([0, expect.stringMatching(/\n2 outages, .* 0 tasks lost/)])
    expect(readFileSync(join(cwd, 'l', 'experiment.yaml'), 'utf8')).toContain('outages:\n  file: ../events.txt\n  origin: 2024-01-31T10:05:01\n')
    const again = await sched(['run', 'l/experiment.yaml'], { cwd })
    expect([again.code, again.out]).toEqual([0, later.out])
  })

  it.each([
    ['file=away.csv,origin=noon', /outages\.origin: found "noon", expected a number of seconds or a date/],
    ['file=none.csv', /none\.csv": cannot read: there is no such file/],
    ['mtbf=x,mttr=3', /outages\.mtbf: found "x", expected a number/],
    ['mtbf=,mttr=3', /outages\.mtbf: found "", expected a number/],
    ['mtbf=3,mttr=3,per=room', /outages\.per: found "room", expected/],
    ['mtbf=3,mttr=3,per=rack', /outages: are per rack, and the cluster has no racks/],
    ['mtbf=3', /outages\.mttr: is missing/],
    ['none.csv', /none\.csv": cannot read: there is no such file/],
    ['bad.csv', /bad\.csv" line 2 node: the cluster has no node "n9"\. Nodes are called node-0, node-1, node-2 and so on/],
  ])('as %s are refused', async (outages, message) => {
    const cwd = world()
    writeFileSync(join(cwd, 'bad.csv'), 'node,from,to\nn9,1,2\n')
    const { code, err } = await sched(['run', 'e.yaml', '--outages', outages], { cwd })
    expect([code, err]).toEqual([2, expect.stringMatching(message)])
  })
})
