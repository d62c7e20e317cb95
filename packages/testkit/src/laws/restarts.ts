import { Program } from '../program.js'
import type { MakePolicy, Play } from './play.js'
import { tellable } from './tellable.js'
import type { World } from './world.js'

/**
 * A dispatcher that begins again from its memory, told of the jobs in the system and of what runs and has run of them, decides as one that has run on. It
 * begins again twice, after numbers of looks that the seed of the world gives. Looked at is the world as `tellable` has it, without outages and failures.
 */
export function restarts({ world, fresh }: Play): string | undefined {
  const looks = [1 + (world.seed % 12), 1 + (Math.floor(world.seed / 12) % 12)]
  return restartDifference({ ...tellable(world), outages: [] }, fresh, looks)
}

/**
 * The first decision in which a dispatcher that begins again after each of these numbers of looks differs from one that runs on; `undefined`: none.
 * Without `remembers` the new one is not given the memory of the one before. The world has to be `tellable`.
 */
export function restartDifference(world: World, make: MakePolicy, looks: readonly number[], remembers = true): string | undefined {
  const [runsOn, beginsAgain] = [false, true].map((restarts) => {
    const program = new Program(world, () => make(world), { remembers })
    for (const few of looks) {
      program.run(few)
      if (restarts) program.restart()
    }
    program.run()
    return program.lines
  }) as [string[], string[]]
  const at = Array.from({ length: Math.max(runsOn.length, beginsAgain.length) }, (_, i) => i).find((i) => runsOn[i] !== beginsAgain[i])
  return at === undefined ? undefined : `decision ${at} is "${runsOn[at] ?? 'none'}", after restarts "${beginsAgain[at] ?? 'none'}"`
}
