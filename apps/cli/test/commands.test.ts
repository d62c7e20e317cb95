import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directory, experiment, sched, small, trace } from './sched.js'

const ok = async (args: readonly string[], cwd = small()) => {
  const outcome = await sched(args, { cwd })
  expect(outcome).toMatchObject({ code: 0 })
  return outcome
}

describe('sched run', () => {
  it('runs the policy of the file on the first seed, and reports it in full', async () => {
    const { out } = await ok(['run', 'small.yaml'])
    expect(out).toMatch(/^small: 3 jobs on 4 nodes in 2 racks, each 1 map, heartbeat 3 s\nfifo on seed 1\n\n3 of 3 jobs finished; 10 tasks, 10 starts; makespan /)
    expect(out.split('\n\n')).toHaveLength(6) // headline, counts, use, times, locality, classes
    expect(out).toMatch(/^large {5}1 /m)
  })

  it('breaks tables that are wider than the terminal, as `trace describe` and `queues show` do', async () => {
    const cwd = small({ 'slurm.conf': 'PartitionName=with-a-long-name Nodes=ALL MaxTime=2-0 State=UP PriorityTier=1 PriorityJobFactor=10\n' })
    for (const args of [['run', 'small.yaml', '--architecture', 'shared-state'], ['trace', 'describe', 'jobs.jsonl'], ['queues', 'show', 'slurm.conf']]) {
      const rules = async (columns?: number) => (await sched(args, { cwd, ...(columns !== undefined && { columns }) })).out.split('\n').filter((line) => /^-[- ]+$/.test(line))
      const broken = await rules(48)
      expect(Math.max(...broken.map((rule) => rule.length))).toBeLessThanOrEqual(48)
      expect(broken.length).toBeGreaterThan((await rules()).length)
    }
  })

  it('writes a name with a comma so that it does not look like two', async () => {
    const { out } = await ok(['compare', 'small.yaml', '--seeds', '1', '--policies', 'fifo,{name: "pools, early", policy: fair},{delay: {node: 1, rack: 2}},{greedy: {}}'])
    expect(out.split('\n')[1]).toBe('fifo, "pools, early", delay(node=1, rack=2), greedy on seed 1')
  })

  it('chooses by --policy, then by `policy`, then the first of `policies`', async () => {
    const cwd = small({ 'small.yaml': `${experiment}policy: naive-fair\n` })
    const policy = async (...args: string[]) => (await ok(['run', 'small.yaml', ...args], cwd)).out.split('\n')[1]
    expect(await policy('--policy', 'hfs', '--seed', '3')).toBe('hfs on seed 3')
    expect(await policy()).toBe('naive-fair on seed 1')
  })

  it('says that a file lists more policies than the one that it runs, unless one is chosen', async () => {
    const note = 'note: small.yaml lists 2 policies, and this runs the first (fifo). --policy chooses another, `sched compare` runs all.\n'
    const said = async (policies: string, ...args: string[]) => (await ok(['run', 'small.yaml', ...args], small({ 'small.yaml': `${experiment}${policies}`, 'a.xml': '<allocations/>' }))).err
    expect(await said('')).toBe(note)
    expect(await said('', '--policy', 'fair')).toBe('')
    expect(await said('', '--quiet')).toBe('')
    expect(await said('policy: fair\n')).toBe('') // which the file itself chooses
    expect(await said('queues: [a.xml]\n')).toContain('lists 3 policies, and this runs the first (a).')
    expect(await said('', '--queues', 'a.xml')).not.toContain('note: small.yaml')
  })

  it('says what its architecture has given up', async () => {
    const shape = ['--nodes', '2', '--resources', 'cpu=1', '--architecture', '{shared-state: {schedulers: 1, abandonUnplacedAfter: 3}}']
    const load = '{poisson-jobs: {jobs: 3, rate: 10, tasks: 4, duration: 100, demand: {cpu: 1}}}'
    const { out, err } = await ok(['run', '--generate', load, ...shape])
    expect(out).toMatch(/1 of 3 jobs finished, 2 abandoned; /)
    expect(err).toBe('warning: fifo: 2 jobs given up after too many attempts (`abandonAfter` and `abandonUnplacedAfter` of the architecture); not counted in times.\n')
    const ended = await ok(['run', '--generate', load, ...shape.slice(0, 4), '--architecture', '{on-demand: {walltime: 50}}'])
    expect(ended.err).toBe('warning: fifo: 3 jobs given up by a policy that cancels what it preempts, at the walltime of their virtual cluster (`walltime` and `abandonAtWalltime` of the architecture), or as too late for their deadline (`firmDeadline`); not counted in times.\n')
    const failed = await ok(['run', '--generate', load, ...shape.slice(0, 4), '--failures', 'probability=0.9,maxAttempts=1'])
    expect(failed.err).toBe('warning: fifo: 3 jobs given up after too many failures of a task (`maxAttempts` of `failures`); not counted in times.\n')
  })

  it('takes recorded task times as they are unless there is --jitter', async () => {
    const makespan = async (...args: string[]) => /makespan (.*)/.exec((await ok(['run', 'small.yaml', '--heartbeat', '0', '--nodes', '20', '--slots', 'map=1', '--take', '1', ...args])).out)?.[1]
    expect(await makespan()).toBe('17.0 s') // 10 s in another rack: x 1.7
    expect(await makespan('--jitter', '0.1')).not.toBe('17.0 s')
  })

  it.each([
    [['--nodes', '6'], '6 nodes in 2 racks, each 1 map, heartbeat 3 s'],
    [['--heartbeat', '1'], '4 nodes in 2 racks, each 1 map, heartbeat 1 s'],
    [['--slots', 'map=2'], '4 nodes in 2 racks, each 2 map, heartbeat 3 s'],
    [['--nodes', '2', '--racks', '1', '--slots', 'map=3,reduce=1', '--heartbeat', '0'], '2 nodes, each 3 map + 1 reduce'],
    [['--resources', 'map=5'], '4 nodes in 2 racks, each 5 map, heartbeat 3 s'],
  ])('changes of the cluster of a file what options say, and nothing else: %j', async (options, expected) => {
    expect((await ok(['run', 'small.yaml', ...options])).out.split('\n')[0]).toBe(`small: 3 jobs on ${expected}`)
  })

  it('refuses to change a part of a cluster that the file does not describe by one number of nodes', async () => {
    const groups = experiment.replace(/cluster: .*/, 'cluster: { nodes: [{ count: 2, slots: { map: 1 } }, { count: 2, slots: { map: 2 } }] }')
    const said = async (...options: string[]) => (await sched(['run', 'small.yaml', '--policy', 'fifo', ...options], { cwd: small({ 'small.yaml': groups }) })).err
    expect(await said('--nodes', '3')).toBe('error: --nodes: changes a part of the cluster of the experiment, which has groups of nodes. Describe all of it, with --nodes and --slots or --resources, or change it there.\n')
    expect([await said('--nodes', '3', '--slots', 'map=1'), await said('--heartbeat', '1')]).toEqual(['', ''])
  })

  it('says what has not finished by the end of the simulated time', async () => {
    expect((await ok(['run', 'small.yaml', '--until', '5'])).out).toMatch(/0 of 3 jobs finished, 3 not finished/)
  })
})

