import { DecisionHash } from './decision-hash.js'
import { peakMemory } from './peak-memory.js'
import type { Benchmark, Prepared } from './benchmark.js'
import { profiled } from './profile.js'
import type { Ran, Reply, Request, RunOptions } from './messages.js'

/** The worker's side of the conversation: prepares a variant once, then runs it as often as it is asked. */
export function answer(load: (name: string) => Promise<Benchmark>): (request: Request) => Promise<Reply> {
  let prepared: Prepared | undefined
  return async (request) => {
    try {
      if (request.kind === 'run') return { kind: 'ran', run: await timed(prepared as Prepared, request.how) }
      const benchmark = await load(request.benchmark)
      prepared = await benchmark.variants.find(({ name }) => name === request.variant)?.prepare(request.size)
      globalThis.gc?.() // a run pays for its own garbage, not for what made its input
      return { kind: 'prepared' }
    } catch (error) {
      return { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
  }
}

async function timed(prepared: Prepared, { hashed = false, profile }: RunOptions): Promise<Ran> {
  prepared.setUp?.()
  const hash = hashed ? new DecisionHash() : undefined
  const before = process.cpuUsage()
  const outcome = await (profile === undefined ? prepared.run(hash) : profiled(profile, () => prepared.run(hash)))
  const { user, system } = process.cpuUsage(before)
  return { ...outcome, cpu: (user + system) / 1e6, peak: peakMemory(), hash: hash?.digest ?? '' }
}
