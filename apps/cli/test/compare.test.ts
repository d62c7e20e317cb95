import { describe, expect, it } from 'vitest'
import { experiment, sched, small, trace } from './sched.js'

interface Results {
  readonly name: string
  readonly seeds: number[]
  readonly policies: string[]
  readonly table: { key: string; label?: string; cells: { policy: string; values: number[]; mean: { mean: number; low: number; high: number }; difference?: { mean: number } }[] }[]
  readonly runs: { policy: string; seed: number; summary: { counts: { finished: number; launches: number } } }[]
}

/** The results of a command line as JSON. */
async function results(args: readonly string[], cwd = small()): Promise<Results> {
  const { code, out, err } = await sched([...args, '--json', '-'], { cwd })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out) as Results
}

describe('sched compare', () => {
  it('runs every policy of a file on every seed', async () => {
    const { name, seeds, policies, runs } = await results(['compare', 'small.yaml'])
    expect({ name, seeds, policies }).toEqual({ name: 'small', seeds: [1, 2, 3], policies: ['fifo', 'delay(node=5)'] })
    expect(runs.map(({ policy, seed, summary }) => [policy, seed, summary.counts.finished])).toEqual([
      ['fifo', 1, 3], ['delay(node=5)', 1, 3], ['fifo', 2, 3], ['delay(node=5)', 2, 3], ['fifo', 3, 3], ['delay(node=5)', 3, 3],
    ])
  })

  it('gives equal policies equal numbers: the luck of a seed is common to all', async () => {
    const { table } = await results(['compare', 'small.yaml', '--policies', 'fifo,{name: twin, policy: fifo}', '--seeds', '4'])
    const [response] = table
    expect(response?.cells[1]?.values).toEqual(response?.cells[0]?.values)
    expect(response?.cells[1]?.difference).toMatchObject({ mean: 0, low: 0, high: 0 })
    expect(new Set(response?.cells[0]?.values).size).toBeGreaterThan(1) // and seeds differ
  })

  it('reports the paired difference from the first policy', async () => {
    const { table } = await results(['compare', 'small.yaml', '--seeds', '4'])
    const [fifo, delay] = table[0]?.cells ?? []
    const differences = delay?.values.map((value, seed) => value - (fifo?.values[seed] ?? NaN)) ?? []
    expect(delay?.difference?.mean).toBeCloseTo(differences.reduce((a, b) => a + b) / 4, 12)
    expect(fifo?.difference).toBeUndefined()
  })

  it('yields the same bytes for the same seed and others for another', async () => {
    const cwd = small()
    const [one, same, other] = await Promise.all([['--seed', '7'], ['--seed', '7'], ['--seed', '8']].map((args) => sched(['compare', 'small.yaml', ...args, '--json', '-'], { cwd })))
    expect(same?.out).toBe(one?.out)
    expect(other?.out).not.toBe(one?.out)
  })

  it('does not depend on how many policies run beside one', async () => {
    const both = await results(['compare', 'small.yaml'])
    const alone = await results(['compare', 'small.yaml', '--policies', '{delay: {node: 5}}'])
    expect(alone.runs).toEqual(both.runs.filter(({ policy }) => policy === 'delay(node=5)'))
  })

  it('needs no file: a trace and options are an experiment', async () => {
    const { policies, runs } = await results(['compare', '--trace', 'jobs.jsonl', '--nodes', '4', '--slots', 'map=1', '--seeds', '1'])
    expect(policies).toEqual(['fifo', 'naive-fair', 'delay'])
    expect(runs.map(({ summary }) => summary.counts.launches)).toEqual([10, 10, 10])
  })

  it('generates jobs anew for every seed unless the generator has a seed of its own', async () => {
    const distinct = async (generate: string) => {
      const { table } = await results(['compare', '--generate', generate, '--nodes', '10', '--policies', 'fifo', '--seeds', '3', '--heartbeat', '0'])
      return new Set(table.find(({ key }) => key === 'makespan')?.cells[0]?.values.map(Math.round)).size
    }
    const jobs = (seed: string) => `{poisson-jobs: {jobs: 5, tasks: 1, duration: 1, data: false${seed}}}`
    expect(await distinct(jobs(''))).toBe(3)
    expect(await distinct(jobs(', seed: 9'))).toBe(1)
  })

  it('lets options override the file', async () => {
    const cwd = small()
    const run = (...args: string[]) => results(['compare', 'small.yaml', ...args], cwd)
    expect((await run('--seeds', '1')).seeds).toEqual([1])
    expect((await run('--seed', '5', '--seeds', '2')).seeds).toEqual([5, 6])
    expect((await run('--policies', 'hfs')).policies).toEqual(['hfs'])
    expect((await run('--take', '2', '--seeds', '1')).runs[0]?.summary.counts.finished).toBe(2)
    expect((await run('--window', '1:2', '--seeds', '1')).runs[0]?.summary.counts.finished).toBe(1)
    expect((await run('--until', '5', '--seeds', '1')).runs[0]?.summary.counts.finished).toBeLessThan(3)
  })

  it('changes the jobs of another trace as the file says', async () => {
    const cwd = small({ 'small.yaml': experiment.replace('jobs.jsonl }', 'none.jsonl, take: 1 }') })
    expect((await results(['compare', 'small.yaml', '--trace', 'jobs.jsonl', '--seeds', '1'], cwd)).runs[0]?.summary.counts.finished).toBe(1)
  })

  it('takes a policy by the name that the file gives it', async () => {
    const named = experiment.replace('- fifo', '- { name: first come, policy: fifo }')
    const { policies } = await results(['compare', 'small.yaml', '--policies', 'naive-fair,first come'], small({ 'small.yaml': named }))
    expect(policies).toEqual(['naive-fair', 'first come'])
  })

  it('spreads submissions by the load', async () => {
    const last = async (load: string) => {
      const { table } = await results(['compare', '--trace', 'jobs.jsonl', '--nodes', '40', '--slots', 'map=1', '--heartbeat', '0', '--policies', 'fifo', '--seeds', '1', '--load', load])
      return table.find(({ key }) => key === 'makespan')?.cells[0]?.values[0] ?? NaN
    }
    expect(await last('0.01')).toBeGreaterThan(200) // the last job comes at 2 s / 0.01
    expect(await last('1')).toBeLessThan(40)
  })

  it('reads the cluster from a file of its own', async () => {
    const files = { 'small.yaml': experiment.replace(/cluster: .*/, 'cluster: parts/cluster.yaml'), 'parts/cluster.yaml': 'nodes: 4\nslots: { map: 1 }\n' }
    expect((await results(['compare', 'small.yaml', '--seeds', '1'], small(files))).runs).toHaveLength(2)
  })

  it('reports by the classes of the experiment', async () => {
    const labels = async (classes: string) => {
      const { table } = await results(['compare', 'small.yaml'], small({ 'small.yaml': `${experiment}metrics: { classes: ${classes} }\n` }))
      return [...new Set(table.map(({ label }) => label))]
    }
    expect(await labels('label')).toEqual([undefined, 'large', 'small'])
    expect(await labels('[1, 5]')).toEqual([undefined, '1', '>5'])
    expect(await labels('size')).toEqual([undefined, '1', '3-20'])
  })

  it('runs validated', async () => {
    expect((await results(['compare', 'small.yaml', '--validate'])).runs).toHaveLength(6)
  })

  it('says which lines of a trace it has skipped', async () => {
    const cwd = small({ 'jobs.jsonl': trace.replace('"submit":1', '"submit":-1').replace(',"jobs":3', '') })
    const { code, err } = await sched(['compare', 'small.yaml', '--on-bad-line', 'skip', '--seeds', '1'], { cwd })
    expect(code).toBe(0)
    expect(err).toMatch(/^warning: 1 bad line skipped, for example:\n {2}.*jobs\.jsonl" line 3 submit: found -1, expected at least 0\.\n$/)
  })

  it('rejects jobs that no node can run when told to, and says so', async () => {
    const wide = small({ 'jobs.jsonl': trace.replace('"demand":{"map":1},"duration":4', '"demand":{"map":2},"duration":4'), 'small.yaml': `${experiment}infeasible: reject\n` })
    const { code, out, err } = await sched(['compare', 'small.yaml'], { cwd: wide })
    const why = ['1 of 3 jobs rejected on seed 1:', '  b: a task asks {"map":2}, more than any node of cluster has'].join('\n')
    expect({ code, err }).toEqual({ code: 0, err: `warning: fifo: ${why}\nwarning: delay(node=5): ${why}\n` })
    expect(out).toContain('large')
  })

  it('says which names of users and queues with weights are of no job, once, and the nearest', async () => {
    const cwd = small({ 'jobs.jsonl': trace.replace('"user":"bob"', '"user":"bob","queue":"root.prod.batch"') })
    const warnings = async (order: string) => (await sched(['compare', 'small.yaml', '--policies', `{name: shared, policy: {delay: {order: {${order}}}}}`], { cwd })).err.split('\n').filter((line) => line.startsWith('warning: '))
    expect(await warnings('drf: {weights: {ann: 2, bob: 1}}')).toEqual([])
    expect(await warnings('drf: {weights: {anne: 2, bob: 1}}')).toEqual(['warning: shared: weights of drf: no job is of user "anne"; did you mean "ann"?'])
    expect(await warnings('max-min: {by: queue, shares: {prod: {weight: 2}, root.prod.batch: {weight: 2}, prod/bach: {weight: 3}, zed: {weight: 1}}}')).toEqual(['warning: shared: shares of max-min: no job is of queues "prod/bach", "zed"'])
  })

  it('says which queues of preempt_targets are neither declared nor of any job', async () => {
    const cwd = small({ 'jobs.jsonl': trace.replace('"user":"bob"', '"user":"bob","queue":"workq"') })
    const warnings = async (options: string) => (await sched(['run', 'small.yaml', '--policy', `{pbs-preempting: {${options}}}`], { cwd })).err.split('\n').filter((line) => line.startsWith('warning: '))
    expect(await warnings('queues: {expressq: {Priority: 200}}, preempt_targets: {expressq: [workq]}')).toEqual([])
    expect(await warnings('queues: {expressq: {Priority: 200}}, preempt_targets: {expressq: [work, nightq]}')).toEqual([
      expect.stringMatching(/: preempt_targets of pbs-preempting: no job is of queues "work", "nightq"; did you mean "workq"\?$/),
    ])
  })

  it('says so where an order shares among users or queues and no job names any, which is FIFO', async () => {
    const cwd = small({ 'jobs.jsonl': trace.replace(/"user":"\w+",/g, ''), 'queues.jsonl': trace.replace(/"user":"\w+",/g, '"queue":"a",') })
    const warnings = async (policy: string, jobs = 'jobs.jsonl') => (await sched(['run', 'small.yaml', '--trace', jobs, '--policy', policy], { cwd })).err.split('\n').filter((line) => line.startsWith('warning: '))
    const ofUsers = (order: string) => `no job names a user, so ${order} has nobody to share among; \`by\` says who shares`
    expect(await warnings('drf')).toEqual([`warning: drf: ${ofUsers('drf')}`])
    expect(await warnings('{strict: {order: {max-min: {shares: {ann: {weight: 2}}}}}}', 'queues.jsonl')).toEqual([`warning: strict(order=max-min(shares=ann(weight=2))): ${ofUsers('max-min')}`])
    expect(await warnings('{greedy: {order: {lsf-fairshare: {shares: {ann: 2}}}}}', 'queues.jsonl')).toEqual([`warning: greedy(order=lsf-fairshare(shares=(ann=2))): ${ofUsers('lsf-fairshare')}`])
    expect(await warnings('{greedy: {order: {wfq: {by: queue}}}}')).toEqual([expect.stringContaining('no job names a queue or a user, so wfq has')])
    expect(await warnings('{greedy: {order: {wfq: {by: queue}}}}', 'queues.jsonl')).toEqual([])
    for (const policy of ['{drf: {by: job}}', '{yarn-fair: {queues: {x: {policy: drf}}}}', 'fair']) expect(await warnings(policy), policy).toEqual([])
  })

  it('says so when the window leaves no job', async () => {
    const { code, out, err } = await sched(['compare', 'small.yaml', '--window', '1000:2000'], { cwd: small() })
    expect({ code, err, tables: out.includes('All jobs') }).toEqual({ code: 0, err: 'warning: no job was submitted between 1000 and 2000 s (window); `sched trace describe` tells the span of a trace.\n', tables: false })
  })

  it('fits its tables into a terminal, and breaks long names of policies', async () => {
    const long = 'fair sharing with a very long name, which says all about it'
    const compare = async (columns?: number) => (await sched(['compare', 'small.yaml', '--seeds', '1', '--policies', `{name: "${long}", policy: fair},fifo,sjf,ljf,delay,greedy`], { cwd: small(), ...(columns !== undefined && { columns }) })).out
    const [narrow, wide] = [(await compare(70)).split('\n'), (await compare()).split('\n')]
    const tables = narrow.slice(2).filter((line) => !/^(Speedup|Difference)/.test(line))
    expect(Math.max(...tables.map((line) => line.length))).toBeLessThanOrEqual(70)
    const means = (lines: readonly string[]) => lines.flatMap((line) => (line.startsWith('mean response') ? line.split(/  +/).slice(1) : []))
    expect(means(narrow)).toEqual(means(wide))
    expect(wide.slice(4, 7).map((line) => line.trim().split('  ')[0])).toEqual(['fair sharing with a very', 'long name, which says all', 'about it'])
  })

  it('prints tables whose columns stand in line', async () => {
    const { out } = await sched(['compare', 'small.yaml'], { cwd: small() })
    const [title, seeds] = out.split('\n')
    expect(title).toBe('small: 3 jobs on 4 nodes in 2 racks, each 1 map, heartbeat 3 s')
    expect(seeds).toBe('fifo, delay(node=5) on seeds 1 to 3: mean ± 95 % confidence interval, differences paired by seed')
    expect(out.match(/^[A-Z].*$/gm)).toEqual([
      'All jobs', 'Difference from fifo', 'Mean response in seconds, by class of jobs', 'Mean wait for the first task in seconds, by class of jobs', "Speedup over fifo: its mean response / this one's", 'Node-local tasks in %, mean over jobs',
    ])
    for (const table of out.split('\n\n').slice(1)) {
      const lines = table.trimEnd().split('\n')
      const rule = lines.find((line) => line.startsWith('--')) ?? ''
      for (const line of lines.slice(2)) expect(line.length).toBeLessThanOrEqual(rule.length)
    }
  })
})
