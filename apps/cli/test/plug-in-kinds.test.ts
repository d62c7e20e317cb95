import { afterAll, describe, expect, it } from 'vitest'
import { directory, removeDirectories, sched, type World } from './sched.js'

afterAll(removeDirectories)

const plugin = new URL('plug-in/own-kinds.js', import.meta.url).pathname
const log = 'a:0:4:30\nb:5:8:60\nc:9:1:5\n'
const world = (files: Readonly<Record<string, string>> = {}): World => ({ cwd: directory({ 'log.txt': log, ...files }) })
const own = (args: readonly string[], at = world()) => sched([...args, '--plugin', plugin], at)

describe('a metric of a plug-in', () => {
  const run = ['run', '--generate', 'bursts', '--policy', 'fifo', '--nodes', '2']

  it('is listed with its options', async () => {
    expect((await own(['policies', 'peak'])).out).toBe('Metrics: what is measured besides\n\n  peak: most tasks at once\n      - user: string: only of this user\n')
  })

  it('has figures in the report, the JSON and the comparison, under the name by which it was asked for', { tags: 'long' }, async () => {
    const printed = await own([...run, '--metrics', 'peak'])
    expect([printed.code, /most tasks at once +peak\.tasks +(\d+)/.exec(printed.out)?.[1]]).toEqual([0, '8'])
    const json = JSON.parse((await own([...run, '--metrics', '{peak: {user: u1}}', '--json', '-', '--quiet'])).out) as { runs: { measured: unknown }[]; table: { key: string }[] }
    expect(json.runs[0]?.measured).toEqual([{ name: 'peak(user=u1).tasks', title: 'most tasks at once', unit: '', value: 4 }])
    expect(json.table.map(({ key }) => key)).toContain('peak(user=u1).tasks')
    const swept = world({ 'e.yaml': `plugins: [${plugin}]\nworkload: { generate: bursts }\ncluster: { nodes: 2, slots: { map: 4 } }\npolicy: fifo\nseeds: 1\nmetrics: { more: [peak] }\nmatrix: { cluster.nodes: [1, 2] }\n` })
    expect((await sched(['sweep', 'e.yaml'], swept)).out).toMatch(/nodes .* peak\.tasks\n.*\n1 .* 4\n2 .* 8\n/)
  })

  it('is refused with advice where it is unknown, has an unknown option, or is there twice', async () => {
    const told = async (metrics: string) => {
      const { code, err } = await own([...run, '--metrics', metrics])
      return [code, err]
    }
    expect(await told('peek')).toEqual([2, 'error: metrics.more[0]: no metric is called "peek". Did you mean "peak"? Known: peak.\n'])
    expect(await told('{peak: {usr: a}}')).toEqual([2, 'error: metrics.more[0].peak.usr: unknown key "usr". Did you mean "user"? Known: user.\n'])
    expect(await told('peak,peak')).toEqual([2, 'error: metrics.more[1]: the metric "peak" is there twice. Name each once.\n'])
  })

  it('that is called as no hook is, or has no figures, is told of', { tags: 'long' }, async () => {
    const of = (body: string) => world({ 'm.mjs': `export default { kind: 'metric', name: 'm', create: () => (${body}) }` })
    const told = async (body: string) => (await sched(['run', '--generate', 'poisson-jobs', '--policy', 'fifo', '--plugin', './m.mjs', '--metrics', 'm'], of(body))).err
    expect(await told('{ onTaskStarts() {}, figures: () => [] }')).toContain('has a method "onTaskStarts", which nobody calls. Did you mean "onTaskStart"?')
    expect(await told('{}')).toContain('what create() of the metric "m" returns has no method "figures"')
    expect(await told('{ figures: () => [{ name: "a", value: "3" }] }')).toContain('what figures() of the metric "m" returns has no number as the value of "a"')
  })
})

describe('a generator of a plug-in', () => {
  it('is a kind of `trace generate` with options of its own, and the seed of the run is its seed', { tags: 'long' }, async () => {
    expect((await own(['trace', 'generate', '--help'])).out).toContain('jobs that come many at a time')
    const { out } = await own(['trace', 'generate', 'bursts', '-', '--jobs', '5', '--size', '5'])
    expect(out.split('\n')).toHaveLength(7)
    expect((await own(['trace', 'generate', '{bursts: {jobs: 5, size: 5}}', '-'])).out).toBe(out)
    const makespan = async (seed: string) => (await own(['run', '--generate', 'bursts', '--policy', 'fifo', '--seed', seed])).out
    expect(await makespan('1')).toBe(await makespan('1'))
    expect(await makespan('1')).not.toBe(await makespan('2'))
  })

  it('is refused with advice where its options are wrong', async () => {
    const told = async (generate: string) => (await own(['run', '--generate', generate, '--policy', 'fifo'])).err
    expect(await told('burst')).toContain('no generator is called "burst". Did you mean "bursts"?')
    expect(await told('{bursts: {jbs: 3}}')).toContain('workload.generate.bursts.jbs: unknown key "jbs". Did you mean "jobs"?')
    expect(await told('{bursts: {tasks: -1}}')).toContain('a job of the generator "bursts" is wrong: stages[0].tasks: found -1, expected at least 1.')
  })
})