describe('sched trace formats', () => {
  it('lists what is read, and the options of one', async () => {
    const { out } = await ok(['trace', 'formats'])
    expect(out).toMatch(/^ {2}sched-workload +native workload/)
    expect(out.trim().split('\n').at(-1)).toBe('Options of one: sched trace formats NAME')
    expect((await ok(['trace', 'formats', 'swf'])).out).toMatch(/^ {2}swf: Standard Workload Format.*\n.*2\.2\n[^]*^ {6}- overrun: "kill" or "extend" or "keep" \(default "kill"\): /m)
    expect(JSON.parse((await ok(['trace', 'formats', 'sls', '--json'])).out)).toMatchObject([{ name: 'sls', options: { properties: { slowStart: { default: 1 } } } }])
  })

  it('names what is near to an unknown one', async () => {
    expect(await sched(['trace', 'formats', 'slss'])).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean "sls"?') as string })
  })
})

describe('sched trace', () => {
  it('describes counts, span, load and size classes', async () => {
    const { out, err } = await ok(['trace', 'describe', 'jobs.jsonl', '--nodes', '11', '--slots', 'map=2'])
    expect(err).toBe('')
    // work 8 x 10 + 4 + 4 = 88 slot seconds over 22 slots x 2 s = 200 %
    expect(out).toBe(`jobs.jsonl
  format            sched-workload
  jobs              3
  stages            3
  tasks             10, in the median job 1
  users and queues  2 and 0
  span              2.00 s from 0 s
  gaps              mean 1 s, median 1 s, longest 1 s

resource  tasks  work, unit seconds  median duration, s  largest demand    load
--------  -----  ------------------  ------------------  --------------  ------
map          10                  88                  10               1  200.0%

size class  maps of a job  jobs  of all jobs  tasks  of all work
----------  -------------  ----  -----------  -----  -----------
bin 1                   1     2        66.7%      2         9.1%
bin 3                3-20     1        33.3%      8        90.9%
`)
    expect(JSON.parse((await ok(['trace', 'describe', 'jobs.jsonl', '--json'])).out)).toMatchObject({ format: 'sched-workload', jobs: 3, tasks: 10, skippedLines: 0 })
  })

  it('shares work by resource where tasks ask for several, whose amounts cannot be added', async () => {
    const line = (id: string, tasks: number, demand: object) => JSON.stringify({ id, submit: 0, stages: [{ name: 'a', tasks, demand, duration: 10 }] })
    const cwd = directory({ 'j.jsonl': ['{"format":"sched-workload","version":1}', line('a', 1, { cpu: 3, mem: 9000 }), line('b', 2, { cpu: 1, mem: 500 })].join('\n') })
    expect((await ok(['trace', 'describe', 'j.jsonl'], cwd)).out.split('\n').slice(-5, -1)).toEqual([
      'size class  tasks of a job  jobs  of all jobs  tasks  of work, cpu  of work, mem',
      '----------  --------------  ----  -----------  -----  ------------  ------------',
      'bin 1                    1     1        50.0%      1         60.0%         90.0%',
      'bin 2                    2     1        50.0%      2         40.0%         10.0%',
    ])
  })

  it('converts to the native format, which then describes alike', async () => {
    const cwd = directory({ 'jobs.tsv': 'job0\t0\t0\t200000000\t0\t100\njob1\t5\t5\t100\t5000\t100\n' })
    expect((await ok(['trace', 'convert', 'jobs.tsv', 'jobs.jsonl.gz'], cwd)).err).toBe('jobs.jsonl.gz: 2 jobs\n')
    expect((await ok(['trace', 'convert', 'jobs.tsv', 'jobs.txt'], cwd)).err).toBe('jobs.txt: 2 jobs, in the native format whatever its name\n')
    const described = async (file: string) => (await ok(['trace', 'describe', file], cwd)).out.split('\n').slice(2)
    expect(await described('jobs.jsonl.gz')).toEqual(await described('jobs.tsv'))
  })

  it('passes options to the format and skips bad lines when told to', async () => {
    const cwd = directory({ 'jobs.tsv': 'job0\t0\t0\t256000000\t0\t100\njob1\t5\t5\tx\t5000\t100\n' })
    const { out, err } = await ok(['trace', 'describe', 'jobs.tsv', '--format', 'swim', '--option', 'blockSize=64000000', '--on-bad-line', 'skip', '--json'], cwd)
    expect(JSON.parse(out)).toMatchObject({ tasks: 4, skippedLines: 1 })
    expect(err).toMatch(/^warning: 1 bad line skipped, for example:\n.*line 2 map input bytes: /)
    expect((await sched(['trace', 'describe', 'jobs.tsv', '--option', 'blocksize=1'], { cwd })).err).toContain('Did you mean "blockSize"?')
  })

  it('generates every kind that a file can hold, the same for the same seed', async () => {
    const cwd = directory()
    for (const kind of ['facebook', 'facebook-mixed', 'poisson-jobs']) {
      const content = async (name: string, seed: string) => {
        await ok(['trace', 'generate', kind, name, '--seed', seed], cwd)
        return readFileSync(join(cwd, name), 'utf8')
      }
      const first = await content(`${kind}-1`, '1')
      expect(await content(`${kind}-2`, '1')).toBe(first)
      expect(await content(`${kind}-3`, '2')).not.toBe(first)
    }
    expect((await sched(['trace', 'generate', '--help'])).out).toMatch(/sticky-slots .*scan jobs/)
    expect((await sched(['trace', 'generate', 'facebook', '--help'])).out).toMatch(/--mean-gap <value> +Mean time between submissions, seconds\. \(default: 14\)/)
  })

  it('generates what an experiment would have of a generator with options as in a file', async () => {
    const cwd = directory()
    await ok(['trace', 'generate', '{lublin: {load: 0.6, jobs: 50}}', 'file.jsonl'], cwd)
    await ok(['trace', 'generate', 'lublin', 'options.jsonl', '--load', '0.6', '--jobs', '50'], cwd)
    await ok(['trace', 'generate', 'lublin', 'other.jsonl', '--load', '0.7', '--jobs', '50'], cwd)
    const [file, options, other] = ['file', 'options', 'other'].map((name) => readFileSync(join(cwd, `${name}.jsonl`), 'utf8'))
    expect(file).toBe(options)
    expect(file).not.toBe(other)
    expect((await ok(['trace', 'generate', '{facebook: {}}', 'file.jsonl', '--force'], cwd)).err).toBe('file.jsonl: 100 jobs\n')
  })

  it('does not replace a file unless forced', async () => {
    const cwd = small()
    expect(await sched(['trace', 'convert', 'jobs.jsonl', 'jobs.jsonl'], { cwd })).toMatchObject({ code: 2, out: '' })
    expect(readFileSync(join(cwd, 'jobs.jsonl'), 'utf8')).toBe(trace)
    expect((await ok(['trace', 'generate', 'facebook', 'jobs.jsonl', '--force'], cwd)).err).toBe('jobs.jsonl: 100 jobs\n')
    expect(readdirSync(cwd)).toEqual(['jobs.jsonl', 'small.yaml'])
  })

  it('leaves nothing when interrupted', async () => {
    const cwd = small()
    const stop = new AbortController()
    stop.abort()
    for (const args of [['convert', 'jobs.jsonl', 'copy.jsonl'], ['describe', 'jobs.jsonl']]) expect(await sched(['trace', ...args], { cwd, signal: stop.signal })).toMatchObject({ code: 130, out: '' })
    expect(readdirSync(cwd)).toEqual(['jobs.jsonl', 'small.yaml'])
  })
})

