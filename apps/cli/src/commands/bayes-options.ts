import type { LabelOptions, TrainOptions } from '@sched/placement'
import { Option, type Command } from 'commander'
import { part } from './option-values.js'

export interface LearnOptions extends Pick<LabelOptions, 'threshold' | 'activeFraction' | 'activity'>, Pick<TrainOptions, 'kind' | 'features' | 'priors'> {
  readonly json?: boolean
}

/** The options of commands that learn from measured jobs. */
export function learnOptions(command: Command): Command {
  return command
    .option('--threshold <n>', 'communication activity from which a job is active (default: 0.38)', part)
    .option('--active-fraction <n>', 'choose the threshold by which this part of the jobs is active, for example 0.3', part)
    .addOption(new Option('--activity <of>', 'activities relative to the largest pair volume of all jobs, or of each (default: common)').choices(['common', 'own']))
    .addOption(new Option('--kind <kind>', 'normal distributions of tasks per node, or racks used or not (default: gaussian)').choices(['gaussian', 'bernoulli']))
    .addOption(new Option('--features <of>', 'every node, or sums of racks (default: flat for gaussian, rows for bernoulli)').choices(['flat', 'rows']))
    .addOption(new Option('--priors <of>', 'classes are as likely as in the samples, or equally (default: samples)').choices(['samples', 'equal']))
    .option('--json', 'print JSON')
}
