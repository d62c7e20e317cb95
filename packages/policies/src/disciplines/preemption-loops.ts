import { SchedError, ownValue } from '@sched/core'

/** Throws `BAD_OPTION` for QOS that preempt each other, directly or in a circle: they would do so for ever. Slurm's database refuses them, too. */
export function refuseLoops(qos: Readonly<Record<string, { readonly preempt: readonly string[] }>>): void {
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]): void => {
    if (done.has(name)) return
    if (path.includes(name))
      throw new SchedError(
        'BAD_OPTION',
        `QOS preempt each other in a loop: ${[...path.slice(path.indexOf(name)), name].join(', ')}.`,
        { field: `slurm-preempting.qos.${name}.preempt` },
        'Leave one of them out; Slurm refuses such QOS (QOS Preemption loop detected).',
      )
    for (const other of ownValue(qos, name)?.preempt ?? []) visit(other, [...path, name])
    done.add(name)
  }
  for (const name of Object.keys(qos)) visit(name, [])
}
