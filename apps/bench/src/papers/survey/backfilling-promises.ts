import { measure, type Claim, type Experiment, type Findings } from '../claim.js'
import { overRuns } from '../estimate.js'
import { above, range, shown } from '../range.js'
import { HeadDelays } from './head-delays.js'
import { disciplines, jobsOf, runRigid, WIDEST } from './rigid-machine.js'

const LOAD = 0.8
const none = range(0, 0)

const claims: readonly Claim[] = [
  {
    id: 'SV-BF-guarantee', class: 'Q', published: 'conservative: no start later than promised',
    measures: [measure('jobs promised a start, users\' estimates', 'number', above(0)), measure('of these, started later', 'number', none)],
  },
  {
    id: 'SV-BF-head', class: 'Q', published: 'EASY: head never later than its first shadow (exact estimates)',
    measures: [measure('first jobs that had to wait', 'number', above(0)), measure('latest start after the first shadow time', 'seconds', range(-Infinity, 0))],
  },
  {
    id: 'SV-BF-fat', class: 'Q', published: 'fattened: head delay against its first shadow < AWT at decision time',
    measures: [
      measure('instants in which a head was delayed', 'number', above(0)),
      measure('of these, by AWT or more', 'number', none),
      measure('largest delay over AWT', 'ratio', shown),
    ],
  },
]

/** What the disciplines promise, and whether they keep it. */
export const backfillingPromises: Experiment = {
  title: 'Backfilling, what is promised',
  setup: [
    `3,000 jobs of the Lublin-Feitelson model for ${WIDEST} processors on as many, at an offered load of ${LOAD}, queues in order of submission; users' estimates for ` +
      '`SV-BF-guarantee`, exact ones for the others.',
    'First jobs, their shadow times and delays are watched from outside, in plain code that knows the starts and ends only. AWT is the mean wait ' +
      'of the jobs finished by the instant; a delay counts after all starts of an instant in which the shadow time was moved later.',
  ],
  claims,
  run(trials): Findings {
    const runs = trials.map((trial) => {
      const exact = jobsOf({ load: LOAD, procs: WIDEST, estimates: 'exact' }, trial)
      const [easy, fattened] = [new HeadDelays(), new HeadDelays()]
      runRigid(exact, disciplines.EASY, trial, { procs: WIDEST, observers: [easy] })
      runRigid(exact, disciplines.fattened, trial, { procs: WIDEST, observers: [fattened] })
      const { promises } = runRigid(jobsOf({ load: LOAD, procs: WIDEST, estimates: 'tsafrir' }, trial), disciplines.conservative, trial, { procs: WIDEST })
      return { promises, easy, fattened }
    })
    return {
      byId: {
        'SV-BF-guarantee': [overRuns(runs, ({ promises }) => promises.jobs), overRuns(runs, ({ promises }) => promises.broken)],
        'SV-BF-head': [overRuns(runs, ({ easy }) => easy.heads), overRuns(runs, ({ easy }) => easy.latest)],
        'SV-BF-fat': [
          overRuns(runs, ({ fattened }) => fattened.delayings),
          overRuns(runs, ({ fattened }) => fattened.overlong),
          overRuns(runs, ({ fattened }) => fattened.largest),
        ],
      },
    }
  },
}