describe('sched policies', () => {
  it('lists everything installed by kind, a line or two each, and says how options are had', async () => {
    const { out } = await ok(['policies'])
    for (const heading of ['Policies', 'Orders', 'Placements', 'Architectures']) expect(out).toMatch(new RegExp(`^${heading}: `, 'm'))
    expect(out).toContain('\n  delay                a job waits up to W1 s for a node with its data, then W2 s for a rack\n')
    expect(out).toContain("\n  capacity-scheduler   Hadoop's Capacity Scheduler: queues with capacities, user limits,\n                       reservations, delay, preemption\n")
    expect(out).toMatch(/\n\nOptions of one: sched policies NAME\n$/)
    expect(out).not.toContain('- node: ')
  })

  it('keeps to the width of the terminal, or to 100 columns', async () => {
    const longest = async (columns?: number) => Math.max(...(await sched(['policies', 'delay', 'capacity-scheduler'], columns === undefined ? {} : { columns })).out.split('\n').map((line) => line.length))
    expect([await longest(), await longest(140)]).toEqual([100, 140])
  })

  it('says of the named ones options, needed ones, ranges, defaults and sources', async () => {
    const { out } = await ok(['policies', 'delay', 'naive-fair', 'bayes-comm'])
    expect(out).toContain('      - model: string or mapping, needed: the model that predicts')
    expect(out).toContain('      - threshold: number in [0, 1) (default 0.5): ')
    expect(out).toContain('  delay: a job waits up to W1 s for a node with its data, then W2 s for a rack\n      Zaharia et al., EuroSys 2010, Algorithm 3\n')
    expect(out).toContain('      - node: number ≥ 0 or "auto" (default "auto"): W1: ')
    expect(out).toContain('      - order: an order (default fair)\n')
    expect(out).toContain('  naive-fair: jobs by running tasks, no waiting\n      Zaharia et al., EuroSys 2010, Algorithm 1\n      = greedy(order=fair(pools=false))\n')
  })

  it('lists the keys inside an option: of a mapping, of the entries of a list, below names, and of one inside itself once', async () => {
    const { out } = await sched(['policies', 'easy', 'kueue', 'multifactor'], { columns: 1_000 })
    expect(out).toContain('kept free from `from` to `to`\n          - from: number ≥ 0 or string, needed: when it begins: seconds from the start of the run, or a local time of the workload such as 2026-03-01T08:00:00\n          - to: number > 0 or string, needed: when it has ended\n          - every: number > 0: seconds from one beginning to the next, such as 604800; default: it comes once\n          - times: whole number in (0, 100000]: how often it comes in all, with `every`\n          - demand: "all" or mapping, needed: ')
    expect(out).toContain('ClusterQueues by name: the queue of a job\n          <name>:\n              - nominalQuota: mapping: ')
    expect(out).toMatch(/ {6}- accounts: .*\n {10}<name>:\n {14}- shares: .*\n {14}- users: .*\n {14}- usersOfPartitions: .*\n {14}- accounts: mapping: accounts inside it\n {6}- billing: /)
  })

  it('lists what is asked for, also as JSON with options as JSON Schema, also from plug-ins', async () => {
    const parts = JSON.parse((await ok(['policies', 'fifo', 'delay', '--json'])).out) as { name: string; options: { properties: object } }[]
    expect(parts.map(({ name }) => name)).toEqual(['delay', 'fifo'])
    expect(Object.keys(parts[0]?.options.properties ?? {})).toEqual(['node', 'rack', 'waits', 'resetOnLaunch'])
    for (const args of [['last-first', '--plugin', plugIn], ['--plugin', plugIn, 'last-first']]) expect((await ok(['policies', ...args])).out).toContain('  last-first: the youngest job first\n')
  })
})

