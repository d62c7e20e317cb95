import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { version } from '../src/version.js'
import { directory, small } from './sched.js'

const command = [process.execPath, join(inject('program'), 'main.js')]
const [node = '', ...sources] = command
const shell = (script: string, cwd: string) => spawnSync('bash', ['-c', script, 'sched', ...command], { cwd, encoding: 'utf8' })

/** Two minutes of work, to be interrupted. */
const long = ['compare', '--generate', '{facebook: {localMapTime: 1}}', '--seeds', '500', '--out', 'results']

describe('the program', () => {
  it('prints, and ends with the exit code of the command', () => {
    const cwd = small()
    const { stdout, stderr, status } = spawnSync(node, [...sources, 'compare', 'small.yaml', '--seeds', '1'], { cwd, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^small: 3 jobs/)
    expect(spawnSync(node, [...sources, 'compare', 'none.yaml'], { cwd }).status).toBe(2)
  })

  it.each(['-V', '--version'])('prints its version: %s', (option) => {
    const { stdout, stderr, status } = shell(`"$@" ${option}; "$@" ${option} | true; "$@" ${option} > /dev/full`, directory())
    expect({ stdout, stderr, status }).toEqual({ stdout: `${version}\n`, stderr: 'error: "standard output": cannot write: the disk is full. Make room or choose another place.\n', status: 2 })
  })

  it('ends quietly when its reader has had enough', () => {
    const { stdout, stderr, status } = shell('set -o pipefail; "$@" policies --json | head -n 1', directory())
    expect({ stdout, stderr, status }).toEqual({ stdout: '[\n', stderr: '', status: 0 })
  })

  it.each(['-', '/dev/stdout'])('writes a page into a pipe: %s', { tags: 'long' }, (place) => {
    const { stdout, stderr, status } = shell(`"$@" compare small.yaml --seeds 1 --quiet --html ${place} | tail -n 1; exit "\${PIPESTATUS[0]}"`, small())
    expect({ stdout, stderr, status }).toEqual({ stdout: expect.stringContaining('</html>') as string, stderr: '', status: 0 })
  })

  it('says in one line that what it prints found no room', () => {
    const { stderr, status } = shell('"$@" policies > /dev/full', directory())
    expect({ stderr, status }).toEqual({ stderr: 'error: "standard output": cannot write: the disk is full. Make room or choose another place.\n', status: 2 })
  })

  it('says so, too, where a part of what it prints found room', { tags: 'long' }, () => {
    const { stderr, status } = shell('trap "" XFSZ; ulimit -f 4; "$@" policies --json > policies.json', directory())
    expect({ stderr, status }).toEqual({ stderr: 'error: "standard output": cannot write: it is larger than a file may be here. Raise the limit (ulimit -f), or choose another place.\n', status: 2 })
  })

  it('writes a trace to standard output, as far as its reader wants it', { tags: 'long' }, () => {
    const { stdout, stderr, status } = shell('set -o pipefail; "$@" trace generate facebook - | "$@" trace generate scheduler-overhead - | wc -l; "$@" trace generate facebook - | wc -l', directory())
    expect({ stdout: stdout.trim().split('\n').length, stderr, status }).toEqual({ stdout: 2, stderr: '', status: 0 })
    expect(stdout).toMatch(/\n101\n$/)
  })

  it('runs no trace from a pipe, and says why', { tags: 'long' }, () => {
    const { stdout, stderr, status } = shell('"$@" run --trace <("$@" trace generate facebook -)', directory())
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 })
    expect(stderr).toMatch(/^error: --trace: a run cannot read the pipe "\/dev\/fd\/\d+", since every run reads its trace anew\. Write it to a file first/)
  })

  it('reads a trace from standard input', { tags: 'long' }, () => {
    const { stdout, stderr } = shell('"$@" trace generate facebook - | "$@" trace describe - | sed -n 3p', directory())
    expect({ stdout, stderr }).toEqual({ stdout: '  jobs              100\n', stderr: '' })
    const input = '{"format":"sched-workload","version":1}\n{"id":"a","submit":0,"stages":[{"name":"s","tasks":1,"demand":{"cpu":1},"duration":1}]}\n'
    for (const given of [input, gzipSync(input)]) {
      const socket = spawnSync(node, [...sources, 'trace', 'describe', '-'], { cwd: directory(), input: given, encoding: 'utf8' })
      expect([socket.stderr, socket.stdout]).toEqual(['', expect.stringContaining('  jobs              1\n') as string])
    }
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends cleanly on %s: code 130, nothing half-written', async (signal) => {
    const cwd = directory()
    const { text, until, endOn } = started(long, cwd)
    await until(() => readdirSync(cwd).length > 0) // it has begun
    await setTimeout(100)
    const how = await endOn(signal)
    expect({ ...how, ...text, files: readdirSync(cwd) }).toEqual({ code: 130, by: null, out: '', err: 'Interrupted; nothing was written.\n', files: [] })
  })

  it('ends cleanly on Ctrl-C whenever it comes, of processes that are in each other\'s way', { tags: 'long' }, async () => {
    const ends = await Promise.all(Array.from({ length: 8 }, async (_, i) => {
      const cwd = directory()
      const { text, until, endOn } = started([...long, '--threads', '1'], cwd)
      await until(() => readdirSync(cwd).length > 0)
      await setTimeout(150 + i * 17)
      return { ...(await endOn('SIGINT')), ...text, files: readdirSync(cwd) }
    }))
    expect(ends).toEqual(ends.map(() => ({ code: 130, by: null, out: '', err: 'Interrupted; nothing was written.\n', files: [] })))
  })

  it('clears away, too, when it is asked to end again and again', { tags: 'long' }, async () => {
    const cwd = directory()
    const { text, until, endOn } = started(long, cwd)
    await until(() => readdirSync(cwd).length > 0)
    const how = await endOn('SIGINT', 3)
    expect({ ...how, ...text, files: readdirSync(cwd) }).toEqual({ code: 130, by: null, out: '', err: 'Interrupted; nothing was written.\n', files: [] })
  })

  it.each([1, 2])('says what policies warn of as a run begins, threads: %i', async (threads) => {
    const oneNode = ['--generate', '{poisson-jobs: {jobs: 300000}}', '--nodes', '1', '--resources', 'map=4', '--policies', '{name: whole, policy: {easy: {nodes: named}}}']
    const { text, until, endOn } = started(['compare', ...oneNode, '--seeds', '2', '--threads', `${threads}`], directory())
    await until(() => text.err !== '')
    await setTimeout(200) // the second run begins, too
    await endOn('SIGINT')
    expect(text).toEqual({ out: '', err: expect.stringMatching(/^warning: whole: nodes: named gives every job whole nodes, and the cluster is one node: .*\nInterrupted; nothing was written\.\n$/) })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('ends on %s while it reads what does not end', { tags: 'long' }, async (signal) => {
    const { text, endOn } = started(['trace', 'describe', '-'], directory(), 'pipe')
    await setTimeout(1500) // it has begun to read
    expect({ ...(await endOn(signal)), ...text }).toEqual({ code: 130, by: null, out: '', err: 'Interrupted; nothing was written.\n' })
  })

  // never comes back, but leaves the processor to other tests
  const looping = `import { writeSync } from 'node:fs'
const nap = new Int32Array(new SharedArrayBuffer(4))
export default { kind: 'policy', name: 'loop', create: () => ({ schedule() { writeSync(1, '.'); for (;;) Atomics.wait(nap, 0, 0, 2); } }) }
`
  const loop = ['compare', 'small.yaml', '--plugin', './loop.mjs', '--policies', 'loop', '--seeds', '2']

  it.each([1, 2])('ends cleanly on Ctrl-C where a policy loops for ever, threads: %i', { tags: 'long' }, async (threads) => {
    const cwd = small({ 'loop.mjs': looping })
    const { text, until, endOn } = started([...loop, '--threads', `${threads}`], cwd)
    await until(() => text.out.length >= threads) // they loop
    const how = await endOn('SIGINT')
    expect({ ...how, ...text }).toEqual({ code: 130, by: null, out: '.'.repeat(threads), err: 'Interrupted; nothing was written.\n' })
  })

  it.each([['SIGTERM', 1], ['SIGTERM', 2], ['SIGHUP', 1]] as const)('ends cleanly on %s where a plug-in loops for ever, threads: %i', { tags: 'long' }, async (signal, threads) => {
    const { text, until, endOn } = started([...loop, '--threads', `${threads}`], small({ 'loop.mjs': looping }))
    await until(() => text.out.length >= threads) // they loop
    const how = await endOn(signal)
    expect({ ...how, ...text }).toEqual({ code: 130, by: null, out: '.'.repeat(threads), err: 'Interrupted; nothing was written.\n' })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('ends on %s where a wait is explained under a plug-in that loops for ever', { tags: 'long' }, async (signal) => {
    const { text, until, endOn } = started(['explain', ...loop.slice(1, -2)], small({ 'loop.mjs': looping }))
    await until(() => text.out.length > 0)
    const { code, by } = await endOn(signal)
    expect({ ended: code ?? by, ...text }).toEqual({ ended: signal === 'SIGINT' ? 130 : signal, out: '.', err: signal === 'SIGINT' ? 'Interrupted; nothing was written.\n' : '' })
  })

  it.each([['SIGTERM', 1], ['SIGTERM', 2], ['SIGINT', 1]] as const)('leaves nothing half-written on %s where a plug-in loops for ever, threads: %i', { tags: 'long' }, async (signal, threads) => {
    const cwd = small({ 'loop.mjs': looping })
    const before = readdirSync(cwd)
    const { text, until, endOn } = started([...loop, '--threads', `${threads}`, '--out', 'results'], cwd)
    await until(() => text.out.length >= threads) // they loop
    const how = await endOn(signal)
    expect({ ...how, ...text, files: readdirSync(cwd) }).toEqual({ code: 130, by: null, out: '.'.repeat(threads), err: 'Interrupted; nothing was written.\n', files: before })
  })

  it('leaves nothing when a write fails half-way', () => {
    const cwd = directory()
    // files may grow to 4 blocks only: the list of jobs does not fit
    const { stdout, stderr, status } = shell('trap "" XFSZ; ulimit -f 4; "$@" compare --generate facebook --seeds 1 --policies fifo --out results', cwd)
    expect({ status, stdout, files: readdirSync(cwd) }).toEqual({ status: 2, stdout: '', files: [] })
    expect(stderr).toBe('error: "results": cannot write: it is larger than a file may be here. Raise the limit (ulimit -f), or choose another place.\n')
  })
})

describe('a plug-in on the command line', () => {
  const order = readFileSync(join(import.meta.dirname, 'plug-in/last-first.js'), 'utf8')
  const run = (cwd: string, ...args: string[]) => spawnSync(node, [...sources, ...args], { cwd, encoding: 'utf8' })

  it('is a path from where the user stands, or the folder of a package without anything installed', { tags: 'long' }, () => {
    const typed = `import { z } from 'zod'
import plain from './plain.mjs'
export default { ...plain, name: 'typed', options: z.object({ k: z.number().default(1).describe('nothing') }) }
`
    const cwd = small({ 'order.mjs': order, 'typed/package.json': '{"name":"typed","type":"module","main":"index.mjs"}', 'typed/index.mjs': typed, 'typed/plain.mjs': order })
    const both = ['--plugin', 'order.mjs', '--plugin', './typed']
    const { stdout, stderr } = run(cwd, 'compare', 'small.yaml', ...both, '--policies', 'last-first,{delay: {order: {typed: {k: 2}}}}', '--seeds', '2')
    expect(stderr).toBe('')
    expect(stdout.split('\n')[1]).toMatch(/^last-first, delay.* on seeds 1 to 2/)
    expect(run(cwd, 'policies', 'typed', '--plugin', 'typed').stdout).toContain('- k: number (default 1): nothing')
  })

  it('is named where it cannot be loaded', () => {
    const cwd = small()
    expect(run(cwd, 'run', 'small.yaml', '--plugin', './none', '--policy', 'none').stderr).toBe(`error: cannot load the plug-in "./none": Cannot find module '${join(cwd, 'none')}'. Check the path; a package is looked for in node_modules beside the experiment or where you stand, and above.\n`)
  })

  it('is named where it waits for ever before it is loaded, and the program does not end without a word', { tags: 'long' }, () => {
    const cwd = small({ 'stuck.mjs': 'await new Promise(() => undefined)\n' })
    const { stderr, status } = run(cwd, 'policies', 'fifo', '--plugin', './stuck.mjs')
    expect({ stderr, status }).toEqual({ stderr: 'error: cannot load the plug-in "./stuck.mjs": it waits for something that never comes.\n', status: 2 })
  })

  it.each([
    ['a file', { exports: './index.mjs' }],
    ['for import alone', { exports: { '.': { types: './index.d.ts', import: './index.mjs' }, './other': './other.mjs' } }],
    ['by nested conditions', { exports: { node: { import: './index.mjs' }, default: './other.mjs' } }],
  ])('is what a package exports: %s', { tags: 'long' }, (_, facts) => {
    const files = (folder: string, name: string) => ({ [`${folder}/package.json`]: JSON.stringify({ name: 'packed', type: 'module', ...facts }), [`${folder}/index.mjs`]: order.replace("'last-first'", `'${name}'`) })
    const cwd = small({ ...files('here', 'by-folder'), ...files('node_modules/packed', 'by-name') })
    const { stdout, stderr } = run(cwd, 'policies', '--plugin', './here', '--plugin', 'packed')
    expect({ stderr, found: ['by-folder', 'by-name'].filter((name) => stdout.includes(name)) }).toEqual({ stderr: '', found: ['by-folder', 'by-name'] })
  })

  it('is refused with the way out where its package exports other things alone', () => {
    const cwd = small({ 'empty/package.json': '{"exports":{"./other":"./x.mjs"}}' })
    expect(run(cwd, 'policies', 'last-first', '--plugin', './empty').stderr).toContain('Name a file in it, or say in a package.json there which one it is (`exports` or `main`).')
  })

  it('is told apart from CommonJS, or the way out is', { tags: 'long' }, () => {
    const cwd = small({ 'order.js': order })
    const { stdout, stderr } = run(cwd, 'policies', 'last-first', '--plugin', './order.js')
    // Node itself finds out what it is; what runs the sources of this repository does not
    if (stderr === '') expect(stdout).toContain('last-first: the youngest job first')
    else expect(stderr).toBe('error: cannot load the plug-in "./order.js": Cannot find module \'@sched/core\'. It is taken for CommonJS: call it .mjs, or put `"type": "module"` into a package.json beside it.\n')
  })
})

/** A run of the program that does not outlive its test, whatever becomes of that. */
interface Running {
  readonly text: { out: string; err: string }
  /** Waits until it is so; not for ever where the program has ended before. */
  until(isSo: () => boolean): Promise<void>
  /** How it ends on a signal, sent once or so many times; where it has not heeded it after a minute it is killed, which the test sees beside what it has said. */
  endOn(signal: NodeJS.Signals, times?: number): Promise<{ readonly code: number | null; readonly by: NodeJS.Signals | null }>
}

function started(args: readonly string[], cwd: string, stdin: 'ignore' | 'pipe' = 'ignore'): Running {
  const child = spawn(node, [...sources, ...args], { cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  if (stdin === 'ignore') child.stdin.end()
  const kill = (): void => void child.kill('SIGKILL')
  onTestFinished(kill)
  const ended = new Promise<{ code: number | null; by: NodeJS.Signals | null }>((resolve) => child.once('close', (code, by) => resolve({ code, by })))
  const text = { out: '', err: '' }
  child.stdout.on('data', (data: Buffer) => (text.out += data.toString()))
  child.stderr.on('data', (data: Buffer) => (text.err += data.toString()))
  return {
    text,
    async until(isSo) {
      while (!isSo() && child.exitCode === null && child.signalCode === null) await setTimeout(20)
    },
    async endOn(signal, times = 1) {
      for (let i = 0; i < times; i++) child.kill(signal)
      const last = globalThis.setTimeout(kill, 60_000)
      const how = await ended
      clearTimeout(last)
      return how
    },
  }
}
