import { SchedError } from '@sched/core'
import fc from 'fast-check'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { prepare } from '../src/experiment/experiment.js'
import { describeExperiment } from '../src/experiment/from-options.js'
import { directory, experiment, sched, small } from './sched.js'

const words = ['fifo', 'fair', 'delay', 'null', '~', '-1', '1e9', '.nan', '.inf', '{}', '[]', '{ a: b }', '&a', '*a', '<<', '"', "'", '|', '? ', ': ', '- ', '#', '\n', '\t', '  ', '\0', 'ü', '__proto__', 'constructor', 'toString', '0x10', '!!binary', '---', '%']

/** A text with a few slips: characters taken out, words put in. */
const slips = fc.array(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), out: fc.nat(12), into: fc.constantFrom('', ...words) }), { minLength: 1, maxLength: 3 })

function slipped(text: string, mistakes: readonly { readonly at: number; readonly out: number; readonly into: string }[]): string {
  return mistakes.reduce((before, { at, out, into }) => {
    const place = Math.floor(at * before.length)
    return before.slice(0, place) + into + before.slice(place + out)
  }, text)
}

describe('a mistake on the command line', () => {
  it('in a policy names which one, where several run', async () => {
    const policies = 'fifo,{easy: {windows: [{from: 9, to: 5, demand: all}]}}'
    expect(await sched(['compare', '--trace', 'jobs.jsonl', '--policies', policies], { cwd: small() })).toMatchObject({ code: 2, err: 'error: policies[1]: windows[0].to: the window ends at 5 s and begins at 9 s. Let it end after its beginning.\n' })
  })

  it('in a policy beside queue files names it by its place in the list it stands in, and a queue file by its name', async () => {
    const flavor = 'apiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: {name: spot}\nspec: {nodeLabels: {type: spot}}\n'
    const queue = 'kind: ClusterQueue\nmetadata: {name: a}\nspec: {resourceGroups: [{coveredResources: [cpu], flavors: [{name: spot, resources: [{name: cpu, nominalQuota: 4}]}]}]}\n'
    const conf = 'NodeName=n[1-4] CPUs=1\nPartitionName=p Nodes=ALL Default=YES\n'
    const cwd = small({ 'a.conf': conf, 'b.conf': conf, 'kueue.yaml': `${flavor}---\n${queue}` })
    const policies = 'strict,{easy: {windows: [{from: 9, to: 5, demand: all}]}}'
    const errorOf = async (...args: string[]) => (await sched(['compare', '--generate', 'lublin', '--take', '9', '--seeds', '1', '--quiet', ...args], { cwd })).err
    expect(await errorOf('--queues', 'a.conf,b.conf', '--policies', policies)).toBe('error: policies[1]: windows[0].to: the window ends at 5 s and begins at 9 s. Let it end after its beginning.\n')
    const noNode = 'error: "kueue.yaml" flavors.spot: no node has the labels {"type":"spot"}. Correct the labels, or label nodes in the description of the cluster.\n'
    expect(await errorOf('--queues', 'a.conf,kueue.yaml', '--policies', 'strict')).toBe(noNode)
    expect(await errorOf('--queues', 'kueue.yaml')).toBe(noNode)
  })

  it('is a last seed beyond the whole numbers of a 64-bit float', async () => {
    const [err, cwd] = ['seed: the last of 3 seeds from 9007199254740990 on is larger than 9007199254740991. Begin with a smaller one.\n', small()]
    expect(await sched(['compare', 'small.yaml', '--seed', '9007199254740990', '--seeds', '3'], { cwd })).toEqual({ code: 2, out: '', err: `error: ${err}` })
    expect((await sched(['compare', 'small.yaml', '--seed', '9007199254740990', '--seeds', '2'], { cwd })).code).toBe(0)
    writeFileSync(join(cwd, 'late.yaml'), `${experiment}seed: 9007199254740990\n`)
    expect(await sched(['compare', 'late.yaml'], { cwd })).toEqual({ code: 2, out: '', err: `error: "late.yaml" line 8 column 1 ${err}` })
  })

  it('in the name of a command that help is asked for is told', async () => {
    expect(await sched(['help', 'comapre'])).toEqual({ code: 2, out: '', err: "error: unknown command 'comapre'\n(Did you mean compare?)\n" })
    expect(await sched(['comapre', '--help'])).toEqual({ code: 2, out: '', err: "error: unknown command 'comapre'\n(Did you mean compare?)\n" })
    expect((await sched(['trace', 'generat', 'facebook', '-h'])).err).toBe("error: unknown command 'generat'\n(Did you mean generate?)\n")
    expect((await sched(['help', 'trace', 'generat'])).err).toBe("error: unknown command 'generat'\n(Did you mean generate?)\n")
  })

  it('is none where help is asked for by a command and what it is for', async () => {
    const helpOf = async (...args: string[]) => /^Usage: (.*) \[options\]/.exec((await sched(args)).out)?.[1]
    expect(await helpOf('help', 'compare')).toBe('sched compare')
    expect(await helpOf('help', 'compare', 'small.yaml')).toBe('sched compare')
    expect(await helpOf('help', 'trace', 'generate')).toBe('sched trace generate')
    expect(await helpOf('help', 'trace')).toBe('sched trace')
  })

  it('is a policy where a file is expected', async () => {
    const cwd = small()
    expect((await sched(['run', 'fifo'], { cwd })).err).toBe(`error: "${join(cwd, 'fifo')}": cannot read: there is no such file. An experiment is a file; policies are named by --policy or --policies, generators by --generate, and a job to explain by --job.\n`)
    expect((await sched(['run', 'none.yaml'], { cwd })).err).toContain('there is no such file. Check the path.')
  })

  it('in what is measured names no policy', async () => {
    const err = 'metrics: no job is left between warm-up and cool-down. Make them shorter.\n'
    expect(await sched(['compare', '--trace', 'jobs.jsonl', '--warm-up', '0.9', '--cool-down', '0.9'], { cwd: small() })).toMatchObject({ code: 2, err: `error: ${err}` })
    const cwd = small({ 'trimmed.yaml': `${experiment}metrics: { warmUp: 0.9, coolDown: 0.9 }\n` })
    expect(await sched(['compare', 'trimmed.yaml'], { cwd })).toMatchObject({ code: 2, err: `error: "trimmed.yaml" line 8 column 1 ${err}` })
  })

  it('of a log read as whole jobs has its way out as an option', async () => {
    const cwd = directory({ 'ok.swf': '1 0 -1 10 4 -1 -1 4 20 -1 1 1 1 -1 -1 -1 -1 -1\n' })
    expect((await sched(['run', '--trace', 'ok.swf', '--nodes', '3', '--resources', 'procs=2'], { cwd })).err).toContain('(of a log: `--option tasks=each`)')
  })

  it('is a trace from standard input, which only the commands for traces read', async () => {
    expect(await sched(['run', '--trace', '-'])).toMatchObject({ code: 2, err: 'error: --trace: a run cannot read standard input, since every run reads its trace anew. Write it to a file first: `sched trace convert - jobs.jsonl`.\n' })
  })

  it.each([
    [['--queues', 'a.xml', '--queues', 'b.xml'], "error: option '--queues <files>' given twice; join what it lists with commas\n"],
    [['--seeds', '2', '--seeds', '3'], "error: option '--seeds <n>' given twice\n"],
    [['--json', '--quiet'], "error: option '--json <file>' argument missing\n"],
    [['--load', '0'], "error: option '--load <factor>' argument '0' is invalid. Expected a number above 0.\n"],
    [['--load=-2'], "error: option '--load <factor>' argument '-2' is invalid. Expected a number above 0.\n"],
    [['--heartbeat', '1m'], "error: option '--heartbeat <seconds>' argument '1m' is invalid. Expected seconds, a number of at least 0, 3600 for an hour.\n"],
    [['--feedback', '20m'], "error: option '--feedback [seconds]' argument '20m' is invalid. Expected seconds, a number of at least 0, 3600 for an hour.\n"],
    [['--until', '2d'], "error: option '--until <seconds>' argument '2d' is invalid. Expected seconds, a number above 0, 3600 for an hour.\n"],
    [['--tau', '0'], "error: option '--tau <seconds>' argument '0' is invalid. Expected seconds, a number above 0, 3600 for an hour.\n"],
    [['--window', '1d:2d'], "error: option '--window <from:to>' argument '1d:2d' is invalid. Expected two numbers of seconds, for example 0:3600.\n"],
    [['--window', ' :5'], "error: option '--window <from:to>' argument ' :5' is invalid. Expected two numbers of seconds, for example 0:3600.\n"],
    [['--checkpoint', 'interval=1h'], 'error: checkpoint.interval: found "1h", expected a number. "interval" stands for seconds of work after which a task saves it; default: never.\n'],
    [['--failures', 'mtbf=10d'], 'error: failures.mtbf: found "10d", expected a number. "mtbf" stands for mean seconds that a task runs from its start or its last failure to the next, exponential; instead of probability.\n'],
    [['--resources', 'mem=64GB'], "error: option '--resources <list>' argument 'mem=64GB' is invalid. Expected names and whole numbers, for example cpu=16,mem=65536.\n"],
    [['--queue-mix', 'prod'], "error: option '--queue-mix <list>' argument 'prod' is invalid. Expected names and whole numbers, for example prod=70,adhoc=30.\n"],
    [['--queue-names', 'p1=short,p2'], "error: option '--queue-names <list>' argument 'p1=short,p2' is invalid. Expected names and other names, for example partition001=short.\n"],
    [['--slots', 'map=4,__proto__=2'], "error: option '--slots <list>' argument 'map=4,__proto__=2' is invalid. Nothing can be called \"__proto__\".\n"],
    [['--cluster', '{nodes: 2, slots: {map: 4, __proto__: 2}}'], 'error: --cluster: nothing can be called "__proto__". Take another name.\n'],
    [['--slots', 'map=4,map=2'], "error: option '--slots <list>' argument 'map=4,map=2' is invalid. \"map\" is there twice.\n"],
  ])('in options is told in their words: %j', async (options, err) => {
    expect(await sched(['compare', 'small.yaml', ...options], { cwd: small() })).toEqual({ code: 2, out: '', err })
  })

  it('leaves options alone that collect what they are given', async () => {
    const { err } = await sched(['compare', 'small.yaml', '--plugin', './a.mjs', '--plugin', './b.mjs'], { cwd: small() })
    expect(err).toContain('cannot load the plug-in')
  })

  it('in the cluster of generated jobs is not answered with options of traces', async () => {
    const { err } = await sched(['run', '--generate', 'facebook', '--resources', 'cpu=4'])
    expect(err).toBe('error: demand of job job0: the cluster has no resource "map"; it has cpu. Give its nodes that kind of slot or resource, for example `--slots map=4,reduce=2`.\n')
  })
})

