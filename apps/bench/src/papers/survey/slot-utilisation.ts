import { measure, type Claim, type Experiment, type Findings } from '../claim.js'
import { overRuns } from '../estimate.js'
import { above, shown } from '../range.js'
import { utilisations } from './resource-models.js'

const claims: readonly Claim[] = [
  {
    id: 'SV-SLOT-util', class: 'R', published: 'demand vectors > typeless slots > typed slots',
    measures: [
      measure('use of the cores, vectors less typeless slots', 'share', above(0)),
      measure('typeless less typed slots', 'share', above(0)),
      measure('use of the cores, typed slots', 'share', shown), measure('typeless slots', 'share', shown),
      measure('dynamic slots', 'share', shown), measure('vectors', 'share', shown),
      measure('use of the memory, typed slots', 'share', shown), measure('typeless slots', 'share', shown),
      measure('dynamic slots', 'share', shown), measure('vectors', 'share', shown),
    ],
  },
]

/** What of a cluster is used under the four ways to describe its nodes. */
export const slotUtilisation: Experiment = {
  title: 'Resource models',
  setup: [
    '20 nodes of 16 cores and 32 GB; 60 MapReduce jobs with exponential gaps of 5 s in the mean, of 20 to 100 maps (20 to 40 s) and a quarter as many reduces (40 to 80 s), which start ' +
      'after 5% of the maps. All tasks of a job ask for 1 core and 1 GB, 2 and 1, or 1 and 4, a third of the jobs each. Fair sharing among jobs without waiting, no heartbeats.',
    'A slot is as large as the largest task: 8 fit on a node. Typed: 5 for maps, 3 for reduces. Dynamic: 4 to 16 by our rule (every 10 s one more below 70% of cores and ' +
      'memory, one fewer above 90% of either). Vectors: what is asked. Tasks that use more cores than there are slow each other down; dynamic slots may use more memory than there is, ' +
      'which slows nothing here, so their figures are an upper bound.',
    'Use is over the time from the first submission to the end of the last task. The work is the same in all models.',
  ],
  claims,
  run(trials): Findings {
    const runs = trials.map(utilisations)
    const models = ['typed', 'typeless', 'dynamic', 'vectors'] as const
    return {
      byId: {
        'SV-SLOT-util': [
          overRuns(runs, ({ vectors, typeless }) => vectors.cores - typeless.cores),
          overRuns(runs, ({ typeless, typed }) => typeless.cores - typed.cores),
          ...models.map((model) => overRuns(runs, (run) => run[model].cores)),
          ...models.map((model) => overRuns(runs, (run) => run[model].memory)),
        ],
      },
    }
  },
}
