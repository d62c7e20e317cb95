import type { NodeId, ResourceId } from '@sched/core'
import { keyOf, type Play } from './play.js'

/** No node, and no device of a node, ever runs more than it has: every start and every end counted by itself, apart from the engine's own counts. */
export function capacity({ recorder, model, specs, rounds }: Play): string | undefined {
  const used = new Map<string, number>()
  for (const event of recorder.events) {
    if (event.kind !== 'launch' && event.kind !== 'end') continue
    const demand = specs.get(event.job)?.stages[event.stage]?.demand ?? {}
    for (const [resource, amount] of Object.entries(demand)) {
      const at = `${resource} of ${event.node}`
      const now = (used.get(at) ?? 0) + (event.kind === 'launch' ? amount : -amount)
      const total = model.total[model.resources.indexOf(resource) * model.nodes + model.nodeNames.indexOf(event.node)] as number
      if (now > total || now < 0) return `at ${event.time} s ${now} of ${total} ${at} are in use, with ${keyOf(event)}`
      used.set(at, now)
    }
  }
  return rounds.devices.wrong
}

/** When all has ended, everything is free again, and no claim is left with the policy. */
export function conservation({ simulation, model, rounds }: Play): string | undefined {
  const { cell } = simulation
  for (let node = 0 as NodeId; node < cell.nodes; node++)
    for (const [r, name] of cell.resources.entries()) {
      const free = cell.free(node, r as ResourceId)
      const total = model.total[r * cell.nodes + node]
      if (free !== total) return `${name} of ${cell.name(node)} is ${free} of ${total ?? ''} at the end`
    }
  if (rounds.claims !== 0) return `the policy was told of ${rounds.claims} claims more than of releases`
  return undefined
}
