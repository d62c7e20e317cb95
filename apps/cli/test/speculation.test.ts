import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

const experiment = `workload: { generate: { poisson-jobs: { jobs: 20, rate: 0.02, tasks: 30, demand: { cpu: 1 }, duration: 20 } } }
cluster: { nodes: [{ count: 6, resources: { cpu: 8 } }, { count: 1, resources: { cpu: 8 }, speed: 0.2 }] }
policies: [{ greedy: { placement: worst-fit } }, fifo]
`
const world = (more = '') => {
  const cwd = directory()
  writeFileSync(join(cwd, 'e.yaml'), experiment + more)
  return cwd
}

interface Json {
  readonly runs: readonly {
    readonly warnings: readonly string[]
    readonly summary: {
      readonly times: { readonly response: { readonly mean: number } }
      readonly counts: { readonly tasks: number; readonly tasksDone: number; readonly launches: number }
      readonly speculation?: { readonly copies: number; readonly won: number; readonly superseded: { readonly tasks: number; readonly taskSeconds: number } }
    }
  }[]
}
async function runOf(cwd: string, ...args: string[]) {
  const { code, out, err } = await sched(['run', 'e.yaml', '--validate', '--json', '-', ...args], { cwd })
  expect({ code }, err).toEqual({ code: 0 })
  return (JSON.parse(out) as Json).runs[0]!
}

describe('slow tasks of an experiment', () => {
  it('are copied where that is asked for, which is told of the run and compared', { tags: 'long' }, async () => {
    const cwd = world()
    const [without, copied] = [await runOf(cwd), await runOf(cwd, '--speculation')].map(({ summary }) => summary) as [Json['runs'][0]['summary'], Json['runs'][0]['summary']]
    expect(without.speculation).toBeUndefined()
    const { copies, won, superseded } = copied.speculation!
    expect([copied.counts.tasksDone, copied.counts.launches - copies, superseded.tasks]).toEqual([600, 600, copies])
    expect(won).toBeGreaterThan(copies / 2)
    expect(copied.times.response.mean).toBeLessThan(without.times.response.mean)
    const { out } = await sched(['run', 'e.yaml', '--speculation', '--out', 'r'], { cwd })
    expect(out).toMatch(new RegExp(`\\n${copies} slow tasks copied, ${won} of the copies done first; ${copies} attempts superseded after [\\d.,]+ task seconds\\n`))
    expect(readFileSync(join(cwd, 'r', 'experiment.yaml'), 'utf8')).toContain('speculation: true\n')
    const compared = (await sched(['compare', 'e.yaml', '--speculation', '--seeds', '2'], { cwd })).out
    for (const row of ['copies of slow tasks', 'task time of superseded attempts, s']) expect(compared).toContain(row)
  })

  it('are copied under the limits that are given', async () => {
    const copies = async (...limits: readonly string[]) => (await runOf(world(), '--speculation', ...limits)).summary.speculation?.copies ?? 0
    const [usual, few, none] = [await copies(), await copies('minimum=1,runningCap=0,totalCap=0'), await copies('minimum=0,runningCap=0,totalCap=0')]
    expect([few > 0, few < usual, none]).toEqual([true, true, 0])
  })

  it.each([['hadoop1', 'minAge=0'], ['late', 'cap=0.01'], ['spark', 'multiplier=1.5,quantile=0.75']])('are copied by the rule %s, also with %s, and also in a file', { tags: 'long' }, async (rule, field) => {
    const { summary, warnings } = await runOf(world(), '--speculation', rule)
    expect([summary.counts.tasksDone, summary.speculation!.copies > 0, warnings]).toEqual([600, true, []])
    expect((await runOf(world(`speculation: ${rule}\n`))).summary).toEqual(summary)
    expect((await runOf(world(`speculation: { rule: ${rule} }\n`))).summary).toEqual(summary)
    expect((await runOf(world(), '--speculation', `rule=${rule},${field}`)).summary).not.toEqual(summary)
  })

  it('are copied as before by the rule hadoop', async () => {
    const summaries = [await runOf(world(), '--speculation'), await runOf(world(), '--speculation', 'hadoop'), await runOf(world('speculation: { rule: hadoop }\n'))].map(({ summary }) => summary)
    expect(summaries.slice(1)).toEqual([summaries[0], summaries[0]])
  })

  it('may be stragglers, under every policy the same', { tags: 'long' }, async () => {
    const usual = await runOf(world())
    const slow = await runOf(world('runtime: { stragglers: { fraction: 0.1, factor: 6 } }\n'))
    expect(slow.summary.times.response.mean).toBeGreaterThan(1.5 * usual.summary.times.response.mean)
  })

  it('are not copied in stages that are not named, and a name of none is told', async () => {
    const { summary, warnings } = await runOf(world('speculation: { stages: [map] }\n'))
    expect([summary.speculation, warnings]).toEqual([undefined, ['no job has a stage "map", of which `speculation` may copy tasks.']])
  })

  it.each([
    ['1', /--speculation: found "1"\. Write for example rule=late,cap=0\.2\./],
    ['runningCap=2', /speculation\.runningCap: found 2, expected at most 1/],
    ['minimum=0.5', /speculation\.minimum: found 0\.5/],
    ['retry=0', /speculation\.retry: found 0/],
    ['cap=1', /speculation\.cap: unknown key "cap"\. It is a key of rule: late\. Known: rule, stages, runningCap, totalCap, minimum, retry, retryAfterCopy\./],
    ['rule=late,runningCap=0.1', /speculation\.runningCap: unknown key "runningCap"\. It is a key of rule: hadoop\. Known: rule, stages, cap, slowNode, slowTask, minRunTime, interval\./],
    ['rule=hadoop1,minRunTime=5', /unknown key "minRunTime"\. It is a key of rule: late or rule: spark\. Known: rule, stages, gap, minAge, interval\./],
    ['rule=spark,quantile=2', /speculation\.quantile: found 2, expected at most 1/],
    ['rule=mantri', /speculation\.rule: found "mantri", expected "hadoop" or "late" or "hadoop1" or "spark"/],
    ['mantri', /speculation: found "mantri", expected true or "hadoop" or "hadoop1" or "late" or "spark" or a mapping/],
  ])('as %s are refused', async (speculation, message) => {
    const { code, err } = await sched(['run', 'e.yaml', '--speculation', speculation], { cwd: world() })
    expect([code, err]).toEqual([2, expect.stringMatching(message)])
  })
})