const plugIn = join(import.meta.dirname, 'plug-in/last-first.js')

describe('a plug-in', () => {
  it('is used by name like what is built in', async () => {
    const cwd = small({ 'small.yaml': experiment.replace('- fifo', '- last-first\n  - delay: { node: 1, order: last-first }') + `plugins: [${plugIn}]\n` })
    const { out } = await ok(['compare', 'small.yaml'], cwd)
    expect(out).toContain('last-first, delay(node=1, order=last-first), delay(node=5) on seeds 1 to 3')
  })

  it('may not take a name that is taken', async () => {
    const cwd = small({ 'small.yaml': `${experiment}plugins: [${plugIn}, ${plugIn}]\n` })
    const { code, err } = await sched(['compare', 'small.yaml'], { cwd })
    expect({ code, err }).toEqual({ code: 2, err: `error: "small.yaml" line 8 column ${13 + plugIn.length}: order "last-first" is already registered. Give the plug-in another name.\n` })
  })
})

describe('sched init', () => {
  it('writes a commented experiment that runs as it is', async () => {
    const cwd = directory()
    expect((await ok(['init'], cwd)).err).toBe('experiment.yaml written. Next: sched compare experiment.yaml\n')
    const { out } = await ok(['compare', 'experiment.yaml', '--seeds', '1', '--validate'], cwd)
    expect(out).toMatch(/^three policies on a small cluster: 200 jobs/)
    expect(await sched(['init'], { cwd })).toMatchObject({ code: 2, err: 'error: "experiment.yaml": exists already. Choose another name, or replace it with --force.\n' })
    expect((await ok(['init', '-'], cwd)).out).toBe(readFileSync(join(cwd, 'experiment.yaml'), 'utf8'))
  })

  it('shows options that are commented out as they may be written', async () => {
    const { out } = await ok(['init', '-'])
    const workload = out.replace(/ {2}generate:[^]*?\n {2}# trace/, '  # trace').replace(/^ {2}# (trace|onBadLine|window|take|load)/gm, '  $1')
    const { code, err } = await sched(['compare', 'experiment.yaml', '--seeds', '1'], { cwd: directory({ 'experiment.yaml': workload, 'jobs.tsv': 'job0\t0\t0\t100\t0\t100\n' }) })
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })
})

interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
}

