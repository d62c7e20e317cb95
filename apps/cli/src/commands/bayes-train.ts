import { labelled, modelText, trainBayes } from '@sched/placement'
import { json } from '@sched/report'
import type { Command } from 'commander'
import { measuredFiles, readMeasured } from '../bayes/read-measured.js'
import type { Io } from '../io.js'
import { trainingText } from '../output/bayes-text.js'
import { outputFile } from '../output/output-file.js'
import { spareInputs } from '../output/spare-inputs.js'
import { learnOptions, type LearnOptions } from './bayes-options.js'

interface TrainOptions extends LearnOptions {
  readonly out: string
  readonly force?: boolean
}

export function addBayesTrain(bayes: Command, io: Io): void {
  const command = bayes
    .command('train')
    .summary('train a model on measured runs')
    .description('Trains a model on jobs that runs of one policy have measured, and writes it as JSON.')
    .argument('<run...>', 'directories that `--out` of run or compare wrote, or their files shuffle-POLICY.jsonl')
    .requiredOption('--out <file>', 'the model to write; `-`: standard output')
  learnOptions(command)
    .option('--force', 'replace an existing file')
    .addHelpText('after', '\nExample:\n  sched run network.yaml --policy fifo --out base\n  sched bayes train base --active-fraction 0.3 --out model.json')
    .action((runs: string[], options: TrainOptions) => train(runs, options, io))
}

function train(runs: readonly string[], { out, force = false, json: asJson = false, threshold, activeFraction, activity, ...options }: TrainOptions, io: Io): void {
  spareInputs([out], runs.flatMap((run) => measuredFiles(run, io.cwd)), io.cwd)
  const file = outputFile(out, io, force)
  const { policy, jobs } = readMeasured(runs, io.cwd)
  const { samples, labels } = labelled(jobs, { threshold, activeFraction, activity })
  const before = process.cpuUsage()
  const model = trainBayes(samples, { ...options, labels: { ...labels, source: `${jobs.length} jobs under ${policy}` } })
  const { user, system } = process.cpuUsage(before)
  const seconds = (user + system) / 1e6
  file.write(modelText(model))
  if (out === '-') return
  io.stdout.write(asJson
    ? json({ policy, cluster: model.cluster, kind: model.kind, features: model.features, ...model.training, trainedInSeconds: seconds })
    : trainingText(policy, model.training, seconds))
}