describe('the cluster that a generator of a plug-in says its jobs are made for', () => {
  const of = (made: string) => world({
    'g.mjs': `const job = { id: 'a', submit: 0, stages: [{ name: 'work', tasks: 6, demand: { gpu: 1 }, duration: 60 }] }
      export default { kind: 'generator', name: 'g', create: () => ({ name: 'g', jobs: 1, chained: false, ${made}, open: () => ({ of: [job], next() { return this.of.pop() } }) }) }`,
    'e.yaml': 'plugins: [./g.mjs]\nworkload: { generate: g }\npolicies: [fifo]\nseeds: 1\n',
  })
  const run = (made: string, ...more: string[]) => sched(['run', '--generate', 'g', '--policy', 'fifo', '--plugin', './g.mjs', ...more], of(made))

  it('is used where nobody describes one, on the command line and in a file', { tags: 'long' }, async () => {
    const made = 'cluster: { nodes: 2, resources: { gpu: 3 } }'
    expect((await run(made)).out).toContain('g: 1 job on 2 nodes, each 3 gpu')
    expect((await sched(['compare', 'e.yaml'], of(made))).out).toContain('g: 1 job on 2 nodes, each 3 gpu')
    expect((await run(made, '--nodes', '7', '--resources', 'gpu=1')).out).toContain('g: 1 job on 7 nodes, each 1 gpu')
    expect((await run("machine: { resources: { gpu: 9 }, origin: 'made up' }")).out).toContain('g: 1 job on one node of 9 gpu')
  })

  it('is told to be wrong with the name of the generator', async () => {
    expect((await run('cluster: { nodes: 2, resource: { gpu: 3 } }')).err).toContain('workload.generate: the cluster of the generator "g" is wrong: resource: unknown key "resource".')
  })
})

describe('a format of a plug-in', () => {
  it('is known by what its files look like, or by its name', { tags: 'long' }, async () => {
    expect((await own(['trace', 'describe', 'log.txt'])).out).toMatch(/format +colons\n/)
    expect((await own(['trace', 'formats'])).out).toMatch(/^ {2}colons +id:submit:tasks:seconds on each line\n/)
    expect((await own(['trace', 'formats', 'colons'])).out).toContain('- slot: string (default "map"): slot of a task')
    const reduces = await own(['trace', 'convert', 'log.txt', '-', '--format', 'colons', '--option', 'slot=reduce'])
    expect(reduces.out).toContain('"demand":{"reduce":1}')
    const { code, out } = await own(['compare', '--trace', 'log.txt', '--policies', 'fifo,fair', '--nodes', '1'])
    expect([code, /^log.txt: 3 jobs on one node/.test(out)]).toEqual([0, true])
  })

  it('has bad lines as others have, and its jobs are checked to be jobs', async () => {
    const at = world({ 'bad.txt': `${log}d:12:1:-1\n`, 'none.txt': `${log}e:12:0:5\n`, 'late.txt': `${log}f:1:1:5\n` })
    const told = async (file: string, ...more: string[]) => (await own(['trace', 'describe', file, ...more], at)).err
    expect(await told('bad.txt')).toContain('bad.txt" line 4 seconds: found -1, expected more than 0.')
    expect(await told('bad.txt', '--on-bad-line', 'skip')).toContain('warning: 1 bad line skipped')
    expect(await told('none.txt')).toContain('none.txt" line 4 stages[0].tasks: found 0, expected at least 1.')
    expect(await told('late.txt')).toContain('submitted at 1 s, before the job above it (9 s)')
  })

  it('may not have the name of another', async () => {
    const at = world({ 'f.mjs': "export default { kind: 'format', name: 'swf', create: () => ({ line: () => undefined }) }" })
    expect(await sched(['trace', 'formats', '--plugin', './f.mjs'], at)).toEqual({ code: 2, out: '', err: 'error: format "swf" is already registered. Give the plug-in another name.\n' })
  })
})

it('a trace or a generator on the command line stands in for the workload of a file', { tags: 'long' }, async () => {
  const at = world({ 'e.yaml': 'cluster: { nodes: 1, slots: { map: 4 } }\npolicies: [fifo]\nseeds: 1\n' })
  expect((await own(['compare', 'e.yaml', '--trace', 'log.txt'], at)).code).toBe(0)
  expect((await own(['compare', 'e.yaml', '--generate', 'bursts'], at)).code).toBe(0)
  expect(await own(['compare', 'e.yaml', '--take', '1'], at)).toMatchObject({
    code: 2,
    err: 'error: "e.yaml" line 1 column 1 workload: is missing, expected a mapping. Say there which jobs run, for example `workload: { generate: facebook }`, or on the command line: --trace FILE or --generate KIND.\n',
  })
})

it('so do the nodes of the command line for a cluster that neither the file nor its jobs tell of', { tags: 'long' }, async () => {
  const at = world({ 'e.yaml': 'policies: [fifo]\nseeds: 1\n' })
  expect((await own(['compare', 'e.yaml', '--trace', 'log.txt', '--nodes', '3'], at)).out).toContain('3 jobs on 3 nodes, each 4 map + 2 reduce')
  expect((await own(['compare', 'e.yaml', '--trace', 'log.txt'], at)).err).toContain('cluster: is missing, and the workload is meant for none.')
})
