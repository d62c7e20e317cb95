import { SchedError } from '@sched/core'
import { BayesClassifier, type Plan } from '@sched/placement'
import { json } from '@sched/report'
import type { Command } from 'commander'
import { resolve } from 'node:path'
import * as z from '@sched/bundled/zod'
import { readModel } from '../bayes/model-files.js'
import { readMeasured } from '../bayes/read-measured.js'
import type { Io } from '../io.js'
import { predictionsText } from '../output/bayes-text.js'
import { readText } from '../read-text.js'

interface PredictOptions {
  readonly model: string
  readonly json?: boolean
}

export function addBayesPredict(bayes: Command, io: Io): void {
  bayes
    .command('predict')
    .summary('predict whether a planned job will load the network between racks')
    .description('Predicts from planned map tasks per node whether a job will be communication-active.')
    .argument('<plan>', 'a file with one list of numbers per rack as JSON, null for absent nodes; or jobs that a run has measured: shuffle-POLICY.jsonl')
    .requiredOption('--model <file>', 'the model, as `sched bayes train` writes it')
    .option('--json', 'print JSON')
    .addHelpText('after', "\nExample:\n  echo '[[4, 7], [0, null]]' > plan.json\n  sched bayes predict plan.json --model model.json")
    .action((plan: string, options: PredictOptions) => predict(plan, options, io))
}

function predict(file: string, { model, json: asJson = false }: PredictOptions, io: Io): void {
  const classifier = new BayesClassifier(readModel(model, io.cwd))
  const predictions = plansOf(file, io.cwd).map(({ job, plan }) => ({ job, prediction: told(file, () => classifier.predict(plan)) }))
  if (!asJson) return void io.stdout.write(predictionsText(predictions))
  io.stdout.write(json({ model, jobs: predictions.map(({ job, prediction: { isActive, ...rest } }) => ({ job, class: isActive ? 'C1' : 'C0', ...rest })) }))
}

const matrixSchema = z.array(z.array(z.number().nullable()))

function plansOf(file: string, cwd: string): { readonly job: string; readonly plan: Plan }[] {
  if (/\.jsonl$/.test(file)) return readMeasured([file], cwd).jobs.map(({ seed, job, plan }) => ({ job: `${job} (seed ${seed})`, plan }))
  const read = matrixSchema.safeParse(parsed(readText(resolve(cwd, file)), file))
  if (!read.success) throw new SchedError('BAD_INPUT', 'is no plan.', { file }, 'Write one list of numbers per rack, for example [[4, 7], [0, null]].')
  return [{ job: file, plan: read.data }]
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SchedError('BAD_INPUT', `is not JSON: ${(error as Error).message}.`, { file }, 'Write one list of numbers per rack, for example [[4, 7], [0, null]].')
  }
}

function told<T>(file: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw error instanceof SchedError ? error.at({ file }) : error
  }
}
