import { knownWords, withoutUndefined, type Config } from '@sched/core'
import type { FairOptions } from '@sched/policies'
import { byPlace, Findings } from '../finding.js'
import { schedulerMode, secondsOf } from './conf.js'
import type { SparkFile, SparkPool } from './pools-file.js'
import type { Given, Setting } from '../setting.js'
import { booleanOf } from '../yarn/site.js'
import type { QueuePolicy } from '../queue-policy.js'

/** The policy that a fairscheduler.xml describes. */
export interface SparkPolicy extends QueuePolicy {
  /** Tells the policies of files apart. */
  readonly kind: 'spark'
  /** Options of the order `fair`; undefined if `spark.scheduler.mode` is FIFO. */
  readonly options: FairOptions | undefined
}

/** The default of spark.locality.wait, in seconds. */
const LOCALITY_WAIT = 3
/** Whether every start of a task begins the waits of its job anew, as before Spark 3.1. */
const ON_LAUNCH = 'spark.locality.wait.legacyResetOnTaskLaunch'
/** How the waits deviate from Spark's: of Spark 3.1 and later, and of the older way. */
const OFFERS = 'offers of all that is free are made as tasks end, or by heartbeats, not every second'
const DELAY = 'the wait of a job runs while it is passed over, not since a task of it last started'

/** Settings that bear on when tasks start but have no effect here, and why. */
const why = knownWords<string>({
  'spark.locality.wait.process': 'tasks have no data in processes',
  'spark.scheduler.allocation.file': 'the pools are those of the file given',
  'spark.scheduler.pool': 'the workload names the queue of a job',
  'spark.scheduler.revive.interval': 'offers are made as tasks end, or with heartbeats',
  'spark.task.cpus': 'tasks ask for what the workload says',
  'spark.speculation': 'tasks are copied if the experiment says so: speculation: spark',
  'spark.excludeOnFailure.enabled': 'nodes are avoided if the experiment says so: avoid: spark',
  'spark.blacklist.enabled': 'nodes are avoided if the experiment says so: avoid: spark',
})

/**
 * The policy of Spark's task scheduler: pools by minimum share and weight, FIFO or fair inside (`FairSchedulingAlgorithm`), and waiting for nodes with the
 * data (delay scheduling). With `spark.scheduler.mode FIFO` there are no pools, and jobs go in the order of submission.
 */
export function sparkPolicy(file: SparkFile): SparkPolicy {
  const findings = new Findings(file.file)
  const settings = new Map(file.conf.map((each) => [each.name, each]))
  const mode = settings.get('spark.scheduler.mode')
  const isFair = mode === undefined || schedulerMode(mode) === 'FAIR'
  const options = isFair ? fairOptions(file, findings) : undefined
  const order: Config = options === undefined ? 'fifo' : { fair: options }
  if (!isFair) for (const pool of file.pools) for (const [name, given] of written(pool))
    findings.add('ignored', given, `${pool.name} ${name}`, given.text, 'spark.scheduler.mode is FIFO: there are no pools')
  const wait = settings.get('spark.locality.wait')
  const waits = ['node', 'rack'].map((level) => settings.get(`spark.locality.wait.${level}`) ?? wait).map((each) => (each === undefined ? LOCALITY_WAIT : secondsOf(each)))
  const onLaunch = settings.get(ON_LAUNCH)
  const resetOnLaunch = onLaunch !== undefined && booleanOf(onLaunch)
  for (const each of file.conf) tell(each, resetOnLaunch ? DELAY : OFFERS, findings)
  const all = [...file.ignored.all, ...findings.all].sort(byPlace)
  return { kind: 'spark', options, policy: { delay: { order, waits, resetOnLaunch } }, findings: all }
}

function fairOptions({ pools }: SparkFile, findings: Findings): FairOptions {
  for (const pool of pools) for (const [name, given] of written(pool)) findings.add('honoured', given, `${pool.name} ${name}`, given.text)
  const options = ({ mode, weight, minShare }: SparkPool) => withoutUndefined({
    inner: mode?.value ?? 'fifo',
    weight: weight?.value,
    minShare: minShare === undefined ? undefined : Math.max(0, minShare.value),
  })
  return { pools: Object.fromEntries(pools.map((pool) => [pool.name, options(pool)])), defaults: { inner: 'fifo' }, flat: true, boundMinShares: false }
}

function written({ mode, weight, minShare }: SparkPool): [string, Given<unknown>][] {
  const all: [string, Given<unknown> | undefined][] = [['schedulingMode', mode], ['weight', weight], ['minShare', minShare]]
  return all.filter((each): each is [string, Given<unknown>] => each[1] !== undefined)
}

function tell({ name, value, file, line }: Setting, delay: string, findings: Findings): void {
  const add = (verdict: 'honoured' | 'approximated' | 'ignored', note = '') => findings.add(verdict, { file, line }, name, value, note)
  if (name === 'spark.scheduler.mode' || name === ON_LAUNCH) add('honoured')
  else if (/^spark\.locality\.wait(\.node|\.rack)?$/.test(name)) add('approximated', delay)
  else add('ignored', why[name] ?? (name.startsWith('spark.dynamicAllocation.') ? 'the cluster is as large as it is' : 'it does not bear on which task is next'))
}
