import type { Workload } from '@sched/core'
import { percent } from '@sched/report'
import { sensitivity as closedLoop, smallJobs as filterJobs } from '@sched/workload'
import { measure, type Claim, type Experiment, type Findings, type Trial } from '../claim.js'
import { delayed, measureRun, naiveFair, privateCluster } from './environment.js'
import { few, overRuns, seedsOf } from '../estimate.js'
import { ratio } from '../figures.js'
import type { GainRun } from './macro.js'
import { above, shown } from '../range.js'

const sizes = [3, 10, 100]
const WAIT = 15
const STARTUP = 15

/** Table 4: node and rack locality without delay, then with it. */
const table4: Readonly<Record<number, readonly number[]>> = {
  3: [0.02, 0.5, 0.75, 0.96], 10: [0.37, 0.98, 0.99, 1], 100: [0.84, 0.99, 0.94, 0.99],
}
const gains: Readonly<Record<number, number>> = { 3: 1.2, 10: 1.7, 100: 1.3 }

const claims: readonly Claim[] = [
  ...sizes.map((maps): Claim => ({
    id: `DS-F12-${maps}`, class: 'R', published: gains[maps] as number,
    measures: [measure(`throughput delay / naive fair, ${maps} maps`, 'ratio', above(1))],
  })),
  ...sizes.map((maps): Claim => ({
    id: `DS-T4-${maps}`, class: 'R', published: table4[maps] as readonly number[],
    measures: [
      measure(`node locality, naive fair, ${maps} maps`, 'share', shown),
      measure('rack locality, naive fair', 'share', shown),
      measure('node locality, delay', 'share', shown),
      measure('rack locality, delay', 'share', shown),
      measure('gain of node locality', 'share', above(0)),
    ],
  })),
]

/** Small filter jobs on the private cluster: figure 12 and table 4. */
export const smallJobs: Experiment = {
  title: 'Small jobs',
  setup: [
    'Private cluster: 100 nodes with 6 map and 4 reduce slots in 4 racks of 25, HDFS placement (one replica anywhere, two on distinct ' +
      'nodes of another rack), heartbeats every 3 s, staggered.',
    'A Poisson stream of filter jobs of 3, 10 or 100 maps for 900 s whose work, all maps local, is just what the 600 map slots can do ' +
      'in that time. A local map takes 15 s, within 10%, 1.7 times that in its rack, twice that elsewhere.',
    'Naive fair sharing and a delay of W1 = W2 = 15 s. Throughput is jobs over the time until the last has ended. Rack locality ' +
      'includes node locality.',
  ],
  claims,
  run(trials): Findings {
    const runs = new Map(sizes.map((maps) => [maps, trials.map((trial) => smallRun(maps, trial))]))
    const over = (maps: number, figure: (run: GainRun) => number) => overRuns(runs.get(maps) ?? [], figure)
    const near = (maps: number) =>
      (['naive', 'delay'] as const).flatMap((policy) => [0, 1].map((level) => over(maps, (run) => run[policy].near(level))))
    const gain = (maps: number) => over(maps, ({ naive, delay }) => delay.near(0) - naive.near(0))
    return {
      byId: {
        ...Object.fromEntries(sizes.map((maps) => [`DS-F12-${maps}`, [over(maps, throughputGain)]])),
        ...Object.fromEntries(sizes.map((maps) => [`DS-T4-${maps}`, [...near(maps), gain(maps)]])),
      },
      remarks: [startupRemark(few(trials)), closedLoopRemark(few(trials))],
    }
  },
}

function smallRun(maps: number, trial: Trial, startup = 0): GainRun {
  return compare(filterJobs({ seed: trial.seed, maps, startup }), trial)
}

function compare(workload: Workload, trial: Trial): GainRun {
  const run = (policy: typeof naiveFair) => measureRun({ cluster: privateCluster, workload, policy, trial })
  return { naive: run(naiveFair), delay: run(delayed(WAIT, WAIT)) }
}

/** Both runs have the same jobs, so throughputs are as the inverse of the makespans. */
const throughputGain = ({ naive, delay }: GainRun): number => naive.makespan / delay.makespan

function startupRemark(trials: readonly Trial[]): string {
  const gained = sizes.map((maps) => ratio(overRuns(trials, (trial) => throughputGain(smallRun(maps, trial, STARTUP))).mean))
  return `With a start-up of ${STARTUP} s per job, which takes no slot here, the gains are ${gained.join(', ')} (${seedsOf(trials)}). ` +
    `Starting jobs does not limit throughput in this model, so the gain is not largest for 10 maps.`
}

/** The same in a closed loop, where jobs cannot pile up. */
function closedLoopRemark(trials: readonly Trial[]): string {
  const texts = sizes.map((maps) => {
    const active = Math.round((1.5 * 600) / maps)
    const runs = trials.map((trial) => compare(closedLoop({ maps, active, jobs: Math.round(12_000 / maps) }), trial))
    const [node, rack] = [0, 1].map((level) => percent(overRuns(runs, ({ naive }) => naive.near(level)).mean, 0)) as [string, string]
    return `${ratio(overRuns(runs, throughputGain).mean)} and ${node} / ${rack} with ${active} jobs of ${maps} maps`
  })
  return `Gain and naive node / rack locality in a closed loop of 1.5 times as many maps as slots: ${texts.join(', ')} ` +
    `(${seedsOf(trials)}). Naive fair sharing cannot keep up with the stream above; as jobs pile up each gets one slot at a time, ` +
    `mostly the same one back, on a node without its data, so its locality is lower than a head of line alone would have.`
}
