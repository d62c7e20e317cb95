import { SchedError } from '@sched/core'
import type { Command } from 'commander'
import { explained, prepare, type Description, type Experiment } from '../experiment/experiment.js'
import { describeExperiment } from '../experiment/from-options.js'
import type { ExperimentOptions } from '../experiment/given-options.js'
import { filesRead } from '../experiment/paths.js'
import { classCounts } from '../figures/class-counts.js'
import { compareRuns, type Row } from '../figures/figures.js'
import type { Io } from '../io.js'
import { classText, overallText } from '../output/comparison.js'
import { findingsLine, findingsText } from '../output/findings.js'
import { headline, ranOf } from '../output/headline.js'
import { widthOf } from '../output/policy-table.js'
import { queueUseText } from '../output/queue-use-text.js'
import { kindText } from '../output/rigid-text.js'
import { isSilent, Outputs, type OutputOptions } from '../output/outputs.js'
import { summaryJson } from '../output/summary-json.js'
import { tableCsv } from '../output/table-csv.js'
import { messagesOf, runAll } from '../run-all.js'
import type { RunResult } from '../run-once.js'
import { experimentOptions, outputOptions, threadsOption } from './experiment-options.js'

interface CompareOptions extends ExperimentOptions, OutputOptions {
  readonly threads?: number
}

export function addCompare(program: Command, io: Io): void {
  const command = program
    .command('compare')
    .summary('compare policies on equal luck')
    .description(
      'Runs every policy on every seed, all with the same jobs, block replicas and task times, and reports means with 95 % confidence ' +
        'intervals over the seeds, and differences from the first policy, paired by seed.',
    )
    .argument('[experiment]', 'experiment file (`sched init` writes one); options override what it says')
  outputOptions(threadsOption(experimentOptions(command)))
    .addHelpText(
      'after',
      '\nExamples:\n  sched compare --trace FB-2009_samples_24_times_1hr_0.tsv --policies fifo,naive-fair,delay\n  sched compare --trace KTH-SP2-1996-2.swf.gz --policies strict,easy,conservative --warm-up 0.01',
    )
    .action((file: string | undefined, options: CompareOptions) => compare(file, options, io))
}

async function compare(file: string | undefined, options: CompareOptions, io: Io): Promise<void> {
  const experiment = await prepare(onePoint(await describeExperiment(file, options, io.cwd)))
  const { runs, rows } = await runAndCompare(experiment, options, io)
  if (isSilent(options)) return
  io.stdout.write(`${headline(experiment)}\n${comparedText(rows, runs, widthOf(io.stdout))}`)
}

/** What is printed of a comparison below its headline. */
export function comparedText(rows: readonly Row[], runs: readonly RunResult[], width: number | undefined): string {
  return [overallText(rows, width), classText(rows, classCounts(runs), width), queueUseText(rows, width), kindText(rows, width)].filter((text) => text !== '').join('\n')
}

/** An experiment with a matrix is many; only `sweep` runs them. */
export function onePoint(description: Description): Description {
  if (description.spec.matrix === undefined) return description
  throw explained(description, [], new SchedError('BAD_INPUT', 'has several points.', { field: 'matrix' }, 'Run them all with `sched sweep`.'))
}

/** Runs all, and writes what was asked for: all of it or, when anything goes wrong, none. */
export async function runAndCompare(
  experiment: Experiment,
  options: OutputOptions & Pick<CompareOptions, 'threads' | 'mapping'>,
  io: Io,
): Promise<{ runs: RunResult[]; rows: Row[] }> {
  const names = experiment.policies.map(({ name }) => name)
  const outputs = new Outputs(options, await filesRead(experiment.description, options, io.cwd), io)
  tellFindings(experiment, options, io)
  try {
    const runs = await runAll(experiment, io, {
      quiet: options.quiet,
      threads: options.threads,
      jobs: outputs.jobs,
      draw: options.html === undefined ? undefined : { seed: experiment.seeds[0] ?? 1, schedule: options.schedule ?? false },
    })
    const rows = compareRuns(names, runs)
    const jobs = new Map(names.map((name) => [name, runs.flatMap(({ policy }, run) => (policy === name ? [run] : []))]))
    const page = options.html === undefined
      ? undefined
      : (await import('../html/compare-page.js')).comparePage(
        { ran: ranOf(experiment), description: experiment.description, runs, rows, messages: messagesOf(runs, experiment) },
        io,
      )
    await outputs.complete(
      experiment.description,
      {
        summary: summaryJson(experiment, runs, rows),
        table: tableCsv(rows),
        page,
        jobs,
        seeds: experiment.seeds,
        resources: experiment.cluster.resources,
      },
    )
    return { runs, rows }
  } finally {
    outputs.discard()
  }
}

/** What became of the settings of queue files, before anything runs. */
function tellFindings({ policies }: Experiment, { quiet }: OutputOptions, io: Io): void {
  if (quiet === true) return
  const told = new Set<string>()
  for (const { name, findings } of policies) if (findings !== undefined) io.stderr.write(`${name}:\n${findingsText(findings, { told })}`)
}

/** The same in a line for each file, where it is not what was asked for. */
export function countFindings(policies: Experiment['policies'], { quiet }: Pick<OutputOptions, 'quiet'>, io: Io): void {
  if (quiet === true) return
  const lines = policies.flatMap(({ name, findings = [] }) => {
    const text = findingsLine(findings)
    return text === '' ? [] : [`${name}: ${text}\n`]
  })
  for (const line of new Set(lines)) io.stderr.write(line)
}
