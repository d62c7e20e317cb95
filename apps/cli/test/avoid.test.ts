import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

const experiment = `workload: { generate: { poisson-jobs: { jobs: 20, rate: 0.02, tasks: 30, demand: { cpu: 1 }, duration: 20 } } }
cluster: { nodes: 6, resources: { cpu: 4 } }
policies: [{ greedy: { placement: worst-fit } }, fifo]
failures: { badNodes: { nodes: [node-2], probability: 0.9 }, maxAttempts: 50 }
`
const world = (more = '') => {
  const cwd = directory()
  writeFileSync(join(cwd, 'e.yaml'), experiment + more)
  return cwd
}

interface Summary {
  readonly counts: { readonly tasks: number; readonly tasksDone: number; readonly launches: number }
  readonly failures?: { readonly tasks: number }
  readonly outages?: { readonly outages: number }
  readonly avoidance?: { readonly times: number; readonly jobs: number; readonly nodes: number; readonly seconds: number; readonly ofTasks: number; readonly drains: number }
}
async function runOf(cwd: string, ...args: string[]): Promise<Summary> {
  const { code, out, err } = await sched(['run', 'e.yaml', '--validate', '--json', '-', ...args], { cwd })
  expect({ code }, err).toEqual({ code: 0 })
  return (JSON.parse(out) as { runs: { summary: Summary }[] }).runs[0]!.summary
}

describe('nodes of an experiment on which tasks fail', () => {
  it('are avoided where that is asked for, which is told of the run and compared', { tags: 'long' }, async () => {
    const cwd = world()
    const [without, avoided] = [await runOf(cwd), await runOf(cwd, '--avoid', 'hadoop')]
    expect(without.avoidance).toBeUndefined()
    expect(avoided.counts.tasksDone).toBe(600)
    expect(avoided.avoidance).toMatchObject({ nodes: 1, ofTasks: 0, drains: 0 })
    const { jobs, times } = avoided.avoidance!
    expect([jobs > 5, times]).toEqual([true, jobs])
    expect(avoided.failures!.tasks).toBeLessThan(without.failures!.tasks)
    const { out } = await sched(['run', 'e.yaml', '--avoid', 'hadoop', '--out', 'r'], { cwd })
    expect(out).toMatch(new RegExp(`\\n${jobs} jobs avoided 1 node, ${times} times for [\\d.,]+ s each\\n`))
    expect(readFileSync(join(cwd, 'r', 'experiment.yaml'), 'utf8')).toContain('avoid: hadoop\n')
    expect((await sched(['compare', 'e.yaml', '--avoid', 'hadoop', '--seeds', '2'], { cwd })).out).toContain('times that jobs avoided nodes')
  })

  it.each([['hadoop', 'failures=1'], ['hadoop1', 'failures=1'], ['spark', 'stage=1'], ['drain', 'failures=1']])('are avoided by the rule %s, also with %s, and also in a file', { tags: 'long' }, async (rule, field) => {
    const summary = await runOf(world(), '--avoid', rule)
    expect([summary.counts.tasksDone, summary.avoidance !== undefined, (summary.outages?.outages ?? 0) > 0]).toEqual([600, true, rule === 'drain' || (rule === 'hadoop1' && summary.avoidance!.drains > 0)])
    expect(await runOf(world(`avoid: ${rule}\n`))).toEqual(summary)
    expect(await runOf(world(`avoid: { rule: ${rule} }\n`))).toEqual(summary)
    expect(await runOf(world(), '--avoid', `rule=${rule},${field}`)).not.toEqual(summary)
  })

  it('are bad by name or by a fraction, also on the command line', async () => {
    const [byName, bySeed, none] = [await runOf(world()), await runOf(world(), '--failures', '{ badNodes: { fraction: 0.5, probability: 0.9 }, maxAttempts: 50 }'), await runOf(world(), '--failures', 'probability=0')]
    expect([byName.failures!.tasks > 20, bySeed.failures!.tasks > byName.failures!.tasks, none.failures]).toEqual([true, true, undefined])
  })

  it('explain why later tasks of a job waited', { tags: 'long' }, async () => {
    const cwd = directory()
    writeFileSync(join(cwd, 'e.yaml'), `workload: { generate: { poisson-jobs: { jobs: 1, tasks: 30, demand: { cpu: 1 }, duration: 60 } } }
cluster: { nodes: 4, resources: { cpu: 2 } }
policies: [fifo]
failures: { badNodes: { nodes: [node-1], probability: 1 }, maxAttempts: 50 }
avoid: { rule: hadoop, failures: 2 }
`)
    const { out } = await sched(['explain', 'e.yaml', '--longest', 'wait'], { cwd })
    expect(out).toMatch(/\n {2}avoided nodes +[\d.]+ \(\d+%\)\n/)
    expect(out).toContain('  avoided, since tasks of it had failed there: node-1\n')
    const { out: json } = await sched(['explain', 'e.yaml', '--longest', 'wait', '--avoid', 'rule=hadoop,failures=99', '--json', '-'], { cwd })
    expect(json).not.toContain('avoided')
  })

  it('are refused where there are none of that name, where nothing fails, and under policies that cannot avoid them', async () => {
    const error = async (text: string, ...args: string[]) => {
      const cwd = directory()
      writeFileSync(join(cwd, 'e.yaml'), text)
      return (await sched(['run', 'e.yaml', ...args], { cwd })).err
    }
    expect(await error(experiment.replace('node-2', 'node-9'), '--avoid', 'hadoop')).toContain('failures.badNodes.nodes: the cluster has no node "node-9".')
    expect(await error(experiment.replace(/failures: .*\n/, ''), '--avoid', 'hadoop')).toContain('avoid: is for nodes on which tasks have failed, and none fails.')
    expect(await error(experiment, '--avoid', 'spaark')).toContain('avoid: found "spaark"')
    expect(await error(experiment, '--avoid', 'hadoop', '--policy', 'easy')).toMatch(/policy: job job\d+ avoids nodes on which its tasks have failed \(avoid\), and easy plans by amounts over the whole cluster/)
    expect(await error(experiment, '--avoid', 'drain', '--policy', 'easy')).not.toContain('error:')
  })
})
