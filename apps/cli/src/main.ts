#!/usr/bin/env node
import { main } from './cli.js'
import { Exit } from './exit-code.js'

const stop = new AbortController()
process.on('SIGINT', () => {
  if (stop.signal.aborted) process.exit(Exit.Interrupted) // twice: at once
  stop.abort()
})
process.on('SIGTERM', () => stop.abort())
// `| head` closes our output: what is left to print has no reader, and that is no error
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

const { stdout, stderr, env } = process
process.exitCode = await main(process.argv.slice(2), { stdout, stderr, env, cwd: process.cwd(), signal: stop.signal })
