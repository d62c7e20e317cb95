import { SchedError, suggest } from '@sched/core'
import { Command, InvalidArgumentError } from 'commander'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { benchmarkNames, loadBenchmark } from './benchmarks/index.js'
import { load, machine } from './harness/machine.js'
import { measure, type MeasureOptions } from './harness/measure.js'
import { page, result, table, type Result } from './harness/page.js'
import { hottest } from './harness/profile.js'
import type { Row } from './harness/benchmark.js'

interface Options {
  readonly only?: string
  readonly runs: number
  readonly json?: string
  readonly write?: boolean
  readonly small?: boolean
  readonly profile?: string
}

/** `bench speed`: measures speed and memory against the goals. `root` is that of the repository, for the page. */
export function speedCommand(root: string): Command {
  return new Command('speed')
    .description('speed and memory of the engine: CPU time in fresh processes, beside goals and naive baselines')
    .option('--only <names>', 'benchmarks to run, separated by commas; the start of a name stands for all that begin so')
    .option('--runs <count>', 'runs after the first one in each process', count, 5)
    .option('--json <file>', 'also write the rows to a file')
    .option('--write', 'write docs/benchmarks.md (all benchmarks)')
    .option('--small', 'tiny sizes, to see that everything runs; the figures mean nothing')
    .option('--profile <folder>', 'write a CPU profile per variant and list the hottest functions')
    .action((options: Options) => speed(options, join(root, 'docs', 'benchmarks.md')))
}

async function speed(options: Options, pagePath: string): Promise<void> {
  if (options.write === true && (options.only ?? options.small ?? options.profile) !== undefined)
    throw new SchedError('BAD_OPTION', 'the page holds all benchmarks at full size', { field: '--write' }, 'Leave out --only, --small and --profile.')
  const names = chosen(options.only)
  const loads = [load()]
  const results: Result[] = []
  for (const name of names) {
    results.push(await one(name, { size: options.small === true ? 'small' : 'full', runs: options.runs, profiles: options.profile }))
    loads.push(load())
  }
  const figures = results.flatMap((each) => each.figures)
  process.stdout.write(table(figures))
  for (const { name, missing } of results) if (missing !== undefined) console.log(`${name} was not measured: ${missing}.`)
  if (options.json !== undefined) save(options.json, `${JSON.stringify(figures.map(row), null, 2)}\n`)
  if (options.write === true) save(pagePath, page(results, { machine: machine(), runs: options.runs, loads }))
}

async function one(name: string, options: MeasureOptions): Promise<Result> {
  const benchmark = await loadBenchmark(name)
  const missing = benchmark.missing?.()
  if (missing !== undefined) return result(benchmark, [], missing)
  console.error(`${name} ...`)
  const measured = await measure(benchmark, options)
  if (options.profiles !== undefined) for (const line of benchmark.variants.flatMap((each) => hottest(options.profiles as string, name, each.name))) console.log(line)
  const figures = benchmark.figures(measured)
  return result(benchmark, options.size === 'full' ? figures : figures.map((figure) => ({ ...figure, goals: [] })))
}

function chosen(only: string | undefined): readonly string[] {
  if (only === undefined) return benchmarkNames
  const wanted = only.split(',').map((name) => name.trim())
  for (const name of wanted)
    if (!benchmarkNames.some((known) => known.startsWith(name)))
      throw new SchedError('UNKNOWN_NAME', `no benchmark is called "${name}".`, { field: '--only' }, suggest(name, benchmarkNames))
  return benchmarkNames.filter((known) => wanted.some((name) => known.startsWith(name)))
}

function count(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('Give a whole number from 1 to 9999.')
  return Number(text)
}

const row = ({ id, value, unit, cold, warm, ratio, hash }: Row): Row => ({ id, value, unit, cold, warm, ratio, hash })

/** A file is complete or absent. */
function save(path: string, text: string): void {
  const file = resolve(process.env['INIT_CWD'] ?? '.', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.part`, text)
  renameSync(`${file}.part`, file)
}
