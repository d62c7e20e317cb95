import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JobWait } from '@sched/metrics'
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

  it('are told of as what a job waits for, until they are there: which group, or why none is asked for', async () => {
    // always there: one large node and one with a device; `a` has the large one for long, as `g` has the device. Two small ones at most come 90 s after a look
    const job = (id: string, submit: number, tasks: number, demand: object, duration: number) => JSON.stringify({ id, submit, stages: [{ name: 'work', tasks, demand, duration }] })
    const lines = [job('a', 0, 1, { cpu: 8 }, 1000), job('g', 0, 1, { gpu: 1 }, 300), job('one', 3, 1, { cpu: 4 }, 500), job('three', 50, 3, { cpu: 2 }, 500), job('late', 65, 1, { cpu: 4 }, 500), job('other', 71, 1, { gpu: 1 }, 5), job('low', 75, 1, { cpu: 4 }, 5).replace('{', '{"priority":-11,')]
    const cwd = directory({
      'jobs.jsonl': ['{"format":"sched-workload","version":1}', ...lines].join('\n'),
      'e.yaml': `workload: { trace: jobs.jsonl }
cluster: { nodes: [{ name: base, count: 1, resources: { cpu: 8 } }, { name: gpu, count: 1, resources: { gpu: 1 } }, { name: small, count: 2, resources: { cpu: 4 }, autoscale: { provision: 90 } }] }
policies: [fifo]
`,
    })
    const spans = async (id: string) => {
      const { out } = await sched(['explain', 'e.yaml', '--job', id, '--json', '-'], { cwd })
      const { wait } = (JSON.parse(out) as { policies: { wait: JobWait }[] }).policies[0]!
      return [wait.spans, wait.later?.spans ?? []].map((some) => some.map(({ from, to, why }) => `${from}-${to} ${why}`))
    }
    expect(await spans('one')).toEqual([['3-10 no room', '10-100 nodes of small on their way'], []])
    // two tasks of `three` have the second node from 150 s, the third has that of `one` from 600 s
    expect(await spans('three')).toEqual([['50-60 no room', '60-150 nodes of small on their way'], ['150-600 autoscaler at its maximum']])
    expect(await spans('late')).toEqual([['65-70 no room', '70-650 autoscaler at its maximum'], []])
    expect(await spans('other')).toEqual([['71-80 no room', '80-300 no group grows for it'], []])
    expect(await spans('low')).toEqual([['75-80 no room', '80-1000 priority below the cutoff'], []])
  })

  it('follow the settings of a file or of the command line', async () => {
    const usual = await runOf(world())
    const eager = await runOf(world(), '--autoscaler', 'scaleDownUnneededTime=30,scaleDownDelayAfterAdd=0')
    expect([eager.autoscaling!.removed > 0, eager.autoscaling!.nodeSeconds < usual.autoscaling!.nodeSeconds]).toEqual([true, true])
    expect(await runOf(world(`${experiment}autoscaler: { scaleDownUnneededTime: 30, scaleDownDelayAfterAdd: 0 }\n`))).toEqual(eager)
  })

  it.each([
    [['--autoscaler', 'scaleDownUnneeded=3'], 'unknown key "scaleDownUnneeded"'],
    [['--autoscaler', 'expander=dearest'], 'autoscaler.expander'],
    [['--outages', 'mtbf=1e6,mttr=100'], 'outages: do not go together with nodes that come and go by demand.'],
    [['--heartbeat', '3'], 'cluster.autoscale: nodes that come and go send no heartbeats.'],
    [['--architecture', '{ on-demand: { sharedBy: user } }'], 'architecture: virtual clusters hold whole nodes'],
  ])('refuse %j', async (args, message) => {
    const { code, err } = await sched(['run', 'e.yaml', ...args], { cwd: world() })
    expect(err).toContain(message)
    expect(code).toBe(2)
  })
})
