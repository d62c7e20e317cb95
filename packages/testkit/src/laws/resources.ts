import { keyOf, type Play } from './play.js'

/** No node ever runs more than it has: every start and every end counted by itself, apart from the engine's own counts. */
export function capacity({ recorder, model, specs }: Play): string | undefined {
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
  return undefined
}

/** When all has ended, everything is free again, and no claim is left with the policy. */
export function conservation({ simulation, model, rounds }: Play): string | undefined {
  const lost = model.total.findIndex((total, i) => simulation.cell.freeAmounts[i] !== total)
  if (lost >= 0) return `${model.resources[Math.floor(lost / model.nodes)] ?? ''} of ${model.nodeNames[lost % model.nodes] ?? ''} is ${simulation.cell.freeAmounts[lost] ?? ''} of ${model.total[lost] ?? ''} at the end`
  if (rounds.claims !== 0) return `the policy was told of ${rounds.claims} claims more than of releases`
  return undefined
}
