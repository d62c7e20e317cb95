import { SchedError } from '@sched/core'
import type { Command } from 'commander'
import { explained, prepare, type Description, type Experiment } from '../experiment/experiment.js'
import { describeExperiment } from '../experiment/from-options.js'
import type { ExperimentOptions } from '../experiment/given-options.js'
import { atPoint, axesOf, pointsOf, pointText, refuseVaried, type Axis, type Point } from '../experiment/matrix.js'
import { Parts } from '../experiment/parts.js'
import { filesRead } from '../experiment/paths.js'
import { readBase } from '../experiment/read-experiment.js'
import { heed } from '../interruption.js'
import type { Io } from '../io.js'
import { isSilent, Outputs, type OutputOptions } from '../output/outputs.js'
import { widthOf } from '../output/policy-table.js'
import { shownFigures, sweepCsv, sweepJson, sweepText } from '../output/sweep.js'
import { linesOf, type PointResult } from '../output/sweep-lines.js'
import { everyRun, variantOf, warningsOf, withProgress } from '../run-all.js'
import { explainRun } from '../explain-run.js'
import type { Plan } from '../threads/plan.js'
import { countFindings } from './compare.js'
import { experimentOptions, outputOptions, threadsOption } from './experiment-options.js'
import { listed } from './option-values.js'

interface SweepOptions extends ExperimentOptions, OutputOptions {
  readonly threads?: number
  readonly figures?: readonly string[]
}

/** More runs than anybody waits for: a slip in a matrix. */
const MOST_RUNS = 1_000_000

export function addSweep(program: Command, io: Io): void {
  const command = program
    .command('sweep')
    .summary('run every point of a matrix of settings')
    .description(
      'Runs every combination of the values under `matrix` of an experiment file, each with every policy on every seed, and reports one row per ' +
        'point and policy: means over the seeds, and differences from the first policy, or else the first point, paired by seed. The results do not depend on the number of threads.',
    )
    .argument('<experiment>', 'experiment file with a `matrix`; options override what it says')
  outputOptions(threadsOption(experimentOptions(command)))
    .option('--figures <list>', 'columns of the printed table and charts of the page, by the names that the CSV has', listed)
    .addHelpText('after', '\nExample:\n  sched sweep examples/omega-sweep.yaml --threads 2 --csv sweep.csv')
  command.action((file: string, options: SweepOptions) => sweep(file, options, io))
}

async function sweep(file: string, options: SweepOptions, io: Io): Promise<void> {
  const description = await describeExperiment(file, options, io.cwd)
  const { axes, points } = matrixOf(description)
  if (description.overridden !== undefined) refuseVaried(axes, readBase(file, io.cwd).spec, description.spec)
  const outputs = new Outputs(options, await filesRead(description, options, io.cwd), io)
  try {
    const prepared = await prepareAll(description, points, io)
    countFindings(prepared.flatMap(({ policies }) => policies), options, io)
    const plan: Plan = { variants: points.map((point) => variantOf({ ...description, spec: point.spec })), runs: prepared.flatMap((each, variant) => everyRun(each, variant)) }
    const { results: runs, told } = await runPoints(plan, prepared, options, io)
    const results = points.map(({ at }, variant): PointResult => ({
      at,
      policies: prepared[variant]?.policies.map(({ name }) => name) ?? [],
      runs: runs.filter((_, run) => plan.runs[run]?.variant === variant),
    }))
    const { shown, warnings } = shownFigures(linesOf(results), options.figures)
    const messages = [...warningsOf(runs), ...(isSilent(options) && options.html === undefined ? [] : warnings)].map((text) => `warning: ${text}`)
    for (const text of messages) if (!told.has(text)) io.stderr.write(`${text}\n`)
    const asRun = withSeeds(description, prepared)
    const page = options.html === undefined
      ? undefined
      : (await import('../html/sweep-page.js')).sweepPage({ description: asRun, axes, results, shown, messages }, io)
    await outputs.complete(asRun, { summary: sweepJson(description, axes, results), table: sweepCsv(axes, results), page })
    if (isSilent(options)) return
    io.stdout.write(sweepText(description, axes, results, shown, widthOf(io.stdout)))
  } finally {
    outputs.discard()
  }
}

/** With the number of seeds where nobody said it and all points ran on as many. */
function withSeeds(description: Description, prepared: readonly Prepared[]): Description {
  const counts = [...new Set(prepared.map(({ seeds }) => seeds.length))]
  return description.spec.seeds !== undefined || counts.length !== 1 ? description : { ...description, spec: { ...description.spec, seeds: counts[0] } }
}

function matrixOf(description: Description): { axes: Axis[]; points: Point[] } {
  const { matrix, policies = [0], seeds = 1 } = description.spec
  if (matrix === undefined || Object.keys(matrix).length === 0)
    throw explained(description, [], new SchedError(
      'BAD_INPUT',
      'has no `matrix`, so there is nothing to sweep.',
      {},
      'For example `matrix: { cluster.nodes: [50, 100] }`, or run it with `sched compare`.',
    ))
  try {
    const axes = axesOf(matrix)
    const runs = axes.reduce((product, { steps }) => product * steps.length, policies.length * seeds)
    if (runs > MOST_RUNS) throw new SchedError('BAD_INPUT', `asks for ${runs} runs.`, { field: 'matrix' }, `At most ${MOST_RUNS} in one sweep.`)
    return { axes, points: pointsOf(description.spec, axes) }
  } catch (error) {
    throw error instanceof SchedError && error.place.field !== undefined ? explained(description, ['matrix'], error) : error
  }
}

/** What running needs to know of a point; the rest is prepared again where it runs. */
type Prepared = Pick<Experiment, 'description' | 'policies' | 'registry' | 'seeds'> & Pick<Point, 'at'>

/** Every point is read and checked before the first one runs. */
async function prepareAll(description: Description, points: readonly Point[], io: Io): Promise<Prepared[]> {
  const parts = new Parts()
  const prepared: Prepared[] = []
  for (const { at, spec } of points) {
    heed(io.signal)
    try {
      const { policies, registry, seeds, description: own } = await prepare({ ...description, spec }, parts)
      prepared.push({ policies, registry, seeds, description: own, at })
    } catch (error) {
      throw atPoint(at, error)
    }
  }
  return prepared
}

function runPoints(plan: Plan, prepared: readonly Prepared[], options: SweepOptions, io: Io): ReturnType<typeof withProgress> {
  const of = (run: number) => prepared[plan.runs[run]?.variant ?? 0] as Prepared
  return withProgress(
    plan, io, options,
    (run) => pointText(of(run).at),
    (run, error) => atPoint(of(run).at, explainRun(of(run), plan.runs[run]?.policy ?? 0, error)),
  )
}
