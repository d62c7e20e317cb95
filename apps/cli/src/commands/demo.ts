import type { Command } from 'commander'
import { classCounts } from '../figures/class-counts.js'
import { prepare } from '../experiment/experiment.js'
import { checked } from '../experiment/from-options.js'
import type { Io } from '../io.js'
import { classText } from '../output/comparison.js'
import { headline } from '../output/headline.js'
import { isSilent, type OutputOptions } from '../output/outputs.js'
import { widthOf } from '../output/policy-table.js'
import { runAndCompare } from './compare.js'
import { outputOptions, threadsOption } from './experiment-options.js'
import { atLeastOne } from './option-values.js'

/**
 * The IO-heavy macro run of the paper: 100 jobs like Facebook's on 100 nodes of EC2, whose racks are not known, so that
 * delay waits for nodes only. A task away from its data takes twice as long; task times vary by 10 %, which the generator draws.
 *
 * Source: Zaharia et al., "Delay Scheduling", EuroSys 2010, section 5 and table 2.
 */
const demo = {
  name: 'Facebook-like schedule, IO-heavy (Zaharia et al., EuroSys 2010, table 2)',
  seeds: 10,
  cluster: { nodes: 100, slots: { map: 4, reduce: 2 }, heartbeat: { interval: 3 } },
  workload: { generate: { facebook: { kind: 'io' } } },
  policies: ['fifo', 'naive-fair', { name: 'delay', policy: { delay: { node: 5, order: 'fair' } } }],
  runtime: { localityFactors: [1, 2], jitter: 0 },
}

export function addDemo(program: Command, io: Io): void {
  const command = program
    .command('demo')
    .summary('compare FIFO, fair sharing and delay scheduling on built-in jobs')
    .description('Compares FIFO, naive fair sharing and delay scheduling on the 100-job schedule of the paper that introduced delay scheduling.')
    .option('--seeds <n>', 'number of seeds (default: 10)', atLeastOne())
  outputOptions(threadsOption(command)).action(({ seeds, ...options }: OutputOptions & { readonly seeds?: number; readonly threads?: number }) => run(seeds, options, io))
}

async function run(seeds: number | undefined, options: OutputOptions & { readonly threads?: number }, io: Io): Promise<void> {
  const spec = checked({ ...demo, ...(seeds !== undefined && { seeds }) })
  const experiment = await prepare({ spec, directory: io.cwd })
  const { runs, rows } = await runAndCompare(experiment, options, io)
  if (isSilent(options)) return
  io.stdout.write(`${headline(experiment)}\n${classText(rows, classCounts(runs), widthOf(io.stdout))}${next}`)
}

const next = `
Delay scheduling lets a job whose data is elsewhere wait up to 5 s for a node that holds it.
Next:
  sched compare --trace FILE      the same comparison on a trace of yours
  sched init                      an experiment file to change
  sched policies                  what else is installed
`
