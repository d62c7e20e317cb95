import { SchedError } from '@sched/core'
import { Command, CommanderError } from 'commander'
import { addBayes } from './commands/bayes.js'
import { addCompare } from './commands/compare.js'
import { addDemo } from './commands/demo.js'
import { addExplain } from './commands/explain.js'
import { addInit } from './commands/init.js'
import { addPolicies } from './commands/policies.js'
import { addQueues } from './commands/queues.js'
import { addReport } from './commands/report.js'
import { addRun } from './commands/run.js'
import { addSchema } from './commands/schema.js'
import { addSweep } from './commands/sweep.js'
import { addTrace } from './commands/trace.js'
import { addWeigh } from './commands/weigh.js'
import { Exit, exitCodeOf, interrupted } from './exit-code.js'
import { inOptions } from './in-options.js'
import { Interruption } from './interruption.js'
import type { Io } from './io.js'
import { refuseSlips } from './refuse-slips.js'
import { version } from './version.js'

/** Runs one command line (without `node sched`) and yields its exit code: 0 done, 1 failed, 2 bad usage or input, 130 interrupted. */
export async function main(argv: readonly string[], io: Io): Promise<Exit> {
  try {
    const command = program({ ...io, argv })
    await command.parseAsync(asked(argv, command), { from: 'user' })
    return Exit.Done
  } catch (error) {
    return failed(error, io)
  }
}

/** `sched help trace generate` is `sched trace generate --help`. The name of a command that is not there is a mistake beside `--help`, too. */
function asked(argv: readonly string[], program: Command): readonly string[] {
  const [first, second = '-'] = argv
  const words = first === 'help' && second !== 'help' && !second.startsWith('-') ? [...argv.slice(1), '--help'] : argv
  const names = words.slice(0, words.findIndex((word) => word.startsWith('-')))
  const within = (at: Command | undefined, name: string) => (at?.commands.length === 0 ? at : at?.commands.find((each) => each.name() === name))
  return names.reduce(within, program as Command | undefined) === undefined ? words.filter((word) => word !== '--help' && word !== '-h') : words
}

function program(io: Io): Command {
  const command = new Command('sched')
    .description('Simulate and compare cluster schedulers.')
    .version(version)
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', '\nStart with:\n  sched demo                    a comparison on built-in jobs\n  sched init                    an experiment file of your own')
  for (const add of [addRun, addCompare, addSweep, addExplain, addReport, addTrace, addPolicies, addQueues, addBayes, addWeigh, addInit, addSchema, addDemo]) add(command, io)
  refuseSlips(command)
  return command
}

/** Mistakes in a command line of which the message does not say what is expected. */
const asksForHelp = new Set(['unknownCommand', 'unknownOption', 'missingArgument', 'excessArguments', 'missingMandatoryOptionValue'].map((code) => `commander.${code}`))

/** What to give in place of an option that is looked for, since files have a key of that name. */
const insteadOf = (message: string): string => {
  if (message.includes('\'--workload\'')) return 'Jobs are those of --trace FILE or --generate KIND. '
  return message.includes('\'--devices\'') ? 'Nodes with devices are described as --cluster \'{nodes: 4, resources: {cpu: 64}, devices: {gpu: 8}}\'. ' : ''
}

function failed(error: unknown, io: Io): Exit {
  if (error instanceof CommanderError) {
    if (asksForHelp.has(error.code) && !error.message.includes('Did you mean')) io.stderr.write(`${insteadOf(error.message)}Add --help to see what there is.\n`)
    return error.exitCode === 0 ? Exit.Done : Exit.Usage
  }
  if (error instanceof Interruption) {
    io.stderr.write(interrupted)
    return Exit.Interrupted
  }
  if (error instanceof SchedError) io.stderr.write(`error: ${inOptions(error.message)}\n`)
  else io.stderr.write(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\nThis is a mistake in sched or in a plug-in.\n`)
  return exitCodeOf(error)
}
