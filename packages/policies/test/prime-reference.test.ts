// @module-tag long
import { randomStream } from '@sched/core'
import { easy, fifo, greedy, pbsPreempting, primeTime, strict } from '@sched/policies'
import { instantCluster, job, run } from '@sched/testkit'
import { describe, expect, it } from 'vitest'
import { primeCycles, type PrimeJob, type PrimeWorld } from './reference/prime-time.js'

function worldOf(seed: number): PrimeWorld {
  const random = randomStream(seed, 'prime time')
  const draw = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  const oneOf = <T>(of: readonly T[]) => of[draw(0, of.length - 1)] as T
  const procs = draw(3, 6)
  const time = () => (random() < 0.15 ? oneOf(['all', 'none'] as const) : 60 * draw(0, 23) + oneOf([0, 30]))
  const weekday = [time(), time()] as const
  const days = Array.from({ length: 7 }, (_, day) => (day === 0 || day === 6 || random() < 0.15 ? ([time(), time()] as const) : weekday))
  const jobs = Array.from({ length: draw(5, 20) }, (): PrimeJob => ({ submit: draw(0, 4 * 1440), length: oneOf([draw(1, 60), draw(60, 600), draw(600, 1000)]), procs: draw(1, procs), queue: oneOf(['workq', 'workq', 'p_day', 'np_night']) }))
  const isDivided = weekday.every((each) => typeof each === 'number') && weekday[0] !== weekday[1] // otherwise a holiday a year later may be all that some wait for
  const spill = () => oneOf([0, draw(1, 120)])
  return {
    jobs: jobs.sort((a, b) => a.submit - b.submit), procs, days, holidays: isDivided && random() < 0.6 ? [draw(0, 6)] : [],
    endsWith: { prime: random() < 0.6, nonPrime: random() < 0.6 }, spill: { prime: spill(), nonPrime: spill() }, exempt: random() < 0.3, depth: oneOf(['strict', 0, 1, 1, 2, 3] as const),
  }
}

const clock = (time: number | string) => (typeof time === 'string' ? time : `${Math.floor(time / 60)}`.padStart(2, '0') + `${time % 60}`.padStart(2, '0'))
const fileOf = ({ days, holidays }: PrimeWorld) =>
  ['YEAR 1978', ...days.map(([prime, other], day) => `${['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'][day]} ${clock(prime)} ${clock(other)}`), ...holidays.map((day) => `${day + 1} a holiday`)].join('\n')

function simulated(world: PrimeWorld, isInside = false): (number | undefined)[] {
  const { jobs, procs, endsWith, spill, exempt, depth } = world
  const inner = depth === 'strict' ? strict() : depth === 0 ? greedy(fifo()) : easy(fifo(), { reservations: depth })
  const { recorder } = run({
    cluster: instantCluster({ nodes: [{ count: 1, resources: { procs } }] }),
    jobs: jobs.map(({ submit, length, procs: asked, queue }, i) => job({ id: `${i}`, submit: 60 * submit, queue, demand: { procs: asked }, duration: 60 * length, estimate: 60 * length })),
    policy: primeTime(isInside ? pbsPreempting(inner) : inner, {
      holidays: fileOf(world), prime_exempt_anytime_queues: exempt,
      backfill_prime: [`${endsWith.prime} prime`, `${endsWith.nonPrime} non_prime`], prime_spill: [`${spill.prime}:00 prime`, `${spill.nonPrime}:00 non_prime`],
    }),
  })
  const starts: (number | undefined)[] = jobs.map(() => undefined)
  for (const { job: id, started } of recorder.ends) starts[Number(id)] = started / 60
  return starts
}

const known = new Map<number, ReturnType<typeof primeCycles>>()
/** What the cycles give in a world, for both tests. */
function expectedIn(seed: number): ReturnType<typeof primeCycles> {
  const expected = known.get(seed) ?? primeCycles(worldOf(seed))
  known.set(seed, expected)
  return expected
}

describe('prime-time over strict, greedy and easy', () => {
  it.each([['alone', false], ['around pbs-preempting', true]] as const)('starts jobs when cycles do in which everything is computed anew: %s', (_, isInside) => {
    const found = { waited: 0, refused: 0, jobs: 0 }
    const differ: number[] = []
    for (let seed = 0; seed < 400; seed++) {
      const world = worldOf(seed)
      const expected = expectedIn(seed)
      if (JSON.stringify(simulated(world, isInside)) !== JSON.stringify(expected)) differ.push(seed)
      for (const [i, start] of expected.entries()) {
        found.jobs++
        if (start === undefined) found.refused++
        else if (start > (world.jobs[i]?.submit ?? 0)) found.waited++
      }
    }
    expect(differ).toEqual([])
    expect(found.waited).toBeGreaterThan(found.jobs / 3)
    expect(found.refused).toBeGreaterThan(50)
  })
})
