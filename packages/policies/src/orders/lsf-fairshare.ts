import { defineOrder, type Env, type LaneId, type Plug, type ResourceId, type Seconds, type TaskId } from '@sched/core'
import * as z from '@sched/bundled/zod'
import { Decay, SlotUse } from './slot-use.js'
import { slotsIn } from './slot-resource.js'
import { ShareOrder, type ShareRule, type Shares } from './share-order.js'
import { ownerFields, settingsByPath } from './sharing-options.js'

const factor = z.number().nonnegative()

const lsfFairshareOptions = z.strictObject({
  ...ownerFields,
  by: ownerFields.by.describe('who shares: users, or queues at every level of their tree, as groups do'),
  shares: z.record(z.string(), z.number().positive()).default({}).describe('shares of users or queues by name (USER_SHARES)'),
  default: z.number().positive().default(1).describe('shares of each that is not named'),
  CPU_TIME_FACTOR: factor.default(0.7).describe('weight of the slot hours used so far, which decay'),
  RUN_TIME_FACTOR: factor.default(0.7).describe('weight of the slot hours for which running jobs have run'),
  RUN_JOB_FACTOR: factor.default(3).describe('weight of the slots in use, and one more'),
  COMMITTED_RUN_TIME_FACTOR: factor.default(0).describe('weight of the slot hours that running jobs may still run by their estimates; jobs without one count nothing'),
  HIST_HOURS: factor.default(5).describe('hours in which past use decays to a tenth; 0: it does not'),
  ENABLE_HIST_RUN_TIME: z.boolean().default(false).describe('whether the run time of jobs that have ended counts as that of running ones, and decays'),
})
type Settings = z.output<typeof lsfFairshareOptions>
/** Options of `lsf-fairshare`, under LSF's names; all may be left out. */
export type LsfFairshareOptions = z.input<typeof lsfFairshareOptions>

/**
 * By LSF's dynamic priority, highest first: shares / (cpu time x `CPU_TIME_FACTOR` + (historical + run time) x `RUN_TIME_FACTOR` + (committed - run
 * time) x `COMMITTED_RUN_TIME_FACTOR` + (1 + slots) x `RUN_JOB_FACTOR`), times in hours. It changes with every start, and as time passes. With all
 * factors 0 most shares come first.
 *
 * Source: IBM Spectrum LSF 10.1, "Dynamic user priority", "Historical run time decay", "Committed run time weighting factor". Deviations: the CPU time
 * of a job is that of the slots that it holds, and times count for each slot; usage decays continuously.
 */
export const lsfFairshareOrder = defineOrder({
  name: 'lsf-fairshare',
  summary: "LSF's dynamic priority: users or queues by shares over what they use and have used",
  source: 'IBM Spectrum LSF, fair share scheduling',
  options: lsfFairshareOptions,
  create: (options, env) => {
    const sharesOf = settingsByPath('shares', options.shares, options.by)
    return new ShareOrder(env, options, (shares) => dynamicPriority(shares, env, options, sharesOf))
  },
})

/** By LSF's dynamic priority. */
export const lsfFairshare = (options: LsfFairshareOptions = {}): Plug<'order'> => lsfFairshareOrder.plug({}, options)

const HOUR = 3600

function dynamicPriority({ cluster, work, tree, lists }: Shares, env: Env, options: Settings, sharesOf: ReadonlyMap<string, number>): ShareRule {
  const lanes = cluster.lanes.length
  const slotsOf = slotsIn(cluster)
  const hasTimes = options.CPU_TIME_FACTOR + options.RUN_TIME_FACTOR + options.COMMITTED_RUN_TIME_FACTOR > 0
  const isStatic = !hasTimes && options.RUN_JOB_FACTOR === 0
  const decay = new Decay(options.HIST_HOURS * HOUR)
  const shares: number[] = []
  /** `[pool * lanes + lane]`. */
  const uses: SlotUse[] = []
  /** By task that holds slots: when it began, and its estimate then. */
  const startOf: Seconds[] = []
  const estimateOf: Seconds[] = []
  /** By lane: as of when the keys are. */
  const asOf: Seconds[] = cluster.lanes.map(() => NaN)

  /** Pools at the lowest level with waiting jobs, when keys were computed last. */
  const asking: number[] = []

  const useOf = (pool: number, lane: LaneId): SlotUse => uses[pool * lanes + lane] as SlotUse
  /** When a task that is claimed now began: now, or before a restart. */
  const began = (task: TaskId, now: Seconds): Seconds => {
    const started = work.started(task)
    return Number.isNaN(started) ? now : started
  }

  return {
    addPool({ id, path }) {
      shares[id] = sharesOf.get(path) ?? options.default
      for (let lane = 0; lane < lanes; lane++) uses[id * lanes + lane] = new SlotUse(decay)
      return 1
    },
    poolKey(pool, lane) {
      if (isStatic) return 1 / (shares[pool] as number)
      const use = useOf(pool, lane)
      const now = env.now()
      const times =
        options.CPU_TIME_FACTOR * use.cpuTime(now) +
        options.RUN_TIME_FACTOR * (use.runTime(now) + (options.ENABLE_HIST_RUN_TIME ? use.pastRunTime(now) : 0)) +
        options.COMMITTED_RUN_TIME_FACTOR * use.committed(now)
      return (times / HOUR + options.RUN_JOB_FACTOR * (1 + use.slots)) / (shares[pool] as number)
    },
    jobKey: () => 0, // jobs do not share: the options offer no such order
    onJoin: () => undefined, // the key of a pool without waiting jobs is not kept current, and is computed anew
    onChange(pool, lane, sign, why, amounts, _node, task) {
      const now = env.now()
      const slots = Math.abs(amounts[slotsOf[lane] as ResourceId] ?? 0)
      if (sign > 0) {
        startOf[task] = began(task, now)
        estimateOf[task] = work.estimate(work.jobOf(task))
      }
      const [start, estimate] = [startOf[task] as Seconds, estimateOf[task] as Seconds]
      if (sign > 0) useOf(pool, lane).start(slots, start, estimate, now)
      else useOf(pool, lane).end(slots, start, estimate, now, why !== 'withdrawn')
    },
    onBegin({ lane, now }) {
      if (!hasTimes || asOf[lane] === now) return false
      asOf[lane] = now
      asking.length = 0
      for (let id = 1; id < tree.pools.length; id++) if (lists.isLeaf(id) && !lists.isEmpty(id, lane)) asking.push(id)
      return asking
    },
    memory: (pool, lane) => useOf(pool, lane).memory(),
    recall: (pool, lane, memory) => useOf(pool, lane).recall(memory),
  }
}