/** Paths of keys without a word. */
function undescribed({ properties = {}, items, additionalProperties, anyOf = [] }: Schema, path: string): string[] {
  const own = Object.entries(properties).flatMap(([key, each]) => [
    ...(each.description === undefined && !(each.anyOf ?? []).some(({ description }) => description !== undefined) ? [`${path}.${key}`] : []),
    ...undescribed(each, `${path}.${key}`),
  ])
  const inner = [items, additionalProperties, ...anyOf].flatMap((each) => (typeof each === 'object' ? undescribed(each, `${path}[]`) : []))
  return [...own, ...inner]
}

describe('sched schema', () => {
  it.each(['experiment', 'cluster', 'machines'])('prints what is published of an %s file', async (of) => {
    // after a change of options: pnpm vitest run commands -u
    await expect((await ok(['schema', of])).out).toMatchFileSnapshot(`../schema/${of}.schema.json`)
  })

  it('knows every option of every built-in policy and generator', async () => {
    const { $defs, properties } = JSON.parse((await ok(['schema'])).out) as { $defs: Record<string, { anyOf: [unknown, { properties: Record<string, { properties: object }> }] }>; properties: Record<string, object> }
    const policies = $defs['policy']?.anyOf[1].properties ?? {}
    expect(Object.keys(policies['delay']?.properties ?? {})).toEqual(['node', 'rack', 'waits', 'resetOnLaunch', 'order'])
    expect(policies['delay']?.properties).toMatchObject({ order: { description: 'an order, by name or with options', default: 'fair', $ref: '#/$defs/order' } })
    expect(Object.keys(policies)).toEqual(expect.arrayContaining(['fifo', 'fair', 'naive-fair', 'hfs']))
    expect(JSON.stringify(properties['workload'])).toContain('meanGap')
  })

  it.each(['experiment', 'cluster', 'machines', 'workload'])('says of every key of a file of kind %s what it is', async (of) => {
    const { $defs = {}, ...rest } = JSON.parse((await ok(['schema', of])).out) as Schema & { $defs?: Record<string, Schema> }
    const all = Object.entries({ file: rest, ...$defs })
    expect(all.flatMap(([name, schema]) => undescribed(schema, name))).toEqual([])
  })

  it('names no host', async () => {
    for (const of of ['experiment', 'cluster', 'workload']) expect((await ok(['schema', of])).out).not.toMatch(/https?:/)
  })
})

