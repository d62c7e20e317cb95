import { chmodSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { experimentSchema } from '../src/experiment/schema.js'
import { directory, experiment, sched, small, trace } from './sched.js'

const EXPERIMENT_KEYS = Object.keys(experimentSchema.shape).join(', ')
const line = (number: number, text: string) => experiment.replace(experiment.split('\n')[number - 1] ?? '', text)

/** What `sched compare` on this experiment file answers; it must end with exit code 2, one line and nothing printed. */
async function answer(yaml: string, files: Readonly<Record<string, string>> = {}, ...args: string[]): Promise<string> {
  const cwd = small({ 'small.yaml': yaml, ...files })
  const before = readdirSync(cwd)
  const { code, out, err } = await sched(['compare', 'small.yaml', ...args], { cwd })
  expect({ code, out, files: readdirSync(cwd) }, err).toEqual({ code: 2, out: '', files: before })
  expect(err.trimEnd().split('\n')).toHaveLength(1)
  return err.trimEnd().replaceAll(`${cwd}/`, '')
}

describe('an experiment file with a mistake', () => {
  it.each([
    ['an unknown key', line(2, 'seedz: 3'), `"small.yaml" line 2 column 1 seedz: unknown key "seedz". Did you mean "seed"? Known: ${EXPERIMENT_KEYS}.`],
    ['an unknown key of the cluster', line(3, 'cluster: { nodes: 4, rack: 2, slots: { map: 1 } }'), '"small.yaml" line 3 column 22 cluster.rack: unknown key "rack". Did you mean "racks"? Known: name, nodes, racks, slots, resources, '],
    ['one of several, which something else has, too', line(3, 'cluster: { nodes: [{ count: 4, resource: { cpu: 4 } }] }'), '"small.yaml" line 3 column 32 cluster.nodes[0].resource: unknown key "resource". Did you mean "resources" or "cluster.nodes[0].power.resource"? Known: name'],
    ['a key of the workload at the top', line(2, 'trace: log.swf'), `"small.yaml" line 2 column 1 trace: unknown key "trace". Did you mean "workload.trace"? Known: ${EXPERIMENT_KEYS}.`],
    ['a key of the top in the workload', line(4, 'workload: { generate: facebook, until: 9 }'), '"small.yaml" line 4 column 33 workload.until: unknown key "until". Did you mean "until" further out? Known: trace, '],
    ['another word for a trace', line(4, 'workload: { file: log.swf }'), '"small.yaml" line 4 column 13 workload.file: unknown key "file". A trace is named by trace: log.swf. Known: trace, '],
    ['a name for the workload', line(4, 'workload: facebook'), '"small.yaml" line 4 column 1 workload: found "facebook", expected a mapping. Its keys are trace, '],
    ['names for a list', line(5, 'policies: fifo, fair').replace(/ {2}- .*\n?/g, ''), '"small.yaml" line 5 column 1 policies: found "fifo, fair", expected a list. Write it as a list: [fifo, fair].'],
    ['a cluster that cannot be', line(3, 'cluster: { nodes: 4, racks: 5, slots: { map: 1 } }'), '"small.yaml" line 3 column 22 cluster.racks: 5 racks for 4 nodes. Use at most one rack per node.'],
    ['slots and resources', line(3, 'cluster: { nodes: 4, slots: { map: 1 }, resources: { cpu: 1 } }'), '"small.yaml" line 3 column 12 cluster.nodes: a cluster has either slots or resources, not both. Describe slots as resources with one name each.'],
    ['a text for a number', line(2, 'seeds: three'), '"small.yaml" line 2 column 1 seeds: found "three", expected a number.'],
    ['no seeds', line(2, 'seeds: 0'), '"small.yaml" line 2 column 1 seeds: found 0, expected at least 1.'],
    ['no workload', line(4, ''), '"small.yaml" line 1 column 1 workload: is missing, expected a mapping.'],
    ['an empty workload', line(4, 'workload: {}'), '"small.yaml" line 4 column 1 workload: needs either `trace` or `generate`. For example `trace: jobs.tsv` or `generate: facebook`; or else `distributions` or `google`.'],
    ['two workloads', line(4, 'workload: { trace: jobs.jsonl, generate: facebook }'), '"small.yaml" line 4 column 1 workload: needs either `trace` or `generate`. For example `trace: jobs.tsv` or `generate: facebook`; or else `distributions` or `google`.'],
    ['a closed loop that is to be another load', line(4, 'workload: { generate: sensitivity, load: 2 }'), '"small.yaml" line 4 column 36 workload.load: workload "sensitivity 4 maps" is a closed loop, its submit times follow the run. Only open workloads'],
    ['an unknown generator', line(4, 'workload: { generate: facebok }'), '"small.yaml" line 4 column 13 workload.generate: no generator is called "facebok". Did you mean "facebook"? Known: facebook, '],
    ['a wrong option of a generator', line(4, 'workload:\n  generate:\n    facebook:\n      kind: oi'), '"small.yaml" line 7 column 7 workload.generate.facebook.kind: found "oi", expected "io" or "cpu". Did you mean "io"?'],
    ['an unknown policy', line(6, '  - fifi'), '"small.yaml" line 6 column 5 policies[0]: no policy is called "fifi". Did you mean "fifo"? Known: '],
    ['an unknown option of a policy', line(7, '  - delay: { nod: 5 }'), '"small.yaml" line 7 column 14 policies[1].delay.nod: unknown key "nod". Did you mean "node"? Known: node, rack, waits, resetOnLaunch.'],
    ['a wrong option of a policy', line(7, '  - delay: { node: -5 }'), '"small.yaml" line 7 column 14 policies[1].delay.node: found -5, expected at least 0.'],
    ['a wrong option of the order in a policy', line(7, '  - delay:\n      order:\n        fair:\n          pools:\n            ads: { weigth: 2 }'), '"small.yaml" line 11 column 20 policies[1].delay.order.fair.pools.ads.weigth: unknown key "weigth". Did you mean "weight"? Known: '],
    ['a wrong option of a named policy', line(7, '  - { name: slow, policy: { delay: { node: soon } } }'), '"small.yaml" line 7 column 38 policies[1].policy.delay.node: found "soon", expected a number or "auto".'],
    ['two policies in one entry', line(7, '  - { fifo: {}, fair: {} }'), '"small.yaml" line 7 column 5 policies[1]: expected the name of one policy, found {"fifo":{},"fair":{}}. Write `policy: name` or `policy: { name: { options } }`.'],
    ['options beside a named policy', line(7, '  - { name: x, policy: fair, delay: { node: 5 } }'), '"small.yaml" line 7 column 30 policies[1].delay: unknown key "delay". Known: name, policy, schedulers. Options stand inside `policy`.'],
    ['the same policy twice', line(7, '  - fifo'), '"small.yaml" line 7 column 5 policies[1]: two policies are called "fifo". Write `{ name: ..., policy: ... }` to tell them apart.'],
    ['no policy', experiment.replace(/policies:[^]*/, ''), '"small.yaml" line 1 column 1 policies: names no policy. For example `policies: [fifo, naive-fair, delay]`.'],
    ['a minimum share of slots that the cluster has not', line(7, '  - fair: { pools: { ads: { minShare: { gpu: 1 } } } }'), '"small.yaml" line 7 column 29 pools.ads.minShare: the cluster has no slots of type "gpu". Known: map.'],
    ['an unknown architecture', `${experiment}architecture: mono\n`, '"small.yaml" line 8 column 1 architecture: no architecture is called "mono". '],
    ['a jitter above 1', `${experiment}runtime: { jitter: 1 }\n`, '"small.yaml" line 8 column 12 runtime.jitter: found 1, expected less than 1.'],
    ['a plug-in that is not there', `${experiment}plugins: [./none.js]\n`, '"small.yaml" line 8 column 11: cannot load the plug-in "./none.js": '],
    ['a tab for indentation', line(6, '\t- fifo'), '"small.yaml" line 6 column 1: Tabs are not allowed as indentation. Indent with blanks.'],
    ['nothing in it', '', '"small.yaml": is empty. Is it the right file, and whole?'],
    ['a list', '- fifo\n', '"small.yaml" line 1 column 1: found ["fifo"], expected a mapping.'],
  ])('%s: line, column and the way out', async (_, yaml, message) => {
    expect(await answer(yaml)).toContain(`error: ${message}`)
  })

  it('is told in the file of the cluster, where that is one of its own', async () => {
    const yaml = line(3, 'cluster: other.yaml')
    expect(await answer(yaml, { 'other.yaml': 'nodes: 4\nslot: { map: 1 }\n' })).toContain(
      'error: "other.yaml" line 2 column 1 slot: unknown key "slot". Did you mean "slots"? Known: name, nodes, racks, slots, resources, ',
    )
    expect(await answer(yaml, { 'other.yaml': 'nodes: 4\nracks: 9\nslots: { map: 1 }\n' })).toBe('error: "other.yaml" line 2 column 1 racks: 9 racks for 4 nodes. Use at most one rack per node.')
    expect(await answer(yaml)).toBe('error: "other.yaml": cannot read: there is no such file. Check the path.')
  })

  it('is told in a queue file where what it says is nothing that its policy takes', async () => {
    const text = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\npodMaxBackoffSeconds: 10000000000000000\npodInitialBackoffSeconds: 10000000000000000\n'
    const yaml = experiment.slice(0, experiment.indexOf('policies:'))
    expect(await answer(`${yaml}queues: kube.yaml\n`, { 'kube.yaml': text })).toContain('error: "kube.yaml" policy.kube-scheduler.backoff.podInitialBackoffSeconds: found 10000000000000000, expected at most 9007199254740991.')
  })

  it('is told in the log where its machine is larger than any can be, unless the cluster is another', async () => {
    const log = '1 0 0 10 2147483647 -1 -1 2147483647 10 -1 1 1 1 1 1 1 -1 -1\n2 0 0 10 2 -1 -1 2 10 -1 1 1 1 1 1 1 -1 -1\n'
    const yaml = 'workload: { trace: big.swf }\npolicy: fifo\n'
    expect(await answer(yaml, { 'big.swf': log })).toContain('big.swf": its machine would have 2147483649 procs, more than 2147483647 (2147483649 procs: inferred, the log does not say how many: up to 2147483649 are recorded in use at once; give procs if that is wrong). Correct the log, or describe the cluster.')
    const cwd = small({ 'big.swf': log, 'small.yaml': `${yaml}cluster: { nodes: 1, resources: { procs: 2147483647 } }\n` })
    expect(await sched(['run', 'small.yaml', '--quiet'], { cwd })).toMatchObject({ code: 0 })
  })

  it('is told as the option of the command line that made it', async () => {
    expect(await answer(experiment, {}, '--policies', 'fifo,delya')).toContain('error: policies[1]: no policy is called "delya". Did you mean "delay"?')
    expect(await answer(experiment, {}, '--policies', '{')).toBe('error: --policies: found "{". Write for example `fifo,naive-fair,delay` or `fifo,{delay: {node: 5}}`.')
    expect(await answer(experiment, {}, '--checkpoint', '5')).toBe('error: --checkpoint: found "5". Write for example interval=3600,cost=60.')
    expect(await answer(experiment, {}, '--outages', 'mtbf=5,9')).toBe('error: --outages: found "mtbf=5,9". Write for example mtbf=604800,mttr=3600.')
    const inBraces = 'Write lists and fields of fields as in a file, all of it in braces: {name: {name: value}}.'
    for (const fields of ['resourcesTotal={cpu: 10}', 'expander=[price,random]']) expect(await answer(experiment, {}, '--autoscaler', fields)).toBe(`error: --autoscaler: found "${fields}". ${inBraces}`)
    expect(await answer(experiment, {}, '--seeds', '0')).toContain("error: option '--seeds <n>' argument '0' is invalid. Expected a whole number of at least 1.")
    expect(await answer(experiment, {}, '--cluster', 'small.yaml', '--nodes', '5')).toBe('error: --nodes: stands beside --cluster. Describe the cluster in the file, or by options.')
  })

  it('is taken where it is written out in braces, and told in the words of a file', async () => {
    expect(await answer(experiment, {}, '--cluster', '{nodes: 4, slot: {map: 1}}')).toMatch(/^error: (".*" )?cluster\.slot: unknown key "slot"\. Did you mean "slots"\? Known: /)
    expect(await answer(experiment, {}, '--nodes', '{nodes: 0, slots: {map: 1}}')).toMatch(/^error: (".*" )?cluster\.nodes: found 0, expected at least 1/)
    expect(await answer(experiment, {}, '--cluster', '{nodes: [4')).toContain('error: --cluster: ')
    expect(await answer(experiment, {}, '--checkpoint', '{intervall: 60}')).toMatch(/^error: (".*" )?checkpoint\.intervall: unknown key "intervall"\. Did you mean "interval"\?/)
  })

  it('is told to be put into a file where a file alone is taken', async () => {
    const wayOut = 'cannot read: there is no such file. It looks like what a file holds: write it into one, and give its path.'
    expect(await answer(experiment, {}, '--trace', '[{"id": "a", "submit": 0}]')).toBe(`error: "[{"id": "a", "submit": 0}]": ${wayOut}`)
    expect(await answer(experiment, {}, '--queues', '<allocations/>')).toBe(`error: "<allocations/>": ${wayOut}`)
    expect(await answer(experiment, {}, '--queues', `{"queues": "${'x'.repeat(300)}"}`)).toContain('cannot read: the name is too long. It looks like what a file holds: write it into one, and give its path.')
    expect((await sched(['run', '{policy: fifo}'], { cwd: small() })).err).toContain(wayOut)
    for (const [option, instead] of [['--workload', 'Jobs are those of --trace FILE or --generate KIND.'], ['--devices', "Nodes with devices are described as --cluster '{nodes: 4, resources: {cpu: 64}, devices: {gpu: 8}}'."]] as const)
      expect((await sched(['run', option, '{}'], { cwd: small() })).err).toBe(`error: unknown option '${option}'\n${instead} Add --help to see what there is.\n`)
  })

  it('refuses a task larger than every node', async () => {
    const wide = trace.replace('"demand":{"map":1},"duration":4', '"demand":{"map":2},"duration":4')
    expect(await answer(experiment, { 'jobs.jsonl': wide })).toMatch(/^error: ".*jobs.jsonl" line 3: a task of job b asks /)
    expect((await answer(experiment, { 'jobs.jsonl': wide })).replace(/".*" line 3: /, '')).toBe(
      'error: a task of job b asks {"map":2}, more than any node of cluster has. Use larger nodes. Or leave such jobs out with `infeasible: reject`.',
    )
  })

  it('refuses a task that asks for what no node has', async () => {
    expect(await answer(experiment, { 'jobs.jsonl': trace.replaceAll('"demand":{"map":1}', '"demand":{"gpu":1}') })).toBe(
      'error: demand of job a: the cluster has no resource "gpu"; it has map. Give its nodes that kind of slot or resource, for example with --resources, or with a description of the cluster or a list of machines (--cluster, --nodes).',
    )
  })

  it('names the policy whose pools the jobs do not fit', async () => {
    const pools = line(7, '  - fair: { pools: { ann: { pools: { x: {} } } } }')
    expect(await answer(pools)).toMatch(/^error: "small.yaml" line 7 column 5 queue: .*"ann"/)
  })

  it('names the method that a plug-in lacks', async () => {
    const cwd = small({ 'mine.mjs': "export default { kind: 'order', name: 'mine', create: () => ({ begin() {} }) }\n" })
    expect(await sched(['run', 'small.yaml', '--plugin', './mine.mjs', '--policy', 'mine'], { cwd })).toEqual({
      code: 1, out: '', err: 'error: what create() of the order "mine" returns has no method "next". Every order has begin() and next().\n',
    })
  })

  it('names an order whose lists never end, or hold no blocks', { tags: 'long' }, async () => {
    const told = async (next: string) => {
      const create = `() => { const jobs = []; return { onReady(job) { jobs.push(job) }, onDrained(job) { jobs.splice(jobs.indexOf(job), 1) }, begin() {}, next: () => (${next}) } }`
      const cwd = small({ 'mine.mjs': `export default { kind: 'order', name: 'mine', create: ${create} }\n` })
      return (await sched(['run', 'small.yaml', '--plugin', './mine.mjs', '--policy', '{greedy: {order: mine}}', '--heartbeat', '0'], { cwd })).err
    }
    const wayOut = 'Let it return { ids, from, to }, and undefined at the end of the list.\n'
    expect(await told('{ ids: Int32Array.from(jobs), from: 0, to: jobs.length }')).toBe(`error: next() of the order "mine" went on for more than 1000000 jobs in one listing. ${wayOut}`)
    expect(await told('{ ids: Int32Array.from(jobs), from: 0, to: 0 }')).toBe(`error: next() of the order "mine" went on for more than 1000000 jobs in one listing. ${wayOut}`)
    expect(await told('jobs')).toBe(`error: next() of the order "mine" returned [0], which is no block of jobs. ${wayOut}`)
    expect(await told('null')).toBe(`error: next() of the order "mine" returned null, which is no block of jobs. ${wayOut}`)
  })

  it('names what a plain object lacks to be a plug-in', async () => {
    const told = async (object: string) =>
      (await sched(['run', 'small.yaml', '--plugin', './mine.mjs'], { cwd: small({ 'mine.mjs': `export default ${object}\n` }) })).err
    expect(await told("{ kind: 'ordr', name: 'mine', create: () => ({}) }")).toMatch(/^error: "\.\/mine\.mjs" exports a plug-in of kind "ordr"\. Did you mean "order"\? Known: .*policy/)
    expect(await told("{ kind: 'order', create: () => ({}) }")).toBe('error: "./mine.mjs" exports a plug-in of kind "order" without a `name`. A plain object has kind, name and create.\n')
    expect(await told("{ kind: 'order', name: 'mine' }")).toContain('without a function `create`')
  })

  it('names the plug-in that is none', async () => {
    expect(await answer(`${experiment}plugins: [./mine.mjs]\n`, { 'mine.mjs': 'export default 5\n' })).toBe(
      'error: "small.yaml" line 8 column 11: "./mine.mjs" has no plug-in as its default export. Export what definePolicy() or one of its kind returns.',
    )
  })
})

describe('a file that is not what it should be', () => {
  const answerTo = async (name: string, content: string | Uint8Array, args = ['trace', 'describe']) => {
    const cwd = directory({ [name]: content })
    const { code, out, err } = await sched([...args, name], { cwd })
    expect({ code, out }, err).toEqual({ code: 2, out: '' })
    return err.replaceAll(`${cwd}/`, '')
  }
  const jobs = trace.split('\n')
  const swim = 'job0\t0\t0\t100\t0\t100\njob1\t5\t5\t100\t0\t100\n'

  it.each([
    ['an empty trace', '', '"t": is empty. A trace has at least one job.\n'],
    ['an experiment', `# mine\n${experiment}`, '"t": is an experiment, not a trace. Run it with `sched compare FILE`.\n'],
    ['a binary file', new Uint8Array([1, 2, 0, 4]), '"t": looks like a binary file, not like a trace. Is it the right file?\n'],
    ['text of another kind', 'once upon a time\n', '"t": looks like text without columns, which is no trace format known here. '],
    ['a truncated line', trace.slice(0, -40), '"t" line 4: is not JSON; it ends in '],
    ['a truncated file', jobs.slice(0, 3).join('\n'), '"t" line 3 jobs: the header announces 3 jobs, 2 lines follow.'],
    ['a wrong number of columns', `${swim}job2\t6\t1\t100\n`, '"t" line 3: found 4 tab-separated columns, expected 6 '],
    ['a negative number', swim.replace('100\t0\t100\njob1', '-100\t0\t100\njob1'), '"t" line 1 map input bytes: '],
    ['something that is no number', swim.replace('5\t5', 'NaN\t5'), '"t" line 2 submit time: '],
    ['a huge number', swim.replace('5\t5', '1e400\t5'), '"t" line 2 submit time: '],
    ['times going backwards', `${swim}job2\t1\t1\t100\t0\t100\n`, '"t" line 3 submit: submitted at 1 s, before the job above it (5 s).'],
    ['a job id twice', `${swim}job1\t6\t1\t100\t0\t100\n`, '"t" line 3 id: job id "job1" was used before.'],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from(jobs.slice(0, 2).join('\n')), Buffer.from([10, 0x7b, 0x22, 0xff, 0x22])]), '"t" line 3: is not UTF-8.'],
    ['a gzip cut short', gzipSync(Buffer.from(trace)).subarray(0, 60), '"t": cannot read: the gzip data is cut short. Copy the file again.\n'],
  ])('%s is named with its place', async (_, content, message) => {
    expect(await answerTo('t', content)).toContain(`error: ${message}`)
  })

  it.each([
    ['no processors', ['--procs', '0'], "'--procs <n>' argument '0' is invalid. Expected a whole number of at least 1."],
    ['no nodes', ['--nodes', '0'], "'--nodes <n>' argument '0' is invalid. Expected a whole number of at least 1, or a file."],
    ['fewer nodes than none', ['--nodes', '-1'], "'--nodes <n>' argument '-1' is invalid. Expected a whole number of at least 1, or a file."],
    ['a number of nodes that is not whole', ['--nodes', '1e-3'], "'--nodes <n>' argument '1e-3' is invalid. Expected a whole number of at least 1, or a file."],
    ['nodes of no name', ['--nodes', ''], "'--nodes <n>' argument '' is invalid. Expected a whole number of at least 1, or a file."],
    ['more jobs than can be counted', ['--take', '9'.repeat(17)], `'--take <n>' argument '${'9'.repeat(17)}' is invalid. Expected a whole number of at least 1.`],
    ['an option of the format without a value', ['--option', 'overrun='], "'--option <key=value>' argument 'overrun=' is invalid. The value is empty."],
    ['an option of the format twice', ['--option', 'overrun=keep', '--option', 'overrun=kill'], `'--option <key=value>' argument 'overrun=kill' is invalid. "overrun" is there twice.`],
    ['a place without a name', ['--out', ''], "option '--out <dir>' argument '' is invalid. Expected a name; a variable of the shell may be unset."],
    ['an option that is none', ['--frobnicate'], "error: unknown option '--frobnicate'\nAdd --help to see what there is."],
    ['two queue files for one run', ['--queues', 'a.xml,b.xml'], '--queues: found 2 queue files. Give one, or compare them with `sched compare`.'],
  ])('%s: the option is named', async (_, options, message) => {
    const { err, code } = await sched(['run', '--trace', 't', ...options], { cwd: directory({ t: trace, 'a.xml': '<allocations/>', 'b.xml': '<allocations/>' }) })
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) as string })
  })

  it.each([['run'], ['init'], ['report'], ['trace', 'describe'], ['queues', 'show']])('a file without a name is not this directory: %s %s', async (...command: string[]) => {
    expect((await sched([...command, ''])).err).toMatch(/^error: argument '(experiment|file|directory)' is empty\. Expected a name; a variable of the shell may be unset\.\n/)
  })

  it('numbers of seeds that are none or too many end in one line, also in the demonstration', async () => {
    const said = async (seeds: string) => (await sched(['demo', '--seeds', seeds])).err.trimEnd()
    expect(await said('0')).toContain('Expected a whole number of at least 1.')
    expect(await said('10001')).toBe('error: seeds: found 10001, expected at most 10000. "seeds" stands for number of seeds that policies are compared on: seed, seed + 1, ...; default 5; 1 for a log of rigid jobs, where nothing is drawn.')
  })

  it('is named when it is an experiment that should be a trace, or the other way round', async () => {
    for (const text of ['<?xml version="1.0"?>\n<!-- ours -->\n<allocations/>', '<configuration/>', 'NodeName=n1\n'])
      expect(await answerTo('q', text, ['compare'])).toBe('error: "q": is a queue file, not an experiment. Use `--queues q`.\n')
    expect(await answerTo('t', trace, ['compare'])).toBe('error: "t": is a trace (native workload (JSON Lines, version 1)), not an experiment. Use `--trace t`.\n')
    expect(await answerTo('t', experiment)).toBe('error: "t": is an experiment, not a trace. Run it with `sched compare FILE`.\n')
    expect(await answerTo('t', new Uint8Array([0x66, 0xff, 0x0a]), ['run'])).toBe('error: "t": is not text in UTF-8. Save it as UTF-8.\n')
    expect(await answerTo('t', 'a\0b', ['run'])).toBe('error: "t": is a binary file. Is it the right file?\n')
    for (const [order, bytes] of [['', Buffer.from('\uFEFFname: x\nseeds: 1\n', 'utf16le')], ['LE', Buffer.from('name: x\nseeds: 1\n', 'utf16le')], ['BE', Buffer.from('name: x\nseeds: 1\n', 'utf16le').swap16()]] as const)
      expect(await answerTo('t', bytes, ['run'])).toBe(`error: "t": is UTF-16 text. Save it as UTF-8: iconv -f UTF-16${order} -t UTF-8 FILE > NEW.\n`)
  })

  it('is named when it is a directory, is missing or may not be read', async () => {
    const cwd = directory({ 'locked.yaml': experiment, 'locked.jsonl': trace, 'dir/x': '', 'results/experiment.yaml': experiment })
    const of = async (...args: string[]) => (await sched(args, { cwd })).err.replaceAll(`${cwd}/`, '')
    expect(await of('compare', 'dir')).toBe('error: "dir": cannot read: is a directory. Give the path of a file in it.\n')
    expect(await of('run', 'results')).toBe('error: "results": cannot read: is a directory. The experiment of these results is results/experiment.yaml.\n')
    expect(await of('trace', 'describe', 'dir')).toBe('error: "dir": cannot read: is a directory. Give the path of a file in it.\n')
    expect(await of('compare', 'none.yaml')).toBe('error: "none.yaml": cannot read: there is no such file. Check the path.\n')
    expect(await of('compare', '--trace', 'none.tsv')).toBe('error: "none.tsv": cannot read: there is no such file. Check the path.\n')
    chmodSync(join(cwd, 'locked.yaml'), 0)
    chmodSync(join(cwd, 'locked.jsonl'), 0)
    chmodSync(cwd, 0o755)
    await asNobody(async () => {
      expect(await of('run', 'locked.yaml')).toBe('error: "locked.yaml": cannot read: no permission. Change the permissions of the file or choose another one.\n')
      expect(await of('run', '--trace', 'locked.jsonl')).toBe('error: "locked.jsonl": cannot read: no permission. Change the permissions of the file or choose another one.\n')
    })
  })
})

