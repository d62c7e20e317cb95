import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

/** Two jobs on two nodes of 4 cpu: 4 cpu from 0 to 3600 s, and 2 cpu from 0 to 1800 s. */
const jobs = [
  '{"format":"sched-workload","version":1,"name":"two jobs","jobs":2}',
  ...[[4, 3600], [2, 1800]].map(([cpu, duration], i) => JSON.stringify({ id: `${i}`, submit: 0, stages: [{ name: 'work', tasks: 1, demand: { cpu }, duration }] })),
].join('\n') + '\n'
const power = 'power: { idle: 100, busy: 200, off: 10 }'
const world = (group = power) => directory({
  'jobs.jsonl': jobs,
  'c.yaml': `nodes:\n  - count: 2\n    resources: { cpu: 4 }\n    ${group}\n`,
  'e.yaml': `workload: { trace: jobs.jsonl }\ncluster: c.yaml\npolicies: [fifo, strict]\nseeds: 1\n`,
  'away.csv': 'node,from,to,kind\nnode-1,0,600,drain\n',
})
const read = (...path: string[]) => readFileSync(join(...path), 'utf8')

interface Json {
  readonly table: readonly { readonly key: string; readonly unit: string; readonly cells: readonly { readonly values: readonly number[] }[] }[]
  readonly runs: readonly { readonly summary: { readonly energy?: object } }[]
}
const jsonOf = (...path: string[]) => JSON.parse(read(...path)) as Json

describe('energy of nodes that say what they draw', () => {
  it('is in the tables, the JSON, the CSV and on the page', async () => {
    const cwd = world()
    const { code, out, err } = await sched(['compare', 'e.yaml', '--json', 'r.json', '--csv', 'r.csv', '--html', 'r.html', '--out', 'r', '--validate'], { cwd })
    expect([code, err]).toEqual([0, ''])
    // one hour of node 0 at 200 W; of node 1 half an hour at 150 W, half an hour at 100 W: 325 Wh, of which 50 idle, 150 base, 125 above that
    const energy = { span: 3600, nodes: 2, total: 0.325, idle: 0.05, base: 0.15, dynamic: 0.125, off: 0, asleep: 0, switching: 0, perJob: 0.0625, meanPower: 325, peakPower: 350 }
    const { table, runs } = jsonOf(cwd, 'r.json')
    expect(runs.map(({ summary }) => summary.energy)).toEqual([energy, energy])
    const rows = table.filter(({ key }) => /^(energy|power)/.test(key)).map(({ key, unit, cells }) => [key, unit, cells.map(({ values }) => values)])
    const both = (value: number) => [[value], [value]]
    expect(rows).toEqual([
      ['energy', 'kWh', both(0.325)], ['energy-idle', 'kWh', both(0.05)], ['energy-job', 'kWh', both(0.0625)], ['power', 'W', both(325)], ['power-peak', 'W', both(350)],
    ])
    expect(out).toMatch(/^energy, kWh +0\.325 +0\.325$/m)
    expect(out).toMatch(/^energy per job, above idle, kWh +0\.0625 +0\.0625$/m)
    expect(out).toMatch(/^peak power, W +350 +350$/m)
    expect(read(cwd, 'r.csv')).toMatch(/^all,energy,kWh,fifo,1,0\.325,/m)
    expect(read(cwd, 'r.html')).toContain('<th scope="row">energy, kWh</th>')
    expect((await sched(['report', 'r'], { cwd })).out).toContain(out.slice(out.indexOf('energy, kWh')).split('\n')[0])
  })

  it('is told of a run by who draws it', async () => {
    const { out } = await sched(['run', 'e.yaml', '--outages', 'away.csv'], { cwd: world() })
    // job 1 waits for node 1 until 600 s, which is off till then: 600 s at 10 W, 1800 s at 150 W, 1200 s at 100 W; node 0 as above
    expect(out).toContain(`energy of                              kWh   share
---------------------------------  -------  ------
nodes that run nothing              0.0333   10.8%
nodes that run something, if idle    0.150   48.4%
tasks, above that                    0.125   40.3%
nodes that are away                0.00167    0.5%
all                                  0.310  100.0%
Power: mean 310 W, peak 350 W; per job that finished 0.0625 kWh above idle
`)
  })

  it('is less where nodes sleep, whose time asleep is told beside it, also where nothing is said of what they draw', async () => {
    const cwd = world(`sleep: { after: 600, wake: 60 }\n    ${power.replace('off', 'asleep')}`)
    const { code, out } = await sched(['compare', 'e.yaml', '--json', 'r.json', '--csv', 'r.csv'], { cwd })
    // node 1 is done at 1800 s and asleep from 2400 s on: 1200 s of 7200 s
    expect([code, jsonOf(cwd, 'r.json').runs[0]?.summary]).toMatchObject([0, { sleep: { wakes: 0, asleep: 1200, switching: 0 }, energy: { idle: 600 * 100 / 3.6e6, asleep: 1200 * 10 / 3.6e6 } }])
    expect(out).toMatch(/^time asleep, of nodes that may, % +16\.7 +16\.7$/m)
    expect(read(cwd, 'r.csv')).toMatch(/^all,asleep,fraction,fifo,1,0\.1666/m)
    expect((await sched(['run', 'e.yaml'], { cwd })).out).toMatch(/^nodes that sleep +0\.00333 +1\.1%\n.*\n.*\n.*\nSleep: 16\.7% of the time of the nodes that may; 0 times one was woken$/m)
    const unsaid = world('sleep: { after: 600, wake: 60 }')
    expect((await sched(['run', 'e.yaml'], { cwd: unsaid })).out).toContain('\nSleep: 16.7% of')
  })

  it('is nowhere where no node does', async () => {
    const cwd = world('')
    const { out } = await sched(['compare', 'e.yaml', '--json', 'r.json', '--html', 'r.html'], { cwd })
    expect([out, read(cwd, 'r.json'), read(cwd, 'r.html')].filter((text) => /energy|kWh/.test(text))).toEqual([])
  })

  it('is refused with file and line where power falls with use', async () => {
    const { code, err } = await sched(['run', 'e.yaml'], { cwd: world('power: { idle: 100, busy: 90 }') })
    expect([code, err]).toEqual([2, expect.stringMatching(/c\.yaml" line 4 column 25 nodes\[0\]\.power\.busy: 90 W busy, 100 W idle\. Give at least as many watts as of an idle node\.\n$/)])
  })
})
