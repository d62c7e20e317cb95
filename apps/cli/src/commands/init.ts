import type { Command } from 'commander'
import type { Io } from '../io.js'
import { outputFile } from '../output/output-file.js'

export function addInit(program: Command, io: Io): void {
  program
    .command('init')
    .summary('write a commented experiment file that runs')
    .description('Writes a commented experiment file that runs as it is.')
    .argument('[file]', 'the file to write; - for standard output', 'experiment.yaml')
    .option('--force', 'replace an existing file')
    .action((file: string, { force = false }: { readonly force?: boolean }) => {
      outputFile(file, io, force).write(example(file === '-' ? 'experiment.yaml' : file))
      if (file !== '-') io.stderr.write(`${file} written. Next: sched compare ${file}\n`)
    })
}

const example = (file: string) => `# An experiment of sched:  sched compare ${file}
# For completion in editors:  sched schema experiment > experiment.schema.json
# yaml-language-server: $schema=./experiment.schema.json

name: three policies on a small cluster

# Results depend on this file alone. Policies are compared on seeds 1, 2, 3, ...; on one seed all of them meet the same
# jobs, block replicas and task times.
seed: 1
seeds: 5

# A cluster of equal nodes. Also possible: a list of node groups, or the path of a file with one.
cluster:
  nodes: 50
  racks: 5
  slots: { map: 4, reduce: 2 }    # each type is scheduled on its own; or resources: { cpu: 16000, mem: 65536 }
  heartbeat: { interval: 3 }      # seconds; leave it out for a master that knows everything at once
  replicas: { factor: 3, placement: hdfs }

# Jobs from a trace (plain or gzip) or from a generator: \`sched trace generate --help\` lists the kinds.
workload:
  generate:
    poisson-jobs:
      jobs: 200
      rate: 0.1                   # submissions per second
      tasks: { min: 1, max: 100 }
      users: 5
  # trace: jobs.tsv
  # onBadLine: skip               # default: fail
  # window: { from: 0, to: 3600 } # seconds
  # take: 1000                    # jobs
  # resample: {}                  # a log drawn anew for every seed, user by user
  # load: 1.5                     # gaps between submissions divided by this

# The first is the baseline. \`sched policies\` lists all, \`sched policies NAME\` the options of one.
policies:
  - fifo
  - naive-fair
  - delay                         # fair sharing that waits for nodes with the data
  - name: delay 1 s, pools        # a name of your choice
    policy:
      delay:
        node: 1                   # seconds
        rack: 1
        order:
          fair:
            pools:
              user0: { weight: 2, minShare: { map: 20 } }

# Nodes that fail and come back: drawn, or the path of a list (CSV with node, from, to, kind).
# outages: { mtbf: 2592000, mttr: 7200 } # seconds, means for each node; default: all stay
# failures: { probability: 0.01, maxAttempts: 4 } # attempts of tasks fail, and with the fourth of a task its job; or mtbf: seconds of running; default: none fails
# avoid: hadoop                    # nodes are avoided after tasks have failed there; also hadoop1, spark, drain, or { rule: hadoop, failures: 2 }; failures has badNodes: { fraction: 0.05, probability: 0.5 }; default: none is
# autoscaler: { scaleDownUnneededTime: 300 } # where groups of nodes have autoscale: { min: 2, provision: 120 }, as many are there as waiting tasks need; default: all always are
# checkpoint: { interval: 3600, cost: 60 } # tasks that are lost or preempted go on from what they saved, also whenPreempted: true, restore: 30; default: they start anew
# speculation: true                # slow tasks are copied, and the first attempt to be done counts; as Hadoop does it, or by another rule: late, hadoop1, spark, or { rule: late, cap: 0.2 }; default: none is

# How much longer a task takes with its data on the node, in the rack, elsewhere; and how much task times vary.
runtime:
  localityFactors: [1, 1.7, 2]
  jitter: 0.1
  # stragglers: { fraction: 0.05, factor: 5 } # so many tasks take so many times longer; default: none

metrics:
  classes: size                   # tables by the bins of Facebook's jobs; default: by the labels of the workload
`