describe('a command line with a mistake', () => {
  it.each([
    [['comapre'], "error: unknown command 'comapre'\n(Did you mean compare?)\n"],
    [['compare', '--json', '--quiet'], "error: option '--json <file>' argument missing\n"],
    [['compare', '--polices', 'fifo'], "error: unknown option '--polices'\n(Did you mean --policies?)\n"],
    [['compare', 'a', 'b'], "error: too many arguments for 'compare'. Expected 1 argument but got 2.\n"],
    [['compare'], 'error: no experiment. Give an experiment file (`sched init` writes one), or `--trace FILE` or `--generate KIND`.\n'],
    [['compare', '--generate', 'facebook', '--nodes', 'ten'], "/ten\": cannot read: there is no such file. Check the path.\n"],
    [['compare', '--generate', 'facebook', '--slots', 'map'], "error: option '--slots <list>' argument 'map' is invalid. Expected names and whole numbers, for example map=4,reduce=2.\n"],
    [['compare', '--generate', 'facebook', '--load', '-1'], "error: option '--load <factor>' argument '-1' is invalid. Expected a number above 0.\n"],
    [['compare', '--generate', 'facebook', '--window', '5'], "error: option '--window <from:to>' argument '5' is invalid. Expected two numbers of seconds, for example 0:3600.\n"],
    [['compare', '--generate', 'facebook', '--json', '-', '--csv', '-'], 'error: --json and --csv: both go to standard output. Give one of them a file name.\n'],
    [['compare', '--generate', '{facebook: 1}'], 'error: workload.generate: expected the name of one generator. Write `generate: facebook` or `generate: { facebook: { kind: cpu } }`.\n'],
    [['run', '--generate', 'facebook', '--policy', 'fifo,fair'], 'error: --policy: found 2 policies. Give one, or compare them with `sched compare`.\n'],
    [['trace', 'generate', 'facebok', 'x'], 'error: no generator is called "facebok". Did you mean "facebook"? Known: facebook, '],
    [['trace', 'generate', '{facebok: {}}', 'x'], 'error: no generator is called "facebok". Did you mean "facebook"? Known: facebook, '],
    [['trace', 'generate', '{facebook: {kind: oi}}', 'x'], 'error: facebook.kind: found "oi", expected "io" or "cpu". Did you mean "io"?\n'],
    [['trace', 'generate', '{facebook: 1}', 'x'], 'error: expected the name of one generator. Write `generate: facebook` or '],
    [['trace', 'generate', '{facebook', 'x'], "argument value '{facebook' is invalid for argument 'kind'. "],
    [['trace', 'generate', 'facebook', '--kind', 'oi', 'x'], 'error: facebook.kind: found "oi", expected "io" or "cpu". Did you mean "io"?\n'],
    [['trace', 'generate', 'sensitivity', 'x'], 'error: "sensitivity" submits a job whenever one ends, so its times depend on the run. A file cannot hold it; generate it inside an experiment.\n'],
    [['policies', 'fifi'], 'error: nothing is called "fifi". Did you mean "fifo"? Known: '],
    [['run', '--generate', 'poisson-jobs', '--policy', '{delay: {node: -1}}'], 'error: policy.delay.node: found -1, expected at least 0. "node" stands for W1: seconds a job waits for a node with its data; auto: 1.5 heartbeat intervals, at most 15 s. Leave it out for "auto".\n'],
    [['run', '--generate', 'poisson-jobs', '--policy', '{name: a, policy: fifo, oder: fair}'], 'error: policy.oder: unknown key "oder".'],
    [['schema', 'policy'], "error: command-argument value 'policy' is invalid for argument 'of'. Allowed choices are experiment, cluster, machines, workload.\n"],
  ])('%j is answered with exit code 2', async (args, message) => {
    const { code, out, err } = await sched(args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(message)
  })

  it('prints help on standard error when there is no command', async () => {
    const { code, out, err } = await sched([])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('Usage: sched')
  })
})

/** Runs without the rights of a superuser, who may read everything. */
async function asNobody(run: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return run()
  process.seteuid?.(65_534)
  try {
    await run()
  } finally {
    process.seteuid?.(0)
  }
}

