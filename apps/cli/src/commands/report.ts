import type { Command } from 'commander'
import { join, resolve } from 'node:path'
import type { Description } from '../experiment/experiment.js'
import { readExperiment } from '../experiment/read-experiment.js'
import { compareRuns } from '../figures/figures.js'
import type { Io } from '../io.js'
import { headlineOf } from '../output/headline.js'
import { outputFile } from '../output/output-file.js'
import { widthOf } from '../output/policy-table.js'
import { notWritten, readSummary, type Written } from '../output/read-summary.js'
import { runText } from '../output/run-text.js'
import { spareInputs } from '../output/spare-inputs.js'
import { linesOf } from '../output/sweep-lines.js'
import { shownFigures, sweepText } from '../output/sweep.js'
import { warningsOf } from '../run-all.js'
import { comparedText } from './compare.js'
import { listed } from './option-values.js'

interface ReportOptions {
  readonly html?: string
  readonly figures?: readonly string[]
  readonly force?: boolean
  readonly quiet?: boolean
}

/** What is told of results: text, warnings, and a page, which is made where it is asked for. */
interface Report {
  readonly text: string
  readonly messages: readonly string[]
  readonly page: (io: Io) => Promise<string>
}

export function addReport(program: Command, io: Io): void {
  program
    .command('report')
    .summary('print again what a directory of results says')
    .description('Prints the tables of a run, a comparison or a sweep again from the directory that `--out` has written, without running anything.')
    .argument('<directory>', 'the directory')
    .option('--html <file>', 'write one page with tables and charts; what happened over time and who ran where is not in the directory; - for standard output')
    .option('--figures <list>', 'of a sweep: columns of the printed table and charts of the page, by the names that the CSV has', listed)
    .option('--force', 'replace existing output')
    .option('--quiet', 'print no table')
    .addHelpText('after', '\nExample:\n  sched compare experiment.yaml --out results && sched report results --html results.html')
    .action((directory: string, options: ReportOptions) => report(directory, options, io))
}

async function report(directory: string, options: ReportOptions, io: Io): Promise<void> {
  const [file, experiment] = [join(directory, 'summary.json'), join(directory, 'experiment.yaml')]
  spareInputs([options.html], [file, experiment], io.cwd)
  const page = options.html === undefined ? undefined : outputFile(options.html, io, options.force ?? false)
  const written = readSummary(resolve(io.cwd, file), file)
  const description = readExperiment(experiment, io.cwd)
  const { text, messages, page: make } = readable(file, written, () => (written.kind === 'sweep' ? ofSweep(written, description, options, io) : ofRuns(written, description, io)))
  for (const message of messages) io.stderr.write(`${message}\n`)
  if (page !== undefined) page.write(await make({ ...io, argv: [kindOf(written), experiment] }))
  if (options.quiet !== true && options.html !== '-') io.stdout.write(text)
}

/** Figures of another version may be called otherwise. */
function readable<T>(file: string, { writer }: Written, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw error instanceof TypeError ? notWritten(file, writer) : error
  }
}

/** The command that writes such results. */
const kindOf = (written: Written): string => (written.kind === 'compare' && isOneRun(written) ? 'run' : written.kind)

const isOneRun = ({ runs }: Extract<Written, { kind: 'compare' }>): boolean => runs.length === 1

function ofRuns(written: Extract<Written, { kind: 'compare' }>, description: Description, io: Io): Report {
  const { ran, runs } = written
  const rows = compareRuns(ran.policies, runs)
  const [first] = runs
  const text = first !== undefined && isOneRun(written) ? runText(first, widthOf(io.stdout)) : comparedText(rows, runs, widthOf(io.stdout))
  const messages = warningsOf(runs).map((warning) => `warning: ${warning}`)
  const page: Report['page'] = async (to) => (await import('../html/compare-page.js')).comparePage({ ran, description, runs, rows, messages }, to)
  return { text: `${headlineOf(ran)}\n${text}`, messages, page }
}

function ofSweep({ axes, results }: Extract<Written, { kind: 'sweep' }>, description: Description, { figures }: ReportOptions, io: Io): Report {
  const { shown, warnings } = shownFigures(linesOf(results), figures)
  const messages = [...warningsOf(results.flatMap(({ runs }) => runs)), ...warnings].map((warning) => `warning: ${warning}`)
  const text = sweepText(description, axes, results, shown, widthOf(io.stdout))
  return { text, messages, page: async (to) => (await import('../html/sweep-page.js')).sweepPage({ description, axes, results, shown, messages }, to) }
}
