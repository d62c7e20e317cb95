import { SchedError, suggest } from '@sched/core'
import { json } from '@sched/report'
import { Command, InvalidArgumentError } from 'commander'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { bayesCommunication } from './bayes-communication/bayes-communication.js'
import type { Trial } from './claim.js'
import { delayScheduling } from './delay-scheduling/delay-scheduling.js'
import { nodeWeightSheet } from './node-weight/node-weight.js'
import { omega } from './omega/omega.js'
import { legend, page, resultTable, rowsOf, tally } from './page.js'
import { runSheet, type Sheet } from './sheet.js'
import { survey } from './survey/survey.js'
import { Threads } from './threads.js'
import { prepareWhole, writeWhole } from './whole-file.js'

const sheets: readonly Sheet[] = [delayScheduling, omega, survey, nodeWeightSheet, bayesCommunication]

/** Fewest seeds of a page, and of a look. */
const SEEDS = 10
const QUICK = 2

interface Options {
  readonly seeds?: number
  readonly quick?: boolean
  readonly only?: readonly string[]
  readonly json?: string
  readonly write?: boolean
  readonly validate?: boolean
  readonly threads: number
}

/** `bench papers`: published against simulated results. Pages are written to `<root>/docs/papers`. */
export function papersCommand(root: string): Command {
  return new Command('papers')
    .description('results of the papers, published against simulated')
    .argument('[sheet]', `which paper: ${sheets.map(({ name }) => name).join(', ')}`, delayScheduling.name)
    .option('--seeds <count>', `seeds 1 to this, at least 2 (default: ${SEEDS})`, count)
    .option('--quick', `to see that everything runs: smaller jobs where they are large, and ${QUICK} seeds unless --seeds says otherwise; figures are not those of the page`)
    .option('--only <ids>', 'rows to reproduce, separated by commas', (text: string) => text.split(',').map((id) => id.trim()))
    .option('--json <file>', 'also write the rows to a file')
    .option('--write', `write docs/papers/<sheet>.md (all rows, at least ${SEEDS} seeds)`)
    .option('--threads <count>', 'threads for experiments of many runs; results do not depend on them', threadCount, availableParallelism())
    .option('--validate', 'check every simulation while it runs; slow')
    .action((name: string, options: Options) => papers(sheetOf(name), options, root))
}

async function papers(sheet: Sheet, options: Options, root: string): Promise<void> {
  const { seeds = options.quick === true ? QUICK : SEEDS } = options
  if (options.write === true && (options.only !== undefined || options.quick === true || seeds < SEEDS))
    throw new SchedError(
      'BAD_OPTION', `the page holds all rows, over at least ${SEEDS} seeds.`, { field: '--write' }, 'Leave out --only, --quick and a smaller --seeds.',
    )
  if (options.json !== undefined) prepareWhole(options.json)
  const threads = options.threads > 1 && sheet === omega ? await Threads.start(options.threads) : undefined
  const trials = Array.from({ length: seeds }, (_, i): Trial => ({ seed: i + 1, validate: options.validate === true, quick: options.quick === true, threads }))
  const results = runSheet(sheet, trials, options.only, report)
  process.stdout.write(`${resultTable(results)}\n${legend(results)}\n${tally(results)}\n`)
  if (options.quick === true)
    process.stderr.write(`note: of a quick look: neither figures nor verdicts are those of docs/papers/${sheet.name}.md, which \`pnpm bench papers ${sheet.name}\` gives.\n`)
  if (options.json !== undefined) writeWhole(options.json, json(results.flatMap(rowsOf)))
  if (options.write === true) writeWhole(join(root, 'docs', 'papers', `${sheet.name}.md`), page(sheet, results, seeds))
}

/** What runs now, on a terminal; silent otherwise. */
function report(title: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${title} ...\n`)
}

function sheetOf(name: string): Sheet {
  const found = sheets.find((sheet) => sheet.name === name)
  if (found !== undefined) return found
  const names = sheets.map((sheet) => sheet.name)
  throw new SchedError('UNKNOWN_NAME', `there is no sheet "${name}".`, {}, suggest(name, names))
}

function count(text: string): number {
  if (!/^([2-9]|[1-9]\d{1,3})$/.test(text)) throw new InvalidArgumentError('Give a whole number from 2 to 9999.')
  return Number(text)
}

function threadCount(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('Give a whole number from 1 to 999.')
  return Number(text)
}
