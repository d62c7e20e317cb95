import type { Summary } from '@sched/metrics'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OutputDirectory } from '../src/output/output-directory.js'
import { outputFile } from '../src/output/output-file.js'
import { fileNameOf } from '../src/output/run-parts.js'
import type { Io } from '../src/io.js'
import { version } from '../src/version.js'
import { directory, experiment, sched, small, trace } from './sched.js'

const files = (cwd: string) => readdirSync(cwd).sort()
const read = (...path: string[]) => readFileSync(join(...path), 'utf8')

describe('--out', () => {
  it('writes a directory with the summary, the table, the jobs of each policy and the experiment', async () => {
    const cwd = small()
    expect((await sched(['compare', 'small.yaml', '--out', 'results'], { cwd })).code).toBe(0)
    expect(files(join(cwd, 'results'))).toEqual(['experiment.yaml', 'jobs-delay-node-5.csv', 'jobs-fifo.csv', 'summary.json', 'table.csv'])
    const [heading, ...jobs] = read(cwd, 'results/jobs-fifo.csv').trimEnd().split('\n')
    expect(heading).toBe('seed,id,label,user,queue,submit,start,end,wait,response,tasks,map_seconds')
    expect(jobs).toHaveLength(9) // 3 jobs on 3 seeds
    const { runs } = JSON.parse(read(cwd, 'results/summary.json')) as { runs: { policy: string; summary: Summary }[] }
    const busy = runs.filter(({ policy }) => policy === 'fifo').reduce((sum, { summary }) => sum + (summary.utilisation.resources[0]?.busy ?? NaN), 0)
    expect(jobs.reduce((sum, job) => sum + Number(job.split(',').at(-1)), 0)).toBeCloseTo(busy, 6)
    for (const [, , label, , , submit, start, end, wait, response] of jobs.map((job) => job.split(','))) {
      expect(['large', 'small']).toContain(label)
      expect(Number(start) - Number(submit)).toBeCloseTo(Number(wait), 9)
      expect(Number(end) - Number(submit)).toBeCloseTo(Number(response), 9)
    }
  })

  it('holds the experiment as it ran: running that again gives the same files', async () => {
    for (const seed of [['--seed', '4'], []]) {
      const cwd = small()
      await sched(['compare', 'small.yaml', ...seed, '--policies', 'fifo,{delay: {node: 1}}', '--out', 'deep'], { cwd })
      expect((await sched(['compare', 'deep/experiment.yaml', '--out', 'again'], { cwd })).code).toBe(0)
      expect(read(cwd, 'deep/experiment.yaml')).toMatch(`# As run by sched ${version}; paths are relative to this file.\n`)
      for (const name of files(join(cwd, 'deep'))) expect(read(cwd, 'again', name), name).toBe(read(cwd, 'deep', name).replace('../deep', '../again'))
    }
  })

  it('names queue files and those of a matrix from where the experiment lies', async () => {
    const cwd = small({
      'q.xml': '<allocations/>', 'p.xml': '<allocations><queue name="x"/></allocations>', 'site.xml': '<configuration/>', 'c.yaml': 'nodes: 2\nslots: { map: 1 }\n',
      'matrix.yaml': 'workload: { trace: jobs.jsonl }\ncluster: { nodes: 2, slots: { map: 1 } }\npolicies: [fifo]\nseeds: 1\nmatrix: { cluster: [c.yaml], settings: { few: { workload.trace: jobs.jsonl } } }\n',
    })
    expect((await sched(['compare', 'small.yaml', '--queues', 'q.xml,p.xml', '--yarn-site', 'site.xml', '--seeds', '1', '--out', 'r'], { cwd })).code).toBe(0)
    expect((await sched(['compare', 'r/experiment.yaml'], { cwd })).code).toBe(0)
    expect((await sched(['sweep', 'matrix.yaml', '--out', 's'], { cwd })).code).toBe(0)
    expect(await sched(['sweep', 's/experiment.yaml'], { cwd })).toMatchObject({ code: 0, err: '' })
  })

  it('takes another name where something else has taken its own meanwhile, as another run does, and loses nothing', () => {
    const cwd = small({ 's-2/x': '' })
    const [plain, forced, second] = [new OutputDirectory('r', cwd, false), new OutputDirectory('f', cwd, true), new OutputDirectory('s', cwd, true)]
    for (const { place } of [plain, forced, second]) writeFileSync(join(place, 'summary.json'), 'ours')
    for (const name of ['r', 'f', 's']) mkdirSync(join(cwd, name))
    writeFileSync(join(cwd, 'r/summary.json'), 'theirs')
    writeFileSync(join(cwd, 'f/summary.json'), 'theirs')
    writeFileSync(join(cwd, 's/thesis.tex'), '')
    expect(() => plain.complete()).toThrow('"r": was written by something else while this ran. This is in "r-2"; give runs at the same time names of their own.')
    forced.complete()
    expect(() => second.complete()).toThrow('This is in "s-3"')
    expect(['r/summary.json', 'r-2/summary.json', 'f/summary.json', 's-3/summary.json'].map((path) => read(cwd, path))).toEqual(['theirs', 'ours', 'ours', 'ours'])
    expect(files(join(cwd, 's'))).toEqual(['thesis.tex'])
  })

  it('refuses an existing directory, and replaces only results and only by force', async () => {
    const cwd = small()
    const out = (...args: string[]) => sched(['compare', 'small.yaml', '--seeds', '1', ...args], { cwd })
    expect((await out('--out', 'r')).code).toBe(0)
    expect(await out('--out', 'r')).toMatchObject({ code: 2, out: '', err: 'error: "r": exists already. Choose another name, or replace it with --force.\n' })
    writeFileSync(join(cwd, 'r/table.csv'), 'old')
    expect((await out('--out', 'r', '--force')).code).toBe(0)
    expect(read(cwd, 'r/table.csv')).not.toBe('old')
    mkdirSync(join(cwd, 'precious'))
    writeFileSync(join(cwd, 'precious/thesis.tex'), '')
    expect(await out('--out', 'precious', '--force')).toMatchObject({
      code: 2, err: 'error: "precious": holds files but no summary.json, so it is not a result that --force may replace. Choose another name.\n',
    })
    expect(await out('--out', 'precious/thesis.tex', '--force')).toMatchObject({ code: 2, err: 'error: "precious/thesis.tex": is not a directory. Choose another name.\n' })
    expect(files(cwd)).toEqual(['jobs.jsonl', 'precious', 'r', 'small.yaml'])
  })

  it('leaves nothing when a run fails or is interrupted', async () => {
    const cwd = small()
    const wide = read(cwd, 'jobs.jsonl').replace(/("id":"c".*"map":)1/, '$12')
    writeFileSync(join(cwd, 'jobs.jsonl'), wide)
    expect((await sched(['compare', 'small.yaml', '--out', 'r', '--json', 'r.json'], { cwd })).code).toBe(2)
    expect(files(cwd)).toEqual(['jobs.jsonl', 'small.yaml'])
    const stop = new AbortController()
    stop.abort()
    const long = ['compare', '--generate', 'facebook', '--out', 'r', '--csv', 'r.csv']
    expect(await sched(long, { cwd, signal: stop.signal })).toEqual({ code: 130, out: '', err: 'Interrupted; nothing was written.\n' })
    expect(files(cwd)).toEqual(['jobs.jsonl', 'small.yaml'])
  })

  it('fails at once, before any run, where it could not write', async () => {
    const cwd = small()
    expect(await sched(['compare', 'small.yaml', '--out', 'no/where'], { cwd })).toMatchObject({ code: 2, err: 'error: "no/where": cannot write: there is no such directory. Make it, or check the path.\n' })
  })

  it('gives policies files of their own whatever their names', () => {
    const policies = ['fifo', 'delay(node=5)', 'delay node 5', '../../x', '?']
    expect(policies.map((policy) => fileNameOf('jobs', policy, policies, '.csv'))).toEqual(['jobs-fifo.csv', 'jobs-delay-node-5-1.csv', 'jobs-delay-node-5-2.csv', 'jobs-..-..-x.csv', 'jobs-policy.csv'])
  })
})

