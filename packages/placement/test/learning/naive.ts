import { definePolicy, to40Bits, type JobId, type LaneId, type NodeId, type Plug, type Round, type Seconds, type TaskId } from '@sched/core'

/** What is remembered of a start, and of its judgement. */
interface Start {
  readonly task: TaskId
  readonly node: NodeId
  readonly features: readonly number[]
  readonly since: Seconds
  isGood: boolean | undefined
}

/** Levels of parts between the limits. */
const level = (part: number, limits: readonly number[]) => limits.filter((limit) => to40Bits(part) >= to40Bits(limit)).length

/**
 * The Learning scheduler as one would write it down: all jobs looked at for every start, all records counted for every
 * probability, those that differ by rounding alone equal. For hardware with cores and memory, one lane, default options and no gangs.
 */
export const naiveLearning = (): Plug<'policy'> =>
  definePolicy({
    name: 'naive-learning',
    summary: 'learning, plainly',
    options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
    create: (_, { cluster, work, now }) => {
      const lane = 0 as LaneId
      const jobs: JobId[] = []
      const starts: Start[] = []
      const running: { readonly task: TaskId; readonly node: NodeId }[] = []
      let drafted: { readonly node: NodeId; readonly cores: number; readonly memory: number }[] = []
      let lastStart = 0
      const hardware = () => {
        const [cores, memory] = ['cores', 'memory'].map((kind) => cluster.hardware.kinds.indexOf(kind)) as [number, number]
        const mean = (kind: number) => Array.from({ length: cluster.nodes }, (__, node) => cluster.hardware.amount(node as NodeId, kind)).reduce((a, b) => a + b, 0) / cluster.nodes
        return { cores, memory, mean }
      }
      const featuresOf = (job: JobId, node: NodeId): number[] => {
        const { cores, memory, mean } = hardware()
        const use = work.use(job, lane) ?? { cores: 1 }
        const here = drafted.filter((each) => each.node === node)
        const part = (kind: number, more: number) => (cluster.hardware.use(node, kind) + more) / cluster.hardware.amount(node, kind)
        const sum = (of: 'cores' | 'memory') => here.reduce((total, each) => total + each[of], 0)
        return [
          level((use['cores'] ?? 0) / mean(cores), [0.05, 0.2]),
          level((use['memory'] ?? 0) / mean(memory), [0.05, 0.2]),
          level(part(cores, sum('cores')), [0.5, 0.8]),
          level(part(memory, sum('memory')), [0.5, 0.8]),
          level((cluster.hardware.runnable(node) + here.length) / cluster.hardware.amount(node, cores), [0.5, 0.8]),
        ]
      }
      const probability = (features: readonly number[]): number => {
        const judged = starts.filter(({ isGood }) => isGood !== undefined)
        if (judged.every(({ isGood }) => isGood)) return 1
        const score = (side: boolean) => {
          const own = judged.filter(({ isGood }) => isGood === side)
          return features.reduce((product, value, i) => (product * (own.filter((each) => each.features[i] === value).length + 1)) / (own.length + 3), own.length / judged.length)
        }
        return to40Bits(score(true) / (score(true) + score(false)))
      }
      const waiting = () => jobs.filter((job) => work.unplaced(job, lane) > 0).sort((a, b) => work.rank(a) - work.rank(b))
      return {
        onSubmit: (job) => void jobs.push(job),
        onReady: (job) => {
          if (waiting().every((each) => each === job)) lastStart = now()
        },
        onFinish: (job) => void jobs.splice(jobs.indexOf(job), 1),
        onClaim: (_job, _lane, task, node) => void running.push({ task, node }),
        onRelease: (_job, _lane, task) => void running.splice(running.findIndex((each) => each.task === task), 1),
        onHeartbeat: (node, time) => judge(({ since, node: on }) => on === node && since < time),
        schedule: (round) => {
          drafted = []
          if (cluster.heartbeat === 0) judge(({ since }) => since + 3 <= round.now && since < round.now)
          const before = starts.length
          for (const node of round.nodes) fill(node, round)
          if (cluster.heartbeat > 0 || round.nodes.length === 0) return
          if (starts.length > before) round.wakeAt(round.now + 3)
          if (round.pending > 0) round.wakeAt(lastStart + 600)
        },
      }
      function judge(isDue: (start: Start) => boolean): void {
        const { cores } = hardware()
        for (const start of starts) {
          if (start.isGood !== undefined || !isDue(start)) continue
          const amount = cluster.hardware.amount(start.node, cores)
          start.isGood = !(to40Bits(cluster.hardware.use(start.node, cores) / amount) > to40Bits(0.9) || cluster.hardware.runnable(start.node) / amount > 1)
        }
      }
      function fill(node: NodeId, round: Round): void {
        for (;;) {
          const order = waiting()
          const pairs = order
            .map((job, place) => ({ job, value: to40Bits(((order.length - place) / order.length) * probability(featuresOf(job, node))), good: probability(featuresOf(job, node)) }))
            .filter(({ job }) => round.fits(job, node))
          const mayBeBad = running.every((each) => each.node !== node) || round.now >= lastStart + 600
          const good = pairs.filter((pair) => pair.good > 0.5)
          const choice = good.length > 0 ? good : mayBeBad ? pairs : []
          const best = choice.find(({ value }) => value === Math.max(...choice.map((pair) => pair.value)))
          if (best === undefined) return
          const features = featuresOf(best.job, node)
          const use = work.use(best.job, lane) ?? { cores: 1 }
          const task = work.taskFor(best.job, lane, node, cluster.levels) as TaskId
          if (!round.claim(task, node)) return
          starts.push({ task, node, features, since: round.now, isGood: undefined })
          drafted.push({ node, cores: use['cores'] ?? 0, memory: use['memory'] ?? 0 })
          lastStart = round.now
        }
      }
    },
  }).plug({})
