import type { Command } from 'commander'
import { amountsAs, atLeastOne, namesAs, positive, seconds, window } from './option-values.js'

/** The options that change the jobs of a workload. Names in camel case are those of `ChangeOptions`. */
export const changeOptions = (command: Command): Command =>
  command
    .option('--window <from:to>', 'only the jobs submitted in these seconds', window)
    .option('--take <n>', 'only the first jobs', atLeastOne())
    .option('--feedback [seconds]', 'users answer to the ends of their jobs: what the log has within so many seconds after an end (default: 1200) follows that end here, too', seconds)
    .option('--resample [fields]', 'draw the log anew for every seed, user by user: which users are there together differs; with fields users=1.2,longTerm=12,period=604800,periods=26')
    .option('--load <factor>', 'divide the gaps between submissions by this number', positive)
    .option('--estimates <kind>', 'estimates of run times instead of those of the jobs: exact, unknown, a factor, or as users give them (tsafrir, with options {tsafrir: {maxEstimate: 86400}})')
    .option(
      '--queue-names <list>',
      'other names of the queues of jobs, for queue files that call them otherwise: partition001=short,*=standard (* is any that is not named)',
      namesAs('partition001=short'),
    )
    .option('--time-zone <name>', 'time zone of the place that the log is of, for calendars of policies (PriorityUsageResetPeriod): Europe/Stockholm')
    .option('--queue-mix <list>', 'queues of jobs that name none, drawn with these weights: prod=70,adhoc=30', amountsAs('prod=70,adhoc=30'))
    .option(
      '--masters <list>',
      "a master for each job that holds so much from before its tasks until they have ended, as YARN's: memory-mb=1536,vcores=1",
      amountsAs('memory-mb=1536,vcores=1'),
    )