describe('--json and --csv', () => {
  it('write files, and the text still is printed', async () => {
    const cwd = small()
    const { code, out } = await sched(['compare', 'small.yaml', '--json', 'r.json', '--csv', 'r.csv'], { cwd })
    expect({ code, printed: out.startsWith('small: 3 jobs') }).toEqual({ code: 0, printed: true })
    expect(files(cwd)).toEqual(['jobs.jsonl', 'r.csv', 'r.json', 'small.yaml'])
    const { table } = JSON.parse(read(cwd, 'r.json')) as { table: { key: string; cells: { mean: { mean: number } }[] }[] }
    const [heading, first] = read(cwd, 'r.csv').split('\n')
    expect(heading).toBe('class,figure,unit,policy,seeds,mean,low,high,difference,difference_low,difference_high')
    expect(first?.split(',').slice(0, 6)).toEqual(['all', 'response', 's', 'fifo', '3', String(table[0]?.cells[0]?.mean.mean)])
  })

  it('print instead of the text when the file is -', async () => {
    const cwd = small()
    expect((await sched(['compare', 'small.yaml', '--csv', '-'], { cwd })).out).toMatch(/^class,figure/)
    expect(JSON.parse((await sched(['run', 'small.yaml', '--json', '-'], { cwd })).out)).toMatchObject({ seeds: [1], policies: ['fifo'] })
  })

  it('have the use by queue where there are several queues, as the text of a run has', async () => {
    const task = (id: string, queue: string, cpu: number, seconds: number) => JSON.stringify({ id, submit: 0, queue, stages: [{ name: 'work', tasks: 1, demand: { cpu, mem: 1 }, duration: seconds }] })
    const cwd = directory({ 'jobs.jsonl': ['{"format":"sched-workload","version":1}', task('a', 'few', 1, 10), task('b', 'many', 3, 100), task('c', 'none', 9, 1)].join('\n') })
    const args = ['--trace', 'jobs.jsonl', '--nodes', '1', '--resources', 'cpu=4,mem=10', '--jitter', '0', '--infeasible', 'reject', '--csv', 'r.csv', '--html', 'r.html', '--force']
    const table = ['in use, by queue    cpu    mem', '----------------  -----  -----', 'many              75.0%  10.0%', 'few                2.5%   1.0%', ''].join('\n')
    const { out } = await sched(['run', ...args, '--policy', 'fifo', '--json', 'r.json'], { cwd })
    for (const text of [out, read(cwd, 'r.html')]) expect(text).toContain(table)
    const { runs } = JSON.parse(read(cwd, 'r.json')) as { runs: { summary: Summary }[] }
    expect(runs[0]?.summary.utilisation.queues).toEqual([{ queue: 'few', busy: [10, 10], utilisation: [0.025, 0.01] }, { queue: 'many', busy: [300, 100], utilisation: [0.75, 0.1] }])
    expect(read(cwd, 'r.csv').split('\n').filter((line) => line.includes('-by-queue'))).toEqual([
      'queue few,use-cpu-by-queue,fraction,fifo,1,0.025,,,,,', 'queue few,use-mem-by-queue,fraction,fifo,1,0.01,,,,,',
      'queue many,use-cpu-by-queue,fraction,fifo,1,0.75,,,,,', 'queue many,use-mem-by-queue,fraction,fifo,1,0.1,,,,,',
    ])
    // of two policies, on two seeds, a queue is one row; of one queue there is none
    const compared = (await sched(['compare', ...args, '--policies', 'fifo,fair', '--seeds', '2'], { cwd })).out
    const ofMem = ['Use of mem in %, by queue', '            fifo        fair', '----  ----------  ----------', 'many  10.0 ± 0.0  10.0 ± 0.0', 'few    1.0 ± 0.0   1.0 ± 0.0', ''].join('\n')
    for (const text of [compared, read(cwd, 'r.html')]) expect(text).toContain(ofMem)
    expect(read(cwd, 'r.csv')).toContain('queue many,use-cpu-by-queue,fraction,fair,2,0.75,0.75,0.75,0,0,0\n')
    writeFileSync(join(cwd, 'jobs.jsonl'), read(cwd, 'jobs.jsonl').replaceAll(/"queue":"\w+"/g, '"queue":"q"'))
    expect((await sched(['run', ...args, '--policy', 'fifo'], { cwd })).out).not.toContain('by queue')
    expect(read(cwd, 'r.csv')).not.toContain('by-queue')
  })

  it('name the version of sched first, as the summary of --out does, and no time, so that the same run writes the same bytes', async () => {
    const cwd = small({ 'sweep.yaml': `${experiment}matrix: { cluster.nodes: [2, 4] }\n` })
    for (const [name, ...args] of [['run', 'small.yaml', '--policy', 'fifo'], ['compare', 'small.yaml'], ['sweep', 'sweep.yaml']]) {
      const [first, second] = await Promise.all([1, 2].map(() => sched([name as string, ...args, '--json', '-'], { cwd })))
      expect(Object.entries(JSON.parse(first?.out ?? '') as object)[0], name).toEqual(['sched', version])
      expect(second?.out).toBe(first?.out)
      await sched([name as string, ...args, '--quiet', '--out', `of-${name}`], { cwd })
      expect(read(cwd, `of-${name}/summary.json`)).toBe(first?.out)
    }
    const { out } = await sched(['explain', 'small.yaml', '--json', '-'], { cwd })
    expect(Object.entries(JSON.parse(out) as object)[0]).toEqual(['sched', version])
  })

  it('take another name where something else has taken theirs meanwhile', async () => {
    const cwd = small()
    const io = { cwd } as Io
    const [plain, forced] = [outputFile('r.tar.gz', io, false), outputFile('f.csv', io, true)]
    for (const name of ['r.tar.gz', 'f.csv']) writeFileSync(join(cwd, name), 'theirs')
    expect(() => plain.write('ours')).toThrow('"r.tar.gz": was written by something else while this ran. This is in "r.tar-2.gz"')
    forced.write('ours')
    expect(['r.tar.gz', 'r.tar-2.gz', 'f.csv'].map((name) => read(cwd, name))).toEqual(['theirs', 'ours', 'ours'])
    const both = [['--csv', 'a.csv'], ['--csv', 'a.csv', '--json', 'a.json']].map((args) => sched(['compare', 'small.yaml', '--seeds', '2', '--quiet', ...args], { cwd }))
    const codes = (await Promise.all(both)).map(({ code }) => code)
    expect(codes.sort()).toEqual([0, 2])
    expect(files(cwd).filter((name) => name.startsWith('a'))).toEqual(['a-2.csv', 'a.csv', 'a.json'])
  })

  it('refuse an existing file unless forced, and a directory always', async () => {
    const cwd = small({ 'r.json': 'old', 'd/x': '' })
    const out = (...args: string[]) => sched(['compare', 'small.yaml', '--seeds', '1', ...args], { cwd })
    expect(await out('--json', 'r.json')).toMatchObject({ code: 2, out: '', err: 'error: "r.json": exists already. Choose another name, or replace it with --force.\n' })
    expect(read(cwd, 'r.json')).toBe('old')
    expect((await out('--json', 'r.json', '--force')).code).toBe(0)
    expect(read(cwd, 'r.json')).toMatch(/^\{\n/)
    expect(await out('--csv', 'd', '--force')).toMatchObject({ code: 2, err: 'error: "d": cannot write: is a directory. Give the path of a file in it.\n' })
    expect(await out('--json', 'a', '--csv', './a')).toMatchObject({ code: 2, err: 'error: --json and --csv: both go to "a". Give them different names.\n' })
    expect(await out('--csv', 'no/r.csv')).toMatchObject({ code: 2, err: 'error: "no/r.csv": cannot write: there is no such directory. Make it, or check the path.\n' })
  })

  it.each([
    ['compare small.yaml --force --csv jobs.jsonl', '"jobs.jsonl": is read by this command.'],
    ['compare small.yaml --json small.yaml', '"small.yaml": is read by this command.'],
    ['run small.yaml --force --html link.html', '"link.html": is read by this command.'],
    ['compare small.yaml --queues q.xml --force --csv q.xml', '"q.xml": is read by this command.'],
    ['compare --trace t.csv --mapping columns.yaml --force --json columns.yaml', '"columns.yaml": is read by this command.'],
    ['compare small.yaml --trace r/jobs.jsonl --out r --force', '"r": holds "jobs.jsonl", which this command reads.'],
    ['sweep matrix.yaml --force --csv c.yaml', '"c.yaml": is read by this command.'],
    ['explain small.yaml --force --json jobs.jsonl', '"jobs.jsonl": is read by this command.'],
    ['report r --force --html r/summary.json', '"r/summary.json": is read by this command.'],
    ['trace convert jobs.jsonl ./jobs.jsonl --force', '"./jobs.jsonl": is read by this command.'],
    ['weigh c.yaml --force --out c.yaml', '"c.yaml": is read by this command.'],
    ['compare small.yaml --cluster mapped.yaml --force --csv nodes.csv', '"nodes.csv": is read by this command.'],
    ['explain small.yaml --cluster mapped.yaml --force --json nodes.csv', '"nodes.csv": is read by this command.'],
    ['sweep machines.yaml --force --csv nodes.csv', '"nodes.csv": is read by this command.'],
    ['weigh mapped.yaml --force --out nodes.csv', '"nodes.csv": is read by this command.'],
    ['compare small.yaml --cluster mapped.yaml --force --json table.html', '"table.html": is read by this command.'],
    ['explain small.yaml --cluster slurm.conf --force --json nodes.conf', '"nodes.conf": is read by this command.'],
    ['explain small.yaml --cluster tree.conf --force --json topology.conf', '"topology.conf": is read by this command.'],
    ['explain small.yaml --cluster tree.conf --force --json topology.yaml', '"topology.yaml": is read by this command.'],
    ['compare small.yaml --queues q.xml --yarn-site site.xml --force --csv more.xml', '"more.xml": is read by this command.'],
    ['trace convert r r/jobs.jsonl --force', '"r/jobs.jsonl": is in "r", all of which this command reads.'],
    ['compare plugged.yaml --force --csv order/index.mjs', '"order/index.mjs": is read by this command.'],
  ])('never take the place of what is read: %s', async (args, fact) => {
    const cwd = small({
      'q.xml': '<allocations/>', 't.csv': 'when,secs\n0,5\n', 'columns.yaml': 'columns: { submit: when, duration: secs }\ndefaults: { demand: { map: 1 } }\n', 'r/jobs.jsonl': trace, 'r/summary.json': '{}', 'mapped.yaml': 'table: nodes.csv\nname: host\nresources: { map: cores }\n', 'nodes.csv': 'host,cores\na,2\n',
      'slurm.conf': 'Include nodes.conf\n', 'nodes.conf': 'NodeName=n[1-2] CPUs=2\n', 'tree.conf': 'NodeName=n[1-2] CPUs=2\nTopologyPlugin=topology/tree\n', 'topology.conf': 'SwitchName=s Nodes=n[1-2]\n', 'topology.yaml': '[{ topology: t, flat: true }]\n', 'site.xml': '<configuration><xi:include xmlns:xi="x" href="more.xml"/></configuration>', 'more.xml': '<configuration/>',
      'machines.yaml': 'workload: { trace: jobs.jsonl }\npolicies: [fifo]\nmatrix: { cluster: [c.yaml, mapped.yaml] }\n',
      'plugged.yaml': 'plugins: [./order]\nworkload: { trace: jobs.jsonl }\ncluster: { nodes: 2, slots: { map: 1 } }\npolicies: [fifo]\n', 'order/index.mjs': 'export default []', 'order/package.json': '{ "exports": "./index.mjs" }', 'c.yaml': 'nodes: 2\nslots: { map: 1 }\n',
      'matrix.yaml': 'workload: { trace: jobs.jsonl }\ncluster: { nodes: 2, slots: { map: 1 } }\npolicies: [fifo]\nmatrix: { cluster: [c.yaml] }\n',
    })
    symlinkSync('jobs.jsonl', join(cwd, 'link.html'))
    symlinkSync('nodes.csv', join(cwd, 'table.html'))
    const contents = () => files(cwd).map((name) => (['r', 'order'].includes(name) ? files(join(cwd, name)).map((each) => read(join(cwd, name), each)).join() : read(cwd, name)))
    const before = contents()
    expect(await sched(args.split(' '), { cwd })).toEqual({ code: 2, out: '', err: `error: ${fact} Choose another name for what it writes.\n` })
    expect(contents()).toEqual(before)
  })

  it('write through a link to the file behind it', async () => {
    const cwd = small({ 'r.json': 'old' })
    symlinkSync('r.json', join(cwd, 'link.json'))
    expect((await sched(['run', 'small.yaml', '--json', 'link.json', '--force'], { cwd })).code).toBe(0)
    expect(lstatSync(join(cwd, 'link.json')).isSymbolicLink()).toBe(true)
    expect(read(cwd, 'r.json')).toMatch(/^\{\n/)
  })

  it.skipIf(!existsSync('/dev/full'))('say when the disk is full', async () => {
    expect(await sched(['run', 'small.yaml', '--json', '/dev/full'], { cwd: small() })).toEqual({
      code: 2, out: '', err: 'error: "/dev/full": cannot write: the disk is full. Make room or choose another place.\n',
    })
  })
})

describe('--quiet', () => {
  it('prints nothing and still writes', async () => {
    const cwd = small()
    expect(await sched(['compare', 'small.yaml', '--quiet', '--csv', 'r.csv'], { cwd, tty: true })).toEqual({ code: 0, out: '', err: '' })
    expect(files(cwd)).toContain('r.csv')
  })
})

describe('progress', () => {
  it('is a bar on a terminal, with the run, the rate and the time left, and is gone at the end', async () => {
    const { err } = await sched(['compare', 'small.yaml'], { cwd: small(), tty: true })
    expect(err).toMatch(/0 of 6 runs: fifo, seed 1/)
    expect(err).toMatch(/\d+ tasks\/s/)
    expect(err).toContain('\u001B[?25h') // the cursor is back
  })

  it('makes way for what policies warn of as runs begin, which is said once', async () => {
    const args = ['compare', 'small.yaml', '--seeds', '2', '--policies', '{name: turns, policy: {gang-scheduling: {}}}']
    const [plain, bar] = [(await sched(args, { cwd: small() })).err, (await sched(args, { cwd: small(), tty: true })).err]
    expect(plain).toMatch(/^warning: turns: [^\n]*heartbeat[^\n]*\n$/)
    expect(bar.split(`\r\u001B[K${plain}`)).toHaveLength(2)
  })

  it('is silent anywhere else, and on a terminal that cannot', async () => {
    expect((await sched(['compare', 'small.yaml'], { cwd: small() })).err).toBe('')
    expect((await sched(['compare', 'small.yaml'], { cwd: small(), tty: true, env: { TERM: 'dumb' } })).err).toBe('')
  })
})