describe('an experiment file with random slips', () => {
  it('is accepted, or refused with one line that says where', { tags: 'long' }, async () => {
    const { out: template } = await sched(['init', '-'])
    const cwd = small()
    await fc.assert(
      fc.asyncProperty(slips, async (mistakes) => {
        writeFileSync(join(cwd, 'slip.yaml'), slipped(template, mistakes))
        const message = await prepared('slip.yaml', cwd)
        if (message !== undefined) expect(message).toMatch(/^[^\n]+$/)
      }),
      { seed: 20100413, numRuns: 400 },
    )
  })

  it('is never blamed on the program', async () => {
    const nasty = ['cluster: { constructor: 1 }', 'workload: { generate: toString }', 'policies: [constructor]', 'policies: [{ __proto__: {} }]', 'policies: [{ delay: { order: valueOf } }]', 'policies: [null]', 'policies: [5]', 'policies: [[fifo]]', 'policies: [{ name: x, policy: null }]', 'workload: { generate: { facebook: [1] } }', 'architecture: { monolithic: 3 }', 'cluster: { nodes: 4, slots: { __proto__: 1 } }']
    for (const line of nasty) {
      const key = line.split(':')[0] ?? ''
      const cwd = directory({ 'x.json': '', 'jobs.jsonl': '' })
      const parts: Record<string, string> = { cluster: 'cluster: { nodes: 4, slots: { map: 1 } }', workload: 'workload: { generate: { poisson-jobs: { jobs: 2 } } }', policies: 'policies: [fifo]' }
      writeFileSync(join(cwd, 'x.yaml'), `${Object.values({ ...parts, [key]: line }).join('\n')}\nseeds: 1\n`)
      const { code, err } = await sched(['compare', 'x.yaml'], { cwd })
      expect({ line, code, lines: err.trimEnd().split('\n').length }, err).toEqual({ line, code: 2, lines: 1 })
    }
  })
})

/** What is wrong with the file, or nothing. Anything but a `SchedError` is a mistake in the program. */
async function prepared(file: string, cwd: string): Promise<string | undefined> {
  try {
    await prepare(await describeExperiment(file, {}, cwd))
    return undefined
  } catch (error) {
    if (error instanceof SchedError) return error.message
    throw error
  }
}
