#!/usr/bin/env node
import module from 'node:module'
import { Exit, interrupted } from './exit-code.js'
import { version } from './version.js'
import { wholeOutput } from './whole-output.js'

const stop = new AbortController()
/** Milliseconds until the program ends where it is, as while it reads a file: what runs looks at signals more often. */
const PATIENCE = 1000
let last: NodeJS.Timeout | undefined
// Ctrl-C; ended from outside, or its terminal was closed
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    stop.abort()
    last ??= setTimeout(() => {
      process.stderr.write(interrupted)
      process.exit(Exit.Interrupted)
    }, PATIENCE).unref()
  })
// `| head` closes our output: what is left to print has no reader, and that is no error; a full disk behind `>` is one
const stdout = wholeOutput(process.stdout)
process.stderr.on('error', () => undefined)
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || process.exitCode === Exit.Usage) return
  process.exitCode = Exit.Usage
  void import('@sched/workload/node').then(({ ioError }) => process.stderr.write(`error: ${(ioError('standard output', 'write', error) as Error).message}\n`))
})

const [, , ...argv] = process.argv
if (argv.length === 1 && /^(-V|--version)$/.test(argv[0] as string)) stdout.write(`${version}\n`)
else {
  // the version is asked for by other programs, and needs nothing of what commands do: loading that takes most of the time
  const { enableCompileCache } = module as { enableCompileCache?: () => void }
  enableCompileCache?.() // from Node 22 on what is compiled is kept for the next start, which takes a quarter less time then
  const { main } = await import('./cli.js')
  const { stderr, env } = process
  const code = await main(argv, { stdout, stderr, env, cwd: process.cwd(), signal: stop.signal })
  clearTimeout(last)
  process.exitCode ||= code
}
