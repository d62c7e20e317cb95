import { capacity, capacityScheduler, drf, fair, greedy } from '@sched/policies'
import { cost, rate, single } from '../harness/figures.js'
import { FullCluster } from './tenants-world.js'
import type { Benchmark, Figure, Measurement, Variant } from '../harness/benchmark.js'
import type { Plug } from '@sched/core'

/** Policies over queues, all with the same queues and jobs. */
const policies: Readonly<Record<string, () => Plug<'policy'>>> = {
  fair: () => greedy(fair()),
  capacity: () => greedy(capacity({ resourceCalculator: 'dominant' })),
  drf: () => greedy(drf({ by: 'queue', inner: 'fair' })),
}
const sizes = [10, 100, 1000, 10_000]
const HEADLINE = 1000
/** Looks of preemption that are measured, and their usual distance in seconds. */
const LOOKS = 200
const INTERVAL = 3
const CHECK = 'preemption-check'

/** What a decision costs where many share much: queues in a tree, several resources. */
export const tenants: Benchmark = {
  name: 'tenants',
  summary:
    'Decisions alone on 5,000 full nodes of 4 resources, one node offered at each end of a task: 1,000 queues in 4 levels with 10 pending jobs each, tasks of 4 shapes; and the cost of a decision with 10, 100 and 10,000 queues. A decision is a started task, with all that was tried before it. A preemption check is a look of the capacity scheduler over 1,000 queues, half of which have filled the cluster when the others come: what all use and want, the ideal allocation, and the tasks to take.',
  variants: Object.entries(policies).flatMap(([name, policy]) => sizes.map((queues) => variant(`${name}-${queues}`, queues, policy))).concat(preemptionCheck()),
  figures: (measured) => [
    ...Object.keys(policies).flatMap((name) => rows(name, (queues) => measured[`${name}-${queues}`]!)),
    cost('tenants/capacity/preemption-check', 'ns/look at 1,000 queues', measured[CHECK]!, { goals: [{ of: 'warm', atMost: 1_000_000 }] }),
  ],
}

function rows(name: string, of: (queues: number) => Measurement): Figure[] {
  const perDecision = (queues: number) => of(queues).warm / of(queues).work
  // from 10 to 10,000 queues (100 to 100,000 jobs) log n grows 2.5-fold, log of queues alone 4-fold
  return [
    rate(`tenants/${name}`, 'decisions/s', of(HEADLINE), { goals: [{ of: 'warm', atLeast: 300_000 }] }),
    ...sizes.map((queues) => cost(`tenants/${name}-${queues}`, 'ns/decision', of(queues))),
    single(`tenants/${name}/growth`, perDecision(10_000) / perDecision(10), 'x per decision, 10,000 to 10 queues', [{ of: 'value', atMost: 4 }]),
  ]
}

function variant(name: string, queues: number, policy: () => Plug<'policy'>): Variant {
  return {
    name,
    processes: 1,
    prepare(size) {
      const tenants = size === 'small' ? { queues: Math.min(queues, 30), nodes: 20, starts: 500 } : { queues, nodes: 5000, starts: 200_000 }
      let ready: FullCluster
      return {
        setUp: () => void (ready = new FullCluster(tenants, policy())),
        run: (hash) => ({ work: ready.run(hash), check: ready.decisions.now }),
      }
    },
  }
}

/** While it is measured nothing is killed, so that every look finds the same; the kills are its decisions. */
function preemptionCheck(): Variant {
  return {
    name: CHECK,
    processes: 1,
    prepare(size) {
      const tenants = size === 'small' ? { queues: 30, nodes: 20, starts: 500, isLate: true } : { queues: HEADLINE, nodes: 5000, starts: 1000, isLate: true }
      const looks = size === 'small' ? 10 : LOOKS
      const full = (observeOnly: boolean) => new FullCluster(
        tenants,
        capacityScheduler({ resourceCalculator: 'dominant', preemption: { observeOnly, monitoringInterval: INTERVAL } }),
      )
      let ready: FullCluster
      return {
        setUp() {
          ready = full(true)
          ready.look(1, INTERVAL) // guarantees of queues that are new are computed once, and not at every look
        },
        run(hash) {
          if (hash !== undefined) ready = full(false)
          ready.look(looks, INTERVAL, hash)
          return { work: looks, check: looks }
        },
      }
    },
  }
}
