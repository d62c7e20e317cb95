import { resolve, SchedError } from '@sched/core'
import { digest, play, type World } from '@sched/testkit'
import { registry } from './dispatched-world.js'

/** What a configured policy decides in a world, or why it is refused or never ends. */
export function decided(world: World, policy: unknown): string {
  try {
    return digest(play(world, () => resolve(registry, 'policy', policy)).recorder)
  } catch (error) {
    if (!(error instanceof SchedError)) throw error
    return error.code
  }
}
