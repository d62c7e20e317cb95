import { SchedError } from '@sched/core'
import type { Command } from 'commander'
import { prepare, type Experiment } from '../experiment/experiment.js'
import { describeExperiment } from '../experiment/from-options.js'
import type { ExperimentOptions } from '../experiment/given-options.js'
import type { Io } from '../io.js'
import { headline } from '../output/headline.js'
import { isSilent, type OutputOptions } from '../output/outputs.js'
import { widthOf } from '../output/policy-table.js'
import { runText } from '../output/run-text.js'
import { onePoint, runAndCompare } from './compare.js'
import { experimentOptions, outputOptions } from './experiment-options.js'

export function addRun(program: Command, io: Io): void {
  const command = program
    .command('run')
    .summary('run one policy on one seed and report it in full')
    .description('Runs one policy on one seed and reports everything that was measured.')
    .argument('[experiment]', 'experiment file (`sched init` writes one); options override what it says')
    .option('--policy <name>', 'the policy, by name or as in a file, {delay: {node: 5}}; `sched policies` lists them (default: `policy` of the file or the first of its `policies`; fifo without a file)')
  outputOptions(experimentOptions(command, { single: true }))
    .addHelpText('after', '\nExample:\n  sched run experiment.yaml --policy delay --seed 7 --json -')
    .action((file: string | undefined, options: ExperimentOptions & OutputOptions) => run(file, options, io))
}

async function run(file: string | undefined, options: ExperimentOptions & OutputOptions, io: Io): Promise<void> {
  const description = onePoint(await describeExperiment(file, options, io.cwd))
  const { policy, policies, queues, yarnSite, ...spec } = description.spec
  const [queue, ...others] = typeof queues === 'string' ? [queues] : (queues ?? [])
  if (others.length > 0 && options.queues !== undefined)
    throw new SchedError(
      'BAD_OPTION',
      `found ${others.length + 1} queue files.`,
      { field: '--queues' },
      'Give one, or compare them with `sched compare`.',
    )
  const one = policy !== undefined
    ? { policy, ...(queue === undefined && { yarnSite }) }
    : queue !== undefined
      ? { queues: queue, yarnSite }
      : { policies: policies?.slice(0, 1), yarnSite }
  const experiment = await prepare({ ...description, spec: { ...spec, ...one, seeds: 1 } })
  const { runs } = await runAndCompare(experiment, options, io)
  const listed = policy === undefined ? (queue === undefined ? 0 : 1 + others.length) + (policies?.length ?? 0) : 1
  if (file !== undefined && listed > 1 && options.quiet !== true) io.stderr.write(firstOf(file, listed, experiment))
  const [result] = runs
  if (result === undefined || isSilent(options)) return
  io.stdout.write(`${headline(experiment)}\n${runText(result, widthOf(io.stdout))}`)
}

/** That a file says more than what is run. */
const firstOf = (file: string, listed: number, { policies: [first] }: Experiment): string =>
  `note: ${file} lists ${listed} policies, and this runs the first (${first?.name ?? ''}). --policy chooses another, \`sched compare\` runs all.\n`
