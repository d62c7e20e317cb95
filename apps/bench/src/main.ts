#!/usr/bin/env node
import { SchedError } from '@sched/core'
import { Command, CommanderError } from 'commander'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url)) // of the repository, from src and from dist alike

/** Commands by name; a command's code is loaded only where it is used or listed, so that none slows another. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  papers: async () => (await import('./papers/command.js')).papersCommand(root),
  speed: async () => (await import('./speed/index.js')).speedCommand(root),
}

async function main(args: readonly string[]): Promise<number> {
  const program = new Command('bench').description('reproduces the papers and measures the engine').exitOverride()
  const asked = commands[args[0] ?? '']
  for (const load of asked === undefined ? Object.values(commands) : [asked]) program.addCommand((await load()).exitOverride())
  try {
    await program.parseAsync([...args], { from: 'user' })
    return 0
  } catch (error) {
    return exitCode(error)
  }
}

/** 0 for help, 2 for bad usage or input, 1 for anything else, as decisions that differ; commander has told its own errors already. */
function exitCode(error: unknown): number {
  if (error instanceof CommanderError) return error.code.startsWith('commander.help') && error.exitCode === 0 ? 0 : 2
  if (!(error instanceof SchedError)) throw error
  process.stderr.write(`${error.message}\n`)
  return error.code === 'INVARIANT' ? 1 : 2
}

process.exitCode = await main(process.argv.slice(2))