describe('sched demo', () => {
  it('compares three policies on the schedule of the paper, by job size, and says what to do next', async () => {
    const { out, err } = await ok(['demo', '--seeds', '2'])
    expect(err).toBe('')
    expect(out).toMatch(/^Facebook-like schedule.*: 100 jobs on 100 nodes, each 4 map \+ 2 reduce, heartbeat 3 s\nfifo, naive-fair, delay on seeds 1 to 2: mean/)
    expect(out.match(/^bin 1 .*$/gm)).toHaveLength(5) // response, wait, late waits, speedup, locality
    expect(out).toMatch(/Next:\n {2}sched compare/)
  })
})

describe('sched', () => {
  it('has a version and help', async () => {
    expect((await ok(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect((await ok(['--help'])).out).toMatch(/^Usage: sched[^]*compare [^]*sched demo/)
    expect((await ok(['compare', '--help'])).out).toMatch(/Workload:[^]*Cluster:[^]*Output:/)
  })
})

describe('one of a kind', () => {
  it('is told in the singular', async () => {
    const cwd = directory({ 'one.yaml': 'workload: { generate: { poisson-jobs: { jobs: 1, tasks: 1 } } }\ncluster: { nodes: 1, slots: { map: 1 } }\npolicies: [fifo]\nseeds: 1\n', 'matrix.yaml': 'workload: { generate: { poisson-jobs: { jobs: 1 } } }\ncluster: { nodes: 1, slots: { map: 1 } }\npolicies: [fifo]\nseeds: 1\nmatrix: { cluster.nodes: [1] }\n' })
    expect((await sched(['run', 'one.yaml'], { cwd })).out).toContain('\n1 of 1 job finished; 1 task, 1 start; makespan ')
    expect((await sched(['sweep', 'matrix.yaml'], { cwd })).out).toMatch(/^1 point under fifo, one seed\n/)
    expect((await sched(['trace', 'generate', 'poisson-jobs', 'jobs.jsonl', '--jobs', '1'], { cwd })).err).toBe('jobs.jsonl: 1 job\n')
    expect((await sched(['trace', 'describe', 'jobs.jsonl'], { cwd })).out).not.toContain('gaps') // between submissions
    expect((await sched(['trace', 'generate', 'poisson-jobs', 'more.jsonl', '--jobs', '1200'], { cwd })).err).toBe('more.jsonl: 1,200 jobs\n')
  })
})
