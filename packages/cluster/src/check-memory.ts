import { SchedError } from '@sched/core'
import { MEMORY_VERSION, type DispatcherMemory } from './decisions.js'

/** Throws `BAD_INPUT` if `memory` is not the memory of a dispatcher with this policy, or was written by another version. */
export function checkMemory(memory: DispatcherMemory, policy: string): void {
  const { policy: name, version } = (memory as Partial<DispatcherMemory> | null | undefined) ?? {}
  const fact =
    name === undefined
      ? `no memory of a dispatcher, and this one has "${policy}"`
      : name !== policy
        ? `the memory of a dispatcher with the policy "${name}", and this one has "${policy}"`
        : version !== MEMORY_VERSION && `of version ${version ?? 1}, and this @sched/cluster reads version ${MEMORY_VERSION}`
  if (fact === false) return
  throw new SchedError(
    'BAD_INPUT',
    `it is ${fact}.`,
    { field: 'memory' },
    'Give what `memory` of one with the same policy, options and version returned, or leave `recall` out: what it had decided about waiting jobs is then decided anew.',
  )
}
