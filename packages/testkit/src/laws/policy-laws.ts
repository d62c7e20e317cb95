import { SchedError, suggest } from '@sched/core'
import fc from 'fast-check'
import { EndlessRun, play, type MakeArchitecture, type MakePolicy, type Play } from './play.js'
import { declaration, determinism, freshness } from './repetition.js'
import { capacity, conservation } from './resources.js'
import { commits } from './rounds.js'
import { failures } from './failures.js'
import { causality, nonClairvoyance } from './knowledge.js'
import { masters } from './masters.js'
import { completion, gangs, once } from './tasks.js'
import { outages } from './outages.js'
import { restarts } from './restarts.js'
import { earliest, heartbeats, reservations, slowStart } from './times.js'
import { worlds, type World, type WorldOptions } from './world.js'

/** What holds for every policy on every world; a law answers with what is wrong. */
export const laws = {
  capacity,
  conservation,
  once,
  completion,
  gangs,
  masters,
  earliest,
  slowStart,
  heartbeats,
  reservations,
  outages,
  failures,
  commits,
  determinism,
  freshness,
  declaration,
  causality,
  nonClairvoyance,
  restarts,
} satisfies Readonly<Record<string, (play: Play) => string | undefined>>
/** Laws by name. */
export type LawName = keyof typeof laws

const REPEATABLE = 'Draw numbers from `env.random`, go by `env.now()`, and keep what changes in what `create` returns, nowhere else.'
/** What an author can do about a broken law; the others are kept by the engine as long as tasks start by `claim`. */
const advice: Partial<Readonly<Record<LawName, string>>> = {
  completion: 'Place every job that waits as long as any node has room for it, whatever has come of it before.',
  gangs: 'Claim the `together` tasks of a job in one round, or take those claimed back (`savepoint`, `rollback`); take the tasks of a gang together (`work.inGang`).',
  reservations: 'A job starts no later than its last `reserve` says.',
  determinism: REPEATABLE,
  freshness: REPEATABLE,
  declaration: 'End ties in names or in `work.rank`, not in the order in which queues are declared.',
  causality: 'Decide by what has come and happened so far, as `env.work`, `env.cluster` and the hooks tell it.',
  nonClairvoyance: 'Go by `work.estimate` and by what has ended, never by how long a task will run; where the policy is meant to know that, say so.',
  restarts: 'Give what it decides by, beyond jobs, running tasks and the time, in `memory`, and take it up in `recall`; end ties in `work.rank`, not in the numbers of jobs or tasks.',
}

/** Options of `checkPolicyLaws`; all may be left out. */
export interface LawOptions {
  /** Laws that do not hold for this policy, each with the reason: `reservations` under `easy` and `conservative`, since jobs of these worlds outlive their estimates. */
  readonly skip?: Partial<Readonly<Record<LawName, string>>>
  /** Which worlds, by default with outages and failures in some; or an arbitrary of one's own. */
  readonly worlds?: WorldOptions | fc.Arbitrary<World>
  /** Worlds that need not end under this policy, as some preemption goes on for ever: of these, runs that do not end are passed over. Default none. */
  readonly mayBeEndless?: (world: World) => boolean
  /** Number of random worlds. Default 100. */
  readonly runs?: number
  /** Default 1. Printed with every failure. */
  readonly seed?: number
  /** Default: `serial`, the plainest. */
  readonly architecture?: MakeArchitecture
}

/** How much was looked at. */
export interface LawReport {
  /** Worlds that were run. */
  readonly worlds: number
  /** Starts in all of them. */
  readonly launches: number
  /** Preempted tasks in all of them. */
  readonly evictions: number
  /** Tasks in all of them that were copied and of which one attempt ended the other. */
  readonly copies: number
  /** Those that were held up to the policy. */
  readonly laws: readonly LawName[]
}

/**
 * Holds a policy to all laws on many small random worlds. Throws with the law, what is wrong, the smallest world found
 * that shows it, and the seed. The policy is made anew for every run.
 */
export function checkPolicyLaws(make: MakePolicy, options: LawOptions = {}): LawReport {
  return check(make, options, lawNames(options.skip))
}

/** The same as one test per law: `for (const { name, check } of policyLaws(make)) it(name, check)`. */
export function policyLaws(make: MakePolicy, options: LawOptions = {}): { readonly name: LawName; readonly check: () => void }[] {
  return lawNames(options.skip).map((name) => ({ name, check: () => void check(make, options, [name]) }))
}

function check(make: MakePolicy, options: LawOptions, names: readonly LawName[]): LawReport {
  const { runs = 100, seed = 1, architecture, mayBeEndless } = options
  const report = { worlds: 0, launches: 0, evictions: 0, copies: 0, laws: names }
  fc.assert(
    fc.property(worldsOf(options.worlds), (world) => {
      const played = ending(() => play(world, make, architecture), mayBeEndless?.(world) === true)
      for (const name of names) {
        const wrong = laws[name](played)
        if (wrong !== undefined) throw new SchedError('INVARIANT', `law "${name}" does not hold: ${wrong}.`, {}, [advice[name], `Where it cannot hold, say why: { skip: { ${name}: 'reason' } }.`].filter((each) => each !== undefined).join(' '))
      }
      report.worlds++
      report.launches += played.recorder.launches.length
      report.evictions += played.recorder.evictions.length
      report.copies += played.recorder.ends.filter(({ how }) => how === 'superseded').length
    }),
    { seed, numRuns: runs, reporter: told },
  )
  return report
}

/** What is run, or another world is drawn if it does not end and need not. */
function ending(run: () => Play, mayBeEndless: boolean): Play {
  try {
    return run()
  } catch (error) {
    fc.pre(!(mayBeEndless && error instanceof EndlessRun))
    throw error
  }
}

/** What is wrong comes first: it is the cause of what the library throws, which not everybody prints. */
function told(run: fc.RunDetails<[world: World]>): void {
  if (!run.failed) return
  const { errorInstance: cause } = run
  throw new Error(`${cause instanceof Error ? `${cause.message}\n` : ''}${fc.defaultReportMessage(run) ?? ''}`, { cause })
}

const worldsOf = (chosen: LawOptions['worlds']): fc.Arbitrary<World> => (chosen instanceof fc.Arbitrary ? chosen : worlds({ outages: true, failures: true, ...chosen }))

function lawNames(skip: LawOptions['skip'] = {}): LawName[] {
  const known = Object.keys(laws) as LawName[]
  for (const [name, reason] of Object.entries(skip)) {
    if (!(name in laws)) throw new SchedError('UNKNOWN_NAME', `no law is called "${name}".`, { field: 'skip' }, suggest(name, known))
    if (reason.trim() === '') throw new SchedError('BAD_OPTION', `law "${name}" is skipped without a reason.`, { field: 'skip' }, 'Say why it does not hold.')
  }
  return known.filter((name) => skip[name] === undefined)
}
