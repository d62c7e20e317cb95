import { InvalidArgumentError, Option, type Command } from 'commander'
import { DEFAULT_NODES } from '../experiment/cluster-from-options.js'
import { DEFAULT_POLICIES, RIGID_POLICIES } from '../experiment/from-options.js'
import { DEFAULT_SEEDS } from '../experiment/experiment.js'
import { changeOptions } from './change-options.js'
import { amountsAs, assignment, atLeastOne, collected, fraction, seconds, secondsAbove0, whole, wholeOrFile } from './option-values.js'

/** The options that describe an experiment, alone or over a file. Names in camel case are those of `ExperimentOptions`. */
export function experimentOptions(command: Command, { single = false } = {}): Command {
  command
    .optionsGroup('Workload:')
    .option('--trace <file>', 'trace to run instead of an experiment file')
    .option('--format <name>', 'format of the trace, of those that `sched trace formats` lists (default: found out from its content)')
    .option('--mapping <file>', 'the trace is a table of jobs (CSV, JSON Lines or Parquet), and this YAML, a file or { ... }, says what its columns mean')
    .addOption(new Option('--on-bad-line <what>', 'a trace line that cannot be used (default: fail)').choices(['fail', 'skip']))
    .option('--generate <kind>', 'generate jobs instead: a kind, or a kind with options as in a file, {facebook: {kind: cpu}} (`sched trace generate --help` lists kinds)')
    .option('--option <key=value>', 'an option of the trace\'s format, for example overrun=extend; may be repeated (`sched trace formats NAME` lists them)', assignment)
  changeOptions(command)
    .optionsGroup('Cluster:')
    .option('--procs <n>', 'processors of a parallel machine (default: what the log says, otherwise inferred from its jobs)', atLeastOne())
    .option('--cluster <file>', 'description of a cluster, a file or { ... } as in one: {nodes: 4, resources: {cpu: 64}, devices: {gpu: 8}}; or a list of machines')
    .option(
      '--nodes <n>',
      `number of equal nodes (default: ${DEFAULT_NODES.trace} for a trace, ${DEFAULT_NODES.generate} for generated jobs), or a list of machines (a file)`,
      wholeOrFile,
    )
    .option('--racks <n>', 'racks that they stand in (default: one per 20 nodes)', atLeastOne())
    .option('--slots <list>', 'slots per node (default: map=4,reduce=2)', amountsAs('map=4,reduce=2'))
    .option('--resources <list>', 'resources per node instead of slots, for example cpu=16,mem=65536', amountsAs('cpu=16,mem=65536'))
    .option('--heartbeat <seconds>', 'interval of a node\'s heartbeats, 0 for none (default: 3 with slots, 0 with resources)', seconds)
    .option(
      '--failures <fields>',
      'tasks fail by themselves: probability=0.01 of each attempt or mtbf=864000 seconds of running, and with maxAttempts=4 of one their job; on some nodes more often: { badNodes: { fraction: 0.05, probability: 0.5 } } (default: none fails)',
    )
    .option('--avoid <rule>', 'nodes are avoided after tasks have failed there, by the rule hadoop, hadoop1, spark or drain, or with other limits: rule=hadoop,failures=2 (default: none is)')
    .option('--autoscaler <fields>', 'how nodes come and go where groups of the cluster have `autoscale`: scaleDownUnneededTime=300,expander=most-pods, or as in a file {resourcesTotal: {cpu: 320000}} (default: as Kubernetes\' Cluster Autoscaler)')
    .option('--speculation [fields]', 'slow tasks are copied, and the first attempt to be done counts; as Hadoop does it, or by another rule (late, hadoop1, spark) or with other limits: rule=late,cap=0.2 (default: none is copied)')
    .option('--checkpoint <seconds>', 'tasks save their work and go on from there when lost or preempted: interval=3600,cost=60 or whenPreempted=true,restore=30 (default: they start anew)')
    .option(
      '--outages <list>',
      'nodes that go and come back: a file (CSV with node, from, to, kind; or a log of Slurm, Google, Batsim), or failures drawn with mtbf=604800,mttr=3600, seconds',
    )
    .optionsGroup('Scheduling and runs:')
    .option('--queues <files>', single
      ? 'run the policy of a queue file of YARN (fair-scheduler.xml, capacity-scheduler.xml), of a slurm.conf (with what sacctmgr prints: slurm.conf+accounts.cfg+qos.txt), of manifests of Kueue, KAI or Volcano, of a queues.yaml of YuniKorn, of pools of Spark (fairscheduler.xml+spark-defaults.conf), of a server of OpenPBS (server.qmgr+sched_config+holidays), or of a configuration of kube-scheduler'
      : 'compare the policies of queue files of YARN (fair-scheduler.xml, capacity-scheduler.xml), Slurm (slurm.conf, with what sacctmgr prints: slurm.conf+accounts.cfg+qos.txt), Kueue, KAI and Volcano (manifests), YuniKorn (queues.yaml), Spark (fairscheduler.xml+spark-defaults.conf), OpenPBS (server.qmgr+sched_config+holidays), and kube-scheduler (its configuration)')
    .option('--yarn-site <file>', 'what a yarn-site.xml says of the scheduler of the queue file; +FILE adds a resource-types.xml')
    .option('--architecture <name>', 'the architecture, by name or as in a file: {shared-state: {schedulers: 4}} (default: monolithic)')
    .option('--plugin <module>', 'a plug-in of yours, a path or a package, to be named in the options above; may be repeated', collected)
    .option('--seed <n>', single ? 'seed (default: 1)' : 'first seed (default: 1)', whole)
    .addOption(new Option('--pass-per-event <order>', 'a scheduling pass after every event instead of one per instant').choices(['submits-first', 'ends-first']))
    .option('--until <seconds>', 'end of the simulated time', secondsAbove0)
    .option('--jitter <fraction>', 'by how much task times vary at random, 0 for those of the trace (default: 0.1; of rigid jobs and recorded run times 0)', fraction)
    .addOption(new Option('--infeasible <what>', 'a job with a task larger than every node: end with an error (default), or leave the job out').choices(['fail', 'reject']))
    .option('--validate', 'check every conservation law while running (slow)')
  command
    .optionsGroup('Measuring:')
    .option('--warm-up <fraction>', 'jobs at the start that do not count, 0.01 for the first hundredth; in a file also by time', fraction)
    .option('--cool-down <fraction>', 'jobs at the end that do not count', fraction)
    .option('--classes <kind>', 'classes of jobs in tables: label, queue, placed (the queue that rules put it in), user, size, or limits of the number of tasks, [1, 10, 100] (default: label; with --queues the queue)')
    .option('--metrics <list>', 'metrics of plug-ins, by name or as in a file: mine,{other: {most: 3}} (`sched policies --plugin MODULE` lists them)')
    .option('--tau <seconds>', 'bound of the bounded slowdown (default: 10)', secondsAbove0)
    .optionsGroup('Scheduling and runs:')
  if (single) return command
  return command
    .option('--seeds <n>', `number of seeds (default: ${DEFAULT_SEEDS}, 1 for a log of rigid jobs)`, atLeastOne())
    .option('--policies <list>', `policies by name or as in a file: fifo,{delay: {node: 5}}; \`sched policies\` lists them (default: ${DEFAULT_POLICIES}; for rigid jobs ${RIGID_POLICIES})`)
}

/** How many threads run at a time. */
export function threadsOption(command: Command): Command {
  return command.option('--threads <n>', 'threads to run on; results do not depend on them (default: as many as processors, for long runs)', threads)
}

function threads(text: string): number {
  const count = whole(text)
  if (count < 1 || count > 256) throw new InvalidArgumentError('Expected 1 to 256.')
  return count
}

/** The options that say where results go. */
export function outputOptions(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option('--json <file>', 'write results as JSON; - for standard output')
    .option('--csv <file>', 'write the table as CSV; - for standard output')
    .option('--html <file>', 'write one page with tables and charts, which a browser shows without a network; - for standard output')
    .option('--out <dir>', 'write a directory with summary.json, table.csv, the jobs of each policy (rigid jobs also as SWF) and the experiment as run')
    .option('--schedule', 'with --out: also which nodes or processors jobs held and when; with --html: a Gantt chart even of a long schedule, of its beginning')
    .option('--parquet', 'with --out: jobs and schedules as Parquet, for pandas, Polars or DuckDB, instead of CSV')
    .option('--force', 'replace existing output')
    .option('--quiet', 'print no table and no progress')
}
