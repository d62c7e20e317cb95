import { monolithic } from '@sched/architectures'
import { delay, fair } from '@sched/policies'
import { simulate } from '@sched/sim'
import { schedulerOverhead } from '@sched/workload'
import { measure, type Claim, type Experiment, type Findings, type Trial } from '../claim.js'
import { overRuns } from '../estimate.js'
import { shown } from '../range.js'

const claims: readonly Claim[] = [
  { id: 'DS-S54', class: 'own', published: 3200, measures: [measure('tasks launched per second of CPU time', 'per second', shown)] },
]

/** How many tasks a second of CPU time schedules: section 5.4. Bound to the machine, so it is no comparison with the paper. */
export const overhead: Experiment = {
  title: 'Scheduling rate',
  setup: [
    '2,500 nodes with 2 map and 2 reduce slots in 40 racks, 100 jobs of 1,000 maps and 1,000 reduces in 20 pools, all at once; fair ' +
      'sharing among pools and jobs with W1 = W2 = 5 s. The paper: mock nodes and a real master on a Core 2 Duo of 2.66 GHz; 1,000 ' +
      'tasks/s keep 10 s tasks running.',
    'Our figure is the CPU time (user and system, of the whole process) of the whole simulation, decisions and events, on the machine ' +
      'that wrote this page; one warm-up run is left out. It is not reproducible to the digit: CPU ' +
      'time grows by half when the machine is busy otherwise. `pnpm bench speed` measures it with more care.',
  ],
  claims,
  run(trials): Findings {
    launchRate(trials[0] as Trial)
    return { byId: { 'DS-S54': [overRuns(trials, launchRate)] } }
  },
}

function launchRate(trial: Trial): number {
  const before = process.cpuUsage()
  const { launches } = simulate({
    cluster: { nodes: [{ count: 2500, racks: 40, slots: { map: 2, reduce: 2 } }], heartbeat: { interval: 3, stagger: true } },
    workload: schedulerOverhead(),
    policy: delay(fair(), { node: 5, rack: 5 }),
    architecture: monolithic(),
    runtime: { localityFactors: [1], jitter: 0 },
    ...trial,
  })
  const { user, system } = process.cpuUsage(before)
  return launches / ((user + system) / 1e6)
}
