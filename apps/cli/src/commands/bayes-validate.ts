import { crossValidate, labelled } from '@sched/placement'
import { json } from '@sched/report'
import type { Command } from 'commander'
import { readMeasured } from '../bayes/read-measured.js'
import type { Io } from '../io.js'
import { validationText } from '../output/bayes-text.js'
import { learnOptions, type LearnOptions } from './bayes-options.js'
import { whole } from './option-values.js'

interface ValidateOptions extends LearnOptions {
  readonly folds?: number
  readonly seed?: number
}

export function addBayesValidate(bayes: Command, io: Io): void {
  const command = bayes
    .command('validate')
    .summary('cross-validate on measured runs')
    .description('Predicts every measured job by a model trained on others, and prints the confusion matrix.')
    .argument('<run...>', 'directories that `--out` of run or compare wrote, or their files shuffle-POLICY.jsonl')
  learnOptions(command)
    .option('--folds <n>', 'parts that the jobs are divided into, each predicted from the others (default: 5)', whole)
    .option('--seed <n>', 'seed of the division (default: 1)', whole)
    .addHelpText('after', '\nExample:\n  sched bayes validate base --active-fraction 0.3 --folds 5')
    .action((runs: string[], options: ValidateOptions) => validate(runs, options, io))
}

function validate(runs: readonly string[], { json: asJson = false, threshold, activeFraction, activity, ...options }: ValidateOptions, io: Io): void {
  const { policy, jobs } = readMeasured(runs, io.cwd)
  const { samples, labels } = labelled(jobs, { threshold, activeFraction, activity })
  const result = crossValidate(samples, options)
  io.stdout.write(asJson ? json({ policy, samples: samples.length, ...labels, ...result }) : validationText(result))
}
