import { naturalOrder, type DecidedTimes, type DecisionFigures, type DecisionsResult } from '@sched/metrics'
import type { Figure } from './figure.js'
import type { RunResult } from '../run-once.js'

type OfGroup = Figure<DecisionFigures>
type OfJobs = Figure<DecidedTimes>

/** Of each kind of scheduler. Values by the day are medians of days; of a run shorter than a day, of the run. */
const groupFigures: readonly OfGroup[] = [
  { key: 'busyness', title: 'busyness', unit: '%', of: ({ busyness }) => busyness.median },
  { key: 'busyness-mad', title: 'MAD of daily busyness', unit: '%', of: ({ busyness }) => busyness.mad },
  { key: 'no-conflict-busyness', title: 'busyness without retries after conflicts', unit: '%', of: ({ noConflictBusyness }) => noConflictBusyness.median },
  { key: 'no-room-busyness', title: 'busy in vain, for want of room', unit: '%', of: ({ noRoomBusyness }) => noRoomBusyness.median },
  { key: 'conflict-fraction', title: 'transactions with conflict per one without', unit: '', of: ({ conflictFraction }) => conflictFraction.median },
  { key: 'attempts', title: 'attempts', unit: '', of: ({ attempts }) => attempts },
  { key: 'retries', title: 'retries', unit: '', of: ({ retries }) => retries },
]

/** Of all jobs, and of each class. */
const waitFigures: readonly OfJobs[] = [
  { key: 'first-attempt', title: 'mean wait for the first attempt', unit: 's', of: ({ firstAttempt }) => firstAttempt.mean },
  { key: 'first-attempt-p90', title: '90th percentile of it', unit: 's', of: ({ firstAttempt }) => firstAttempt.p90 },
  { key: 'fully-placed', title: 'mean time until fully placed', unit: 's', of: ({ fullyPlaced }) => fullyPlaced.mean },
  { key: 'in-time', title: 'jobs first tried within 30 s', unit: '%', of: ({ inTime }) => inTime },
  { key: 'placed', title: 'jobs fully placed', unit: '', of: ({ placed }) => placed },
  { key: 'given-up', title: 'jobs given up', unit: '', of: ({ abandoned }) => abandoned },
]

/** What some runs tell of decisions: nothing where none took time. Keys end in the kind of scheduler, or the class of jobs. */
export function decisionFigures(runs: readonly RunResult[]): Figure<RunResult>[] {
  const told = runs.flatMap(({ decisions }) => (decisions === null ? [] : [decisions]))
  if (told.length === 0) return []
  const groups = unique(told.flatMap(({ groups }) => groups.map(({ group }) => group)))
  const classes = unique(told.flatMap(({ classes }) => classes.map(({ label }) => label)))
  return [
    ...groups.flatMap((group) => groupFigures.map((figure) => about(figure, group, (result) => result.groups.find((each) => each.group === group)))),
    ...waitFigures.map((figure) => about(figure, 'all jobs', (result) => result.overall, '')),
    ...classes.flatMap((label) => waitFigures.map((figure) => about(figure, `${label} jobs`, (result) => result.classes.find((each) => each.label === label), `-${label}`))),
  ]
}

const unique = (names: readonly string[]) => [...new Set(names)].sort(naturalOrder)

function about<Part>({ key, title, unit, of }: Figure<Part>, whose: string, part: (result: DecisionsResult) => Part | undefined, suffix = `-${whose}`): Figure<RunResult> {
  return {
    key: `${key}${suffix}`,
    title: `${title}, ${whose}`,
    unit,
    of({ decisions }) {
      const found = decisions === null ? undefined : part(decisions)
      return found === undefined ? NaN : of(found)
    },
  }
}
