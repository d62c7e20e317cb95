import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, sched } from './sched.js'

const experiment = `workload: { generate: { poisson-jobs: { jobs: 30, rate: 0.01, tasks: 10, demand: { cpu: 2 }, data: false, duration: 200 } } }
cluster: { nodes: 12, resources: { cpu: 8 }, autoscale: { min: 1, provision: 60, price: 0.5 } }
policies: [fifo, fair]
`
const world = (text = experiment) => {
  const cwd = directory()
  writeFileSync(join(cwd, 'e.yaml'), text)
  return cwd
}
interface Summary {
  readonly counts: { readonly finished: number }
  readonly outages?: unknown
  readonly autoscaling?: Readonly<Record<'added' | 'removed' | 'nodeSeconds' | 'mean' | 'most' | 'busy', number>> & { readonly cost: number | null }
}
async function runOf(cwd: string, ...args: string[]): Promise<Summary> {
  const { code, out, err } = await sched(['run', 'e.yaml', '--policy', 'fifo', '--validate', '--json', '-', ...args], { cwd })
  expect({ code }, err).toEqual({ code: 0 })
  return (JSON.parse(out) as { runs: { summary: Summary }[] }).runs[0]!.summary
}

describe('nodes that come and go by demand', () => {
  it('are measured by run and compare, and kept with the results', async () => {
    const cwd = world()
    const { counts, outages, autoscaling } = await runOf(cwd)
    expect([counts.finished, outages]).toEqual([30, undefined])
    const { added, most, mean, nodeSeconds, cost } = autoscaling!
    expect([added > 5, most > 3, mean < most, Math.round(1e6 * cost!)]).toEqual([true, true, true, Math.round((1e6 * 0.5 * nodeSeconds) / 3600)])
    const { out } = await sched(['run', 'e.yaml', '--policy', 'fifo', '--out', 'r'], { cwd })
    expect(out).toMatch(/\nAutoscaled nodes: [\d.]+ in the mean, \d+ at most, \d+ added and \d+ removed; [\d.]+ node hours, in [\d.]+% of which something ran, cost [\d.]+\n/)
    expect(readFileSync(join(cwd, 'r', 'experiment.yaml'), 'utf8')).toContain('autoscale:')
    const compared = await sched(['compare', 'e.yaml', '--seeds', '2'], { cwd })
    for (const row of ['autoscaled nodes, mean', 'autoscaled nodes, most', 'their node hours', 'of which something ran, %', 'times that nodes were added', 'their cost']) expect(compared.out).toContain(row)
  }, 60_000)

  it.each(['volcano', 'capacity-scheduler', 'yarn-fair', 'negotiator', 'kueue', 'kai'])('are asked for under %s, too, whose limits are parts of the cluster or none', async (policy) => {
    const { out } = await sched(['run', 'e.yaml', '--policy', policy, '--validate', '--json', '-'], { cwd: world() })
    const [run] = (JSON.parse(out) as { runs: { summary: Summary }[] }).runs
    expect([run?.summary.counts.finished, run!.summary.autoscaling!.added > 5]).toEqual([30, true])
  }, 60_000)

  it('are drawn over time on a page', async () => {
    const cwd = world()
    const { code } = await sched(['run', 'e.yaml', '--policy', 'fifo', '--html', 'p.html', '--quiet'], { cwd })
    expect([code, readFileSync(join(cwd, 'p.html'), 'utf8').includes('Autoscaled nodes</')]).toEqual([0, true])
  })

  it('follow the settings of a file or of the command line', async () => {
    const usual = await runOf(world())
    const eager = await runOf(world(), '--autoscaler', 'scaleDownUnneededTime=30,scaleDownDelayAfterAdd=0')
    expect([eager.autoscaling!.removed > 0, eager.autoscaling!.nodeSeconds < usual.autoscaling!.nodeSeconds]).toEqual([true, true])
    expect(await runOf(world(`${experiment}autoscaler: { scaleDownUnneededTime: 30, scaleDownDelayAfterAdd: 0 }\n`))).toEqual(eager)
  })

  it.each([
    [['--autoscaler', 'scaleDownUnneeded=3'], 'unknown key "scaleDownUnneeded"'],
    [['--autoscaler', 'expander=price'], 'autoscaler.expander'],
    [['--outages', 'mtbf=1e6,mttr=100'], 'outages: do not go together with nodes that come and go by demand.'],
    [['--heartbeat', '3'], 'cluster.autoscale: nodes that come and go send no heartbeats.'],
    [['--architecture', '{ on-demand: { sharedBy: user } }'], 'architecture: virtual clusters hold whole nodes'],
  ])('refuse %j', async (args, message) => {
    const { code, err } = await sched(['run', 'e.yaml', ...args], { cwd: world() })
    expect(err).toContain(message)
    expect(code).toBe(2)
  })
})
