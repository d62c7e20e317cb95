import { nearest, type JobSpec, type Plug, type Policy } from '@sched/core'
import type { SlurmConf } from '@sched/queue-files'

/** So many partitions are named. */
const NAMED = 3

/**
 * The same policy, which warns of jobs in partitions that a slurm.conf does not declare: Slurm refuses them, here they run without the limits and
 * priorities of any partition, since logs often call their partitions otherwise.
 */
export function tellingUndeclared(plug: Plug<'policy'>, { file, partitions }: SlurmConf): Plug<'policy'> {
  const names = partitions.map(({ name }) => name.value)
  if (names.length === 0) return plug
  const declared = new Set(names)
  const create: Plug<'policy'>['create'] = (env) => {
    const policy: Policy = plug.create(env)
    const admits = policy.admits?.bind(policy)
    const told = new Set<string | undefined>()
    policy.admits = (spec) => {
      if (!told.has(spec.queue) && told.size < NAMED && !declared.has(spec.queue ?? '')) {
        told.add(spec.queue)
        env.warn(undeclared(spec, file, names))
      }
      return admits?.(spec)
    }
    return policy
  }
  return { ...plug, create }
}

function undeclared({ id, queue }: JobSpec, file: string, names: readonly string[]): string {
  const effect = 'limits and priorities of partitions do not hold for such jobs'
  if (queue === undefined)
    return `job ${id} and perhaps others name no partition, and ${file} has none with Default=YES: ${effect}. Give one with \`--queue-mix ${names[0] ?? ''}=1\`.`
  const shown = names.length > 8 ? `${names.slice(0, 8).join(', ')}, ...` : names.join(', ')
  return `job ${id} and perhaps others are in the partition "${queue}", which ${file} does not declare (${shown}): ${effect}. If it is called otherwise there: \`--queue-names ${queue}=${nearest(queue, names) ?? names[0] ?? ''}\`.`
}
